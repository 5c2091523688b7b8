"""Chromium for pages that a test scripts by itself: started once for many tests, of which each has a page of its own."""

import os

from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
OPTIONS = ("--no-sandbox", "--disable-gpu")

playwright = None
running = {}


def browser(*options):
    """One with these options besides; what was stored, cached and allowed in a page goes with it."""
    global playwright
    if options in running and not running[options].is_connected():
        end()
    playwright = playwright or sync_playwright().start()
    if options not in running:
        running[options] = playwright.chromium.launch(executable_path=CHROMIUM, args=[*OPTIONS, *options])
    return running[options]


def end():
    """Before anything that is to have the machine for itself, and at the end."""
    global playwright
    for one in running.values():
        one.close()
    running.clear()
    if playwright:
        playwright.stop()
        playwright = None
