"""Takes the pictures of the documentation: `make screenshots`, which needs Chromium.

A batch of the pizzeria with a planted fault, with a fixed seed, and before it one without, as its baseline.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import sync_playwright

import sparring

IMAGES = Path(__file__).parent / "images"
PIZZERIA = Path(__file__).parents[1] / "src/sparring_bots/pizzeria"
FAULTS = ("", "wrong_total")
LARGEST = 150_000
"""Bytes of a picture."""


def main() -> int:
    """Take the pictures. Return 1 if one is too large."""
    IMAGES.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        for fault in FAULTS:
            chatbot = f"pizzeria:fault={fault}" if fault else "pizzeria"
            scenarios, rules = PIZZERIA / "scenarios", PIZZERIA / "rules"
            sparring.run(scenarios, chatbot, rules=[rules], model="offline", seed=7, name="pizzeria-release")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        server = subprocess.Popen([sys.executable, "-m", "sparring", "serve", "--port", str(port)])
        try:
            _wait(port)
            _take(f"http://127.0.0.1:{port}/batches/{sparring.results().id}", IMAGES / "batch.png")
        finally:
            server.terminate()
            server.wait(30)
    sizes = {each.name: each.stat().st_size for each in IMAGES.glob("*.png")}
    print(*(f"{name}: {size:,} bytes" for name, size in sizes.items()), sep="\n")  # noqa: T201
    return int(max(sizes.values()) > LARGEST)


def _wait(port: int) -> None:
    for _ in range(1200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("the server does not start")


def _take(address: str, path: Path) -> None:
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(address)
        page.wait_for_selector("main:not(:has([data-reload]))", timeout=300_000)
        page.screenshot(path=path)
        browser.close()
    Image.open(path).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)


if __name__ == "__main__":
    raise SystemExit(main())
