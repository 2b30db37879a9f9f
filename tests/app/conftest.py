"""A browser, servers and a page."""

import shutil

import pytest

from app.driven import Server, Tab


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="the browser test needs Playwright: pip install playwright"
    )
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        pytest.skip("the browser test needs a browser: apt-get install chromium")
    with playwright.sync_playwright() as driver:
        rebound = "--host-resolver-rules=MAP evil.example 127.0.0.1"
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", rebound]
        started = driver.chromium.launch(executable_path=found, args=arguments)
        yield started
        started.close()


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    running = Server(tmp_path_factory.mktemp("app") / "projects")
    yield running
    running.end()


@pytest.fixture
def server(started):
    """The server of all tests that run no command, without projects."""
    yield started
    for project in started.folder.iterdir():
        shutil.rmtree(project)


@pytest.fixture
def own(tmp_path):
    running = Server(tmp_path / "projects")
    yield running
    if running.process.poll() is None:
        running.end()


@pytest.fixture
def tab(browser, server):
    opened = Tab(browser, server)
    yield opened
    opened.context.close()
