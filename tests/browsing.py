"""A real browser for tests: Chromium driven by Playwright, and axe-core, which knows what pages owe to everybody."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PATIENCE = 120_000.0  # milliseconds: a busy machine is slow, and a test that goes well never waits so long
NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",  # there is none for root, as in containers; pages come from this machine only
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def open_browser() -> Iterator[Browser]:
    """Give a browser, for a fixture; where there is none the tests are skipped."""
    playwright = pytest.importorskip("playwright.sync_api", reason="no Playwright: make browser installs it")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("no Chromium on this machine: make browser installs one")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=list(ARGUMENTS), timeout=PATIENCE)
        yield browser
        browser.close()


def open_page(browser: Browser, **options: Any) -> Page:
    """Open an empty page in a context of its own, which waits with patience."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE)
    return context.new_page()


def complaints(page: Page) -> list[str]:
    """List what axe-core finds wrong with a page, each with where it is."""
    from axe_playwright_python.sync_playwright import Axe

    found: list[dict[str, Any]] = Axe().run(page).response["violations"]
    return [f"{one['id']}: {[node['target'] for node in one['nodes']][:5]}" for one in found]
