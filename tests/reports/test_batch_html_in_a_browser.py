from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from hostile_texts import HOSTILE
from reports.hostile_reports import a_report_that_says
from reports.whole import batch_html
from sparring.reports.html.formatting import shown
from web.browser import serious

pytestmark = pytest.mark.process

if TYPE_CHECKING:
    from playwright.sync_api import Browser


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "<b>report.html"
    path.write_text(batch_html(a_report_that_says(*HOSTILE)), encoding="utf-8")
    return path


def test_no_message_runs_or_loads_anything(browser: "Browser", file: Path):
    page = browser.new_page()
    heard: list[str] = []
    page.on("console", lambda said: heard.append(said.text))
    page.on("pageerror", lambda error: heard.append(str(error)))
    page.on("dialog", lambda dialog: heard.append(dialog.message))
    page.on("request", lambda request: heard.append(request.url))
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    for link in page.query_selector_all("a, mark")[:200]:
        link.dispatch_event("mouseover")
        link.dispatch_event("focus")

    assert page.evaluate("typeof pwned") == "undefined"
    assert heard == [file.as_uri()]
    assert page.evaluate("document.scripts.length") == 0
    assert page.evaluate("document.querySelectorAll('img, iframe, object, embed, base, link, video, math').length") == 0
    assert page.evaluate("document.querySelectorAll('a:not([href^=\"#\"])').length") == 0
    assert (
        page.evaluate(
            "[...document.querySelectorAll('*')].flatMap((each) => each.getAttributeNames()).filter((name) => "
            "name.startsWith('on') || name.startsWith('hx') || name === 'style')"
        )
        == []
    )
    said = page.evaluate("document.body.textContent")
    assert [text for text in HOSTILE if shown(text) not in said] == []
    page.close()


def test_a_link_opens_its_conversation_without_a_script(browser: "Browser", file: Path):
    context = browser.new_context(java_script_enabled=False, viewport={"width": 400, "height": 800})
    page = context.new_page()
    page.goto(f"{file.as_uri()}#c1")

    assert page.is_visible("#c1"), "a link to a conversation opens it"
    assert page.is_visible(".banner .say")
    context.close()


@pytest.mark.parametrize("width", [400, 1600])
def test_the_report_is_no_wider_than_the_window(browser: "Browser", file: Path, width: int):
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme="dark")
    page.goto(file.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_the_report_prints_in_dark_ink_under_any_color_scheme(browser: "Browser", file: Path):
    page = browser.new_page(viewport={"width": 794, "height": 1123}, color_scheme="dark")
    page.goto(file.as_uri())
    page.emulate_media(media="print", color_scheme="dark")

    colours = page.evaluate("[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]")
    assert colours == ["rgb(24, 26, 31)", "rgb(255, 255, 255)"]
    assert page.pdf()[:5] == b"%PDF-"
    page.close()


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (1600, "light")])
def test_axe_finds_nothing_serious(browser: "Browser", tmp_path: Path, width: int, scheme: Literal["dark", "light"]):
    path = tmp_path / "report.html"
    path.write_text(batch_html(a_report_that_says("plain words")), encoding="utf-8")
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(path.as_uri())
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    found = serious(page)
    page.close()

    assert found == []
