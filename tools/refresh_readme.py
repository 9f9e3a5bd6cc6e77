"""Put the figures of the last full run into README.md: the generated tables between their marks, and pictures.

Run after `make reproduce`: ``python tools/refresh_readme.py``.
"""

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLES = {"table_1": "results/table_1.md"}
PICTURES = {"docs/images/figure_5.png": "figures/masa/figure_5.png"}


def main() -> None:
    """Replace what stands between ``<!-- NAME -->`` and ``<!-- /NAME -->``, and copy the pictures."""
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    for name, source in TABLES.items():
        table = (ROOT / source).read_text(encoding="utf-8").strip()
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
