"""A batch of 300 conversations with six causes, read in a browser."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from web.browser import page_of, picture, press, serious
from web.causes_batch import fill
from web.serving import Server
from web.test_browser import filled

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]

FIRST, SECOND = "01J0000000000000000000000C", "01J0000000000000000000000D"
SIZES = [(400, "dark"), (1000, "light"), (1600, "light")]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server over two runs of a name: six causes, then one."""
    folder = tmp_path_factory.mktemp("served")
    filled(fill(folder / ".sparring" / "sparring.db"))
    filled(fill(folder / ".sparring" / "sparring.db", id=SECOND, shift=14))
    with Server(folder) as server:
        yield server


def opened(page: Any, served: Server, path: str) -> None:
    """Open a page, and wait until it does not count anymore."""
    page.goto(served.address + path)
    page.wait_for_selector("main:not(:has([data-reload]))")


def test_three_keys_or_one_click_lead_to_the_turn_that_shows_the_second_cause(browser: Any, served: Server):
    with page_of(browser, width=1600) as page:
        opened(page, served, f"/batches/{FIRST}")
        title = page.inner_text(".cause h3 >> nth=1")
        for key in ("j", "j", "Enter"):
            press(page, key)
        page.wait_for_url("**/conversation?**#evidence")
        assert "anchov" in page.inner_text("#evidence mark.verdict")
        assert page.locator("#evidence").evaluate("each => each.getBoundingClientRect().bottom < innerHeight")

        opened(page, served, f"/batches/{FIRST}")
        page.click(f"text={title}")
        page.wait_for_url("**/conversation?**#evidence")
        assert "1 of 15" in page.inner_text(".bar")


def test_the_next_conversation_is_of_the_same_list(browser: Any, served: Server):
    with page_of(browser, width=1600) as page:
        opened(page, served, f"/batches/{FIRST}/conversations?scenario=drinks&outcome=failed")
        press(page, "j")
        page.wait_for_url("**/conversation?id=drinks%2F1%232&**")
        assert "2 of 15: failed, drinks" in page.inner_text(".bar")
        press(page, "e")
        assert page.evaluate("document.activeElement.classList.contains('hit')")
        press(page, "u")
        page.wait_for_url(f"**/batches/{FIRST}")


def test_a_failure_is_copied_as_a_scenario_that_can_be_planned(browser: Any, served: Server):
    with page_of(browser, width=1600) as page:
        opened(page, served, f"/batches/{FIRST}/conversations?cause=c-1e10d6")
        press(page, "s")
        page.wait_for_url("**/launch?from=**")
        text = page.input_value("textarea")
        assert ("Pizza Margarita" in text, "never_anchovies" in text) == (True, True)
        page.wait_for_selector("#plan [data-plan]")


def test_a_conversation_is_shown_beside_the_baseline(browser: Any, served: Server):
    with page_of(browser, width=1600) as page:
        opened(page, served, f"/batches/{SECOND}/conversation?id=drinks%2F1")
        press(page, "c")
        page.wait_for_url(f"**/compare/conversation?before={FIRST}**")
        assert page.locator("mark.removed").count()


def test_keys_are_shortcuts_of_what_is_visible_and_can_be_turned_off(browser: Any, served: Server):
    with page_of(browser, width=1600) as page:
        opened(page, served, f"/batches/{SECOND}")
        before = page.evaluate("document.activeElement.tagName")
        press(page, "Control+j")
        assert page.evaluate("document.activeElement.tagName") == before, "a key with a modifier is the browser's"
        press(page, "?")
        page.check("[data-keys-off]")
        page.click("#keys button")
        page.wait_for_selector("#keys", state="hidden")
        press(page, "c")
        assert "/batches/" in page.url
        press(page, "?")
        page.uncheck("[data-keys-off]")
        page.click("#keys button")
        page.wait_for_selector("#keys", state="hidden")
        press(page, "c")
        page.wait_for_url(re.compile(f"before={FIRST}&after={SECOND}"))


def test_a_comparison_shows_the_first_of_each_cause_then_fifty_pairs_a_page(browser: Any, served: Server):
    with page_of(browser, width=1600) as page:
        opened(page, served, f"/compare?before={SECOND}&after={FIRST}")
        assert page.inner_text(".banner b") == "WORSE on these cases:"
        assert "p < " not in page.inner_text(".banner .say"), "stands in the second line"
        assert "p < " in page.inner_text(".banner .also")
        assert page.locator(".difference").count() == 2
        assert page.inner_text("#causes >> xpath=../.. >> tbody tr >> nth=0").split("\t")[0] == "new"
        assert page.inner_text(".square td.worse b") == "90"
        pairs = page.locator("section[aria-labelledby=pairs] tbody tr")
        causes = [each.rpartition("\t")[2] for each in pairs.all_inner_texts()]
        assert (len(causes), len(set(causes))) == (7, 6), "each cause once among the worse, one among the better"
        page.click("text=88 more")
        page.wait_for_url("**show=changed**")
        assert pairs.count() == 50
        page.click("a[rel=next]")
        page.wait_for_url("**page=2**")
        assert pairs.count() == 45
        pairs.nth(44).locator("th a").click()
        page.wait_for_url("**/compare/conversation?**")


def test_the_badge_of_a_cause_with_a_long_title_is_one_line(browser: Any, served: Server):
    with page_of(browser) as page:
        opened(page, served, f"/batches/{SECOND}")
        page.evaluate("document.querySelector('.cause:has(.chip) h3').textContent = 'a long title '.repeat(30)")
        for width in (400, 1000, 1600):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.locator(".cause .chip").first.bounding_box()["height"] < 30, width


def test_a_sample_is_labelled_with_keys(browser: Any, served: Server):
    with page_of(browser) as page:
        opened(page, served, f"/batches/{SECOND}")
        press(page, "v")
        page.wait_for_selector("text=Conversation 1 of 50")
        press(page, "2")
        page.wait_for_selector("text=Conversation 2 of 50")
        press(page, "k")
        page.wait_for_selector(".chip:has-text('labelled')")


def test_pages_fit_every_screen_and_axe_finds_nothing_serious(browser: Any, served: Server):
    paths = {
        "causes-home": "/batches",
        "causes-batch": f"/batches/{FIRST}",
        "causes-by-rule": f"/batches/{FIRST}?by=rule",
        "causes-table": f"/batches/{FIRST}/conversations?view=table",
        "causes-label": f"/batches/{FIRST}/label",
        "causes-compare": f"/compare?before={SECOND}&after={FIRST}",
        "causes-pairs": f"/compare?before={SECOND}&after={FIRST}&show=changed",
        "causes-conversation": f"/batches/{FIRST}/conversations?cause=c-1e10d6",
    }
    troubles, heights = [], {}
    for width, scheme in SIZES:
        with page_of(browser, width=width, color_scheme=scheme) as page:
            for name, path in paths.items():
                opened(page, served, path)
                assert page.locator("main table tbody tr >> visible=true").count() or "table" not in name, (name, width)
                picture(page, f"{name}-{scheme}")
                if width != 1000:  # where pages look as they do at 1600
                    troubles += [(name, width, scheme, *each) for each in serious(page)]
                heights[name, width] = page.evaluate("document.documentElement.scrollHeight")
    assert troubles == []
    assert (heights["causes-batch", 1600] <= 1800, heights["causes-batch", 400] <= 5000) == (True, True), heights
    with page_of(browser, width=1440) as page:
        opened(page, served, paths["causes-compare"])
        compared = page.evaluate("document.documentElement.scrollHeight"), heights["causes-compare", 400]
        assert (compared[0] <= 1200, compared[1] <= 3000) == (True, True), compared
        answer = page.goto(f"{served.address}/batches/{FIRST}")
        assert len(answer.body()) <= 150_000
