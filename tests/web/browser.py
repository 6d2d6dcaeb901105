"""A real browser, where there is one: Debian's Chromium, driven through playwright.

With SPARRING_SCREENSHOTS=1, pictures of the pages go into .screenshots/.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PICTURES = Path(__file__).parents[2] / ".screenshots"
WIDTHS = (400, 1600)
AXE = Path(__file__).parent / "axe" / "axe.min.js"


@contextmanager
def page_of(opened: Any, *, width: int = 1200, **options: Any) -> Iterator[Any]:
    """A page of its own, on which nothing may go wrong unseen."""
    context = opened.new_context(viewport={"width": width, "height": 900}, **options)
    page = context.new_page()
    page.set_default_timeout(100_000)  # many times what it takes: a busy machine is slow
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(f"a dialog: {dialog.message}"))
    page.on("console", lambda message: "Content Security Policy" in message.text and wrong.append(message.text))
    try:
        yield page
        assert wrong == []
    finally:
        context.close()


def press(page: Any, key: str) -> None:
    """Press a key once the page listens to it: its text is there before its scripts are."""
    page.wait_for_load_state()
    page.keyboard.press(key)


def picture(page: Any, name: str) -> None:
    """No page may be wider than the window. Take a picture of the whole page, for people, if they ask for it."""
    width = page.viewport_size["width"]
    if os.environ.get("SPARRING_SCREENSHOTS"):
        PICTURES.mkdir(exist_ok=True)
        page.screenshot(path=str(PICTURES / f"{name}-{width}.png"), full_page=True)
    wide = page.evaluate(
        """width => [...document.querySelectorAll("body *")]
            .filter(each => each.getBoundingClientRect().right > width + 1 && !each.closest(".wide"))
            .map(each => each.outerHTML.slice(0, 120)).slice(0, 5)""",
        width,
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width, wide)


def pictures(page: Any, name: str) -> None:
    """Pictures at both widths, wherever the page stands; its own width is kept."""
    before = page.viewport_size
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        picture(page, name)
    page.set_viewport_size(before)


def serious(page: Any) -> list[tuple[str, list[str]]]:
    """What axe finds serious or critical about a page: the rule, and where."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    return [
        (each["id"], [node["html"][:200] for node in each["nodes"]][:3])
        for each in page.evaluate("axe.run({ resultTypes: ['violations'] }).then(found => found.violations)")
        if each["impact"] in ("serious", "critical")
    ]
