"""Put the figures of the last full run into README.md: the generated tables between their marks, and pictures.

Run after `make reproduce`: ``python tools/refresh_readme.py``.
"""

import csv
import re
import shutil
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLES = {"table_1": "results/table_1.md"}
CLAIMS = "results/claims.csv"
VERDICTS = ("reproduced", "partly", "not reproduced", "not testable")
PICTURES = {
    "docs/images/figure_5.png": "figures/masa/figure_5.png",
    "docs/images/ebr_figure_2.png": "figures/ebr/figure_2.png",
}


def claims_summary() -> str:
    """Count the verdicts of each paper, as a Markdown table."""
    with (ROOT / CLAIMS).open(encoding="utf-8", newline="") as file:
        count = Counter((row["paper"], row["verdict"]) for row in csv.DictReader(file))
    lines = ["| paper | claims | " + " | ".join(VERDICTS) + " |", "|---" + "|--:" * 5 + "|"]
    for paper in ("MASA", "EBR"):
        counts = [count[paper, verdict] for verdict in VERDICTS]
        lines.append(f"| {paper} | {sum(counts)} | " + " | ".join(map(str, counts)) + " |")
    return "\n".join(lines)


def main() -> None:
    """Replace what stands between ``<!-- NAME -->`` and ``<!-- /NAME -->``, and copy the pictures."""
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    blocks = {name: (ROOT / source).read_text(encoding="utf-8").strip() for name, source in TABLES.items()}
    for name, table in {**blocks, "claims": claims_summary()}.items():
        block = f"<!-- {name} -->\n{table}\n<!-- /{name} -->"
        text, found = re.subn(
            rf"<!-- {name} -->.*?<!-- /{name} -->", lambda _, block=block: block, text, flags=re.DOTALL
        )
        if found != 1:
            raise SystemExit(f"README.md: found {found} places marked {name}, expected one")
    readme.write_text(text, encoding="utf-8", newline="\n")
    for target, source in PICTURES.items():
        (ROOT / target).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / source, ROOT / target)


if __name__ == "__main__":
    main()
