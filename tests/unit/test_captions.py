"""Every result in the report says what paper it belongs to, over how many trials, and where 2021 comes from."""

import re
from pathlib import Path
from types import SimpleNamespace

import jinja2
import pytest
import yaml

ROOT = Path(__file__).parents[2]
RULES = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "workflow" / "rules").glob("*.smk")))
CAPTIONS = sorted(set(re.findall(r'caption="\.\./report/(\w+)\.rst"', RULES)))
CONFIG = yaml.safe_load((ROOT / "config" / "config.yaml").read_text("utf-8"))


def rendered(name):
    """Render a caption as the report does, and fail on a key that the config lacks."""
    text = (ROOT / "workflow" / "report" / f"{name}.rst").read_text("utf-8")
    template = jinja2.Template(text, undefined=jinja2.StrictUndefined)
    return template.render(snakemake=SimpleNamespace(config=CONFIG))


def test_every_caption_is_used():
    there = {path.stem for path in (ROOT / "workflow" / "report").glob("*.rst")}
    assert there == {*CAPTIONS, "workflow"}
    assert len(CAPTIONS) > 35


@pytest.mark.parametrize("name", CAPTIONS)
def test_a_caption_names_paper_trials_and_source(name):
    caption = rendered(name)
    assert re.search(r"(MASA|EBR) paper|the papers|EBR's", caption), caption
    assert re.search(r"\b(\d+|no|No|one|One|many) trials?\b|`trials`", caption), caption
    if not name.startswith("ebr_"):  # arms are simulated, and have no answers
        assert "2021" in caption or "no data" in caption, caption
