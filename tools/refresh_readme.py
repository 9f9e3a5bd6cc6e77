"""Put the figures of the last full run into README.md and docs: generated tables between their marks, and pictures.

Run after `make reproduce`: ``python tools/refresh_readme.py``; what no run has made is named and left as it is.
"""

import csv
import re
import shutil
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLES = {
    "table_1": ("README.md", "results/table_1.md"),
    "difficulty": ("docs/difficulty.md", "results/models/difficulty/required_size.md"),
    "verified": ("docs/difficulty.md", "results/models/difficulty/verified.csv"),
    "scaling": ("docs/performance.md", "docs/figures/scaling.md"),
    "limits": ("docs/performance.md", "docs/figures/limits.md"),
    "jobs": ("docs/performance.md", "docs/figures/jobs.md"),
}
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


def as_markdown(path: Path) -> str:
    """Read a generated table; a CSV becomes Markdown as it stands."""
    text = path.read_text(encoding="utf-8").strip()
    if path.suffix == ".md":
        return text
    head, *rows = csv.reader(text.splitlines())
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def put(page: Path, name: str, table: str) -> None:
    """Replace what stands between ``<!-- NAME -->`` and ``<!-- /NAME -->``."""
    block = f"<!-- {name} -->\n{table}\n<!-- /{name} -->"
    text, found = re.subn(
        rf"<!-- {name} -->.*?<!-- /{name} -->",
        lambda _: block,
        page.read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )
    if found != 1:
        raise SystemExit(f"{page}: found {found} places marked {name}, expected one")
    page.write_text(text, encoding="utf-8", newline="\n")


def main() -> None:
    """Renew each table whose source exists, the count of claims, and the pictures."""
    sources = [*(source for _, source in TABLES.values()), CLAIMS, *PICTURES.values()]
    missing = [source for source in sources if not (ROOT / source).exists()]
    for name, (page, source) in TABLES.items():
        if source not in missing:
            put(ROOT / page, name, as_markdown(ROOT / source))
    if CLAIMS not in missing:
        put(ROOT / "README.md", "claims", claims_summary())
    for target, source in PICTURES.items():
        if source not in missing:
            (ROOT / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / source, ROOT / target)
    sys.stdout.writelines(f"{source}: no such file, what it fills is left as it is\n" for source in missing)


if __name__ == "__main__":
    main()
