"""A headless Chromium that notes what pages print and what they ask the network for."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")

ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--window-size=1280,1150",
)


@contextmanager
def browser(profile: Path) -> Iterator[webdriver.Chrome]:
    """Start Chromium with an empty profile, and end it."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in (*ARGUMENTS, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


def errors(driver: webdriver.Chrome) -> list[str]:
    """Return what the page printed as an error since the last call."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]


def requests(driver: webdriver.Chrome) -> list[str]:
    """Return the addresses that the page asked for since the last call, without those inside the page itself."""
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    addresses = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    return [
        address for address in addresses if not address.startswith(("file:", "data:", "blob:", "chrome:"))
    ]
