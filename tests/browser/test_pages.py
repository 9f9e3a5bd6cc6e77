"""The report and the explorer as a reader sees them: no network, no errors, every figure, controls that work."""

import subprocess
from pathlib import Path

import pytest
from browser import CHROMIUM, DRIVER, browser, errors, requests
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

SCREENSHOTS = Path(__file__).parents[2] / "screenshots"

pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="chromium and chromium-driver are not installed"
)


@pytest.fixture(scope="module")
def pages(finished):
    """Return the project with its explorer and its report, the report built where there is no network."""
    finished.snakemake("--cores", "2", "explorer")
    command = finished.command("--report", "results/test/report.html")
    offline = ["unshare", "--net", *command] if can_leave_the_network() else command
    run = subprocess.run(
        offline,
        cwd=finished.folder,
        env=finished.environment({"PATH": "/usr/bin:/bin"}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    return finished.folder / "results/test"


def can_leave_the_network() -> bool:
    return subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def driver(tmp_path_factory):
    SCREENSHOTS.mkdir(exist_ok=True)
    with browser(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


def state(driver):
    """Return what is drawn: names, values and texts of every trace of every plot."""
    return driver.execute_script(
        "return Object.fromEntries([...document.querySelectorAll('.plot')].map((plot) => [plot.id, JSON.stringify("
        "plot.data.map((t) => [t.name, t.x, t.y, t.z, t.text, t.error_x]))]))"
    )


@pytest.fixture
def explorer(driver, pages):
    driver.get((pages / "explorer.html").as_uri())
    WebDriverWait(driver, 30).until(
        lambda page: (
            page.execute_script("return document.querySelectorAll('.plot.js-plotly-plot').length") == 4
        )
    )
    return driver


def test_the_explorer_draws_four_plots_without_an_error_or_a_request(explorer, pages):
    assert (pages / "explorer.html").stat().st_size < 10_000_000
    for plot in explorer.find_elements(By.CSS_SELECTOR, ".plot"):
        assert plot.is_displayed()
        assert plot.size["width"] > 300
        assert plot.size["height"] > 200
    shown = state(explorer)
    assert shown["errors"].count("MASA") == 1
    assert "positive" in shown["confusion"]
    explorer.save_screenshot(str(SCREENSHOTS / "explorer.png"))
    assert errors(explorer) == []
    assert requests(explorer) == []


@pytest.mark.parametrize(
    ("control", "choice", "changes", "keeps"),
    [
        ("case", "ibm_digit", {"errors", "sizes", "shares", "confusion"}, set()),
        ("difficulty", "old_api_confidence", {"errors", "shares"}, {"confusion"}),
        ("K", "1", {"errors"}, {"confusion", "shares"}),
        ("a", "0.1", {"errors"}, {"confusion", "shares"}),
        ("measure", "q95", {"errors"}, {"sizes", "shares", "confusion"}),
        ("budget", "500", {"shares"}, {"errors", "sizes", "confusion"}),
        ("matrix", "old", {"confusion"}, {"errors", "sizes", "shares"}),
    ],
)
def test_each_control_changes_its_plots_and_no_others(explorer, control, choice, changes, keeps):
    before = state(explorer)
    Select(explorer.find_element(By.ID, control)).select_by_value(choice)
    after = state(explorer)
    changed = {name for name in before if before[name] != after[name]}
    assert changed >= changes
    assert not changed & keeps
    assert errors(explorer) == []
    explorer.save_screenshot(str(SCREENSHOTS / f"explorer_{control}.png"))


def test_a_sampler_can_be_left_out_and_brought_back(explorer):
    before = state(explorer)
    box = explorer.find_element(By.ID, "sampler-uniform")
    box.click()
    without = state(explorer)
    assert "uniform" in before["errors"]
    assert "uniform" not in without["errors"]
    assert "uniform" not in without["sizes"]
    box.click()
    assert state(explorer) == before


def test_k_and_a_are_varied_one_at_a_time_and_the_page_says_so(explorer):
    Select(explorer.find_element(By.ID, "a")).select_by_value("0.1")
    Select(explorer.find_element(By.ID, "K")).select_by_value("1")
    assert explorer.find_element(By.ID, "a").get_property("value") == "1"
    assert "one at a time" in explorer.find_element(By.ID, "note").text


def test_the_page_names_the_source_of_2021(explorer):
    assert "reconstructed" in explorer.find_element(By.ID, "note").text


def test_the_report_opens_without_an_error_or_a_request_and_shows_the_workflow(driver, pages):
    driver.get((pages / "report.html").as_uri())
    WebDriverWait(driver, 60).until(lambda page: "MASA" in page.find_element(By.TAG_NAME, "body").text)
    text = driver.find_element(By.TAG_NAME, "body").text
    assert "Workflow" in text
    driver.save_screenshot(str(SCREENSHOTS / "report.png"))
    assert errors(driver) == []
    assert requests(driver) == []


def test_every_table_and_figure_of_the_report_is_in_the_file_with_a_caption(driver, pages):
    """Each result has a category, a caption of a sentence or more, and its bytes inside the page."""
    driver.get((pages / "report.html").as_uri())
    found = driver.execute_script(
        "return Object.entries(results).map(([path, r]) => [path, r.caption, r.data_uri, r.size, r.labels])"
    )
    paths = {Path(path).name for path, *_ in found}
    assert {"figure_5.svg", "table_1.csv", "figure_2.png"} <= paths
    for path, caption, content, _, labels in found:
        assert content.startswith("data:"), path
        assert len(caption or "") > 40, path
        assert labels, path
    images = [content for path, _, content, *_ in found if path.endswith((".png", ".svg"))]
    assert len(images) > 10
    for content in images:
        size = driver.execute_async_script(
            "const [uri, done] = arguments; const image = new Image(); image.onload = () => done(image.naturalWidth);"
            "image.onerror = () => done(0); image.src = uri;",
            content,
        )
        assert size > 100
    assert errors(driver) == []
    assert requests(driver) == []
