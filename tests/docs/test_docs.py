"""The commands of the documentation, run as they stand there, in a copy of the project with small settings."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
EXECUTED = ("reproduce", "results", "ablation", "add-a-sampler", "add-a-dataset")
SMALL = {
    "targets": ["table_1", "figure_2"],
    "cases": ["amazon_yelp", "ibm_digit"],
    "ablation": {"K": [1, 3], "a": [0.1, 1]},
}


def blocks(text, kind):
    """Fenced blocks of one kind."""
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def pages():
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "config/README.md"]


@pytest.fixture
def project(new_project, tmp_path):
    """Return a copy whose own settings are small, with git and make at hand."""
    project = new_project("project")
    path = project.folder / "config/config.yaml"
    config = yaml.safe_load(path.read_text(encoding="utf-8"))
    for key, value in {**yaml.safe_load((ROOT / "config/test.yaml").read_text()), **SMALL}.items():
        if isinstance(value, dict) and key != "folders":
            config[key] = merged(config[key], value)
        elif key != "folders":
            config[key] = value
    config["montecarlo"]["trials"] = 20
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return project


def merged(old, new):
    return {**old, **{k: merged(old[k], v) if isinstance(v, dict) else v for k, v in new.items()}}


def run_as_written(project, script):
    """Run commands in the copy, with the programs of this environment first."""
    programs = Path(sys.executable).parent
    run = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=project.folder,
        env={
            **project.environment(os.environ),
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "GIT_CEILING_DIRECTORIES": str(project.folder.parent),
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("page", EXECUTED)
def test_the_commands_of_a_page_work(project, page):
    text = (ROOT / f"docs/{page}.md").read_text(encoding="utf-8")
    for patch in blocks(text, "patch"):
        (project.folder / "root.patch").write_text(patch)
    commands = blocks(text, "sh")
    assert commands
    # Targets of make set up an environment of their own: that they exist is tested below.
    run_as_written(
        project, "\n".join(re.sub(r"^make .*$", ":", block, flags=re.MULTILINE) for block in commands)
    )


def test_the_readme_analyses_an_api_of_your_own(project):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition("## Your own API\n")[2].partition("\n## ")[0]
    whole, asked = blocks(section, "")
    run_as_written(project, whole + asked)
    results = project.folder / "results/mine"
    assert (results / "table_1.md").stat().st_size > 0
    assert len((results / "next_queries/mine/ask.csv").read_text().splitlines()) == 101


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.name)
def test_every_make_target_that_a_page_names_exists(page):
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert named <= targets


@pytest.mark.parametrize("page", pages(), ids=lambda path: path.name)
def test_every_file_that_a_page_links_to_exists(page):
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    assert not [link for link in local if not (page.parent / link).exists()]


def test_the_sampler_of_the_worked_example_is_short():
    text = (ROOT / "docs/add-a-sampler.md").read_text(encoding="utf-8")
    added = [line for line in blocks(text, "patch")[0].splitlines() if re.match(r"\+(?!\+\+)", line)]
    assert len(added) <= 30


def test_make_help_lists_every_target_on_one_line():
    # Under another make, this one would print the folder that it enters and leaves.
    command = ["make", "--no-print-directory", "help"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    phony = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split()
    assert [line.split()[1] for line in printed.splitlines()] != []
    assert {line.split()[1] for line in printed.splitlines()} == set(phony)
