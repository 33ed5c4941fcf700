"""A real browser for tests: Chromium without a window, driven through its own driver."""

import base64
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

_PATIENCE = 30.0
_READY = "return document.documentElement.dataset.ready === 'true'"
_IDLE = "return !document.getElementById('main').hasAttribute('aria-busy')"


def programs() -> tuple[str, str] | None:
    """The paths of Chromium and of its driver, or None where one is missing."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    return None if chromium is None or driver is None else (chromium, driver)


def required() -> None:
    """Skip a test where there is no browser; in CI that is a failure."""
    if programs() is not None:
        return
    reason = "chromium and chromedriver are not installed (Debian: chromium chromium-driver)"
    if os.environ.get("CI") or os.environ.get("RAG_JUDGE_CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@dataclass
class Browser:
    """An open browser; what its console says is collected, network requests too."""

    driver: webdriver.Chrome

    def open(self, address: str) -> None:
        """Open a page of a report anew, and wait until it is drawn."""
        self.driver.get("about:blank")
        self.driver.get(address)
        self.wait(lambda: self.run(_READY))

    def go(self, hash_: str) -> None:
        """Go to another view of the page that is open."""
        self.run("location.hash = arguments[0]", hash_)
        self.run("return new Promise(requestAnimationFrame)")
        self.wait(lambda: self.run(_IDLE))

    def wait(self, happened: Callable[[], Any]) -> None:
        """Wait until something happened."""
        end = time.monotonic() + _PATIENCE
        while not happened():
            if time.monotonic() > end:
                raise AssertionError(f"it did not happen: {self.text('body')[:500]}")
            time.sleep(0.02)

    def run(self, script: str, *arguments: Any) -> Any:
        """Run JavaScript, as the console would."""
        return self.driver.execute_script(script, *arguments)

    def all(self, css: str) -> list[WebElement]:
        """The elements that a selector finds."""
        return self.driver.find_elements(By.CSS_SELECTOR, css)

    def one(self, css: str) -> WebElement:
        """The first of them."""
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def text(self, css: str = "main") -> str:
        """What the first of them says, hidden text too."""
        return str(self.run("return document.querySelector(arguments[0]).textContent", css))

    def choose(self, label: str, value: str) -> None:
        """Choose a value of the select with a label."""
        self.run(
            """const select = [...document.querySelectorAll('label.choice')]
                 .find((l) => l.firstChild.textContent === arguments[0]).querySelector('select');
               select.value = arguments[1];
               select.dispatchEvent(new Event('change'));""",
            label,
            value,
        )
        self.run("return new Promise(requestAnimationFrame)")
        self.wait(lambda: self.run(_IDLE))

    def complaints(self) -> list[str]:
        """What the console said since the last time, of any severity."""
        log = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        return [str(entry["message"]) for entry in log]

    def emulate(self, **features: str) -> None:
        """Set CSS media features, such as prefers_color_scheme="dark"."""
        named = [{"name": n.replace("_", "-"), "value": v} for n, v in features.items()]
        self.command("Emulation.setEmulatedMedia", features=named)

    def resize(self, width: int, height: int) -> None:
        """Set the size of the page in CSS pixels."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.command("Emulation.setDeviceMetricsOverride", **size)

    def command(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Send a command of the DevTools protocol."""
        return dict(self.driver.execute_cdp_cmd(name, arguments))

    def shoot(self, path: Path, most: int = 3000) -> None:
        """Save a picture of the whole page as PNG, cut at `most` pixels of height."""
        width, height = self.run("return [innerWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, most), "scale": 1}
        shot = self.command("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def browser() -> Iterator[Browser]:
    """Start a browser that is closed in the end.

    Raises:
        RuntimeError: there is none.
    """
    found = programs()
    if found is None:
        raise RuntimeError("there is no chromium")
    options = webdriver.ChromeOptions()
    options.binary_location = found[0]
    for flag in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "window-size=1280,900"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(found[1]))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
