"""Runs of a scripted web, to be written in one format or another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crawler.driving import HandWired, script_settings
from honeyguide.model import Fetched, RefusalReason, Refused
from scripted_world import ScriptedWorld, page_with, redirect_to

if TYPE_CHECKING:
    from pathlib import Path

    from scripted_world import Script

WIKI: Script = {
    "http://w.test/wiki/A": page_with("/wiki/B", "/wiki/C%20c", "/wiki/B#part", "/wiki/File:X", "/wiki/A", "/w/x"),
    "http://w.test/wiki/B": page_with("/wiki/A", "/wiki/Caf%C3%A9"),
}

ODD_TITLE = '=HYPERLINK("x") & <b>"it\'s" \x01 …\u2028日本 \U0001f41d *star* [link](javascript:alert(1))'


def html(title: str, *targets: str, text: str = "") -> str:
    """A page with a title, a paragraph and links."""
    title = title.replace("&", "&amp;").replace("<", "&lt;")
    links = "".join(f'<p><a href="{target}">link</a></p>' for target in targets)
    return f"<html><head><title>{title}</title></head><body><main><p>{text}</p>{links}</main></body></html>"


ODD: Script = {
    # Relevant by its words; leads to a page through a redirect, to one that fails, and to one that robots.txt forbids.
    "http://s.test/": html("Rocks", "/odd", "/old", "/gone", "/private", "/hidden", text="Rock and mineral. " * 10),
    "http://s.test/odd": html(ODD_TITLE, "/", "/odd", text="+1 of a kind, said <i>nobody</i> & no one"),
    "http://s.test/old": redirect_to("http://t.test/new"),
    "http://t.test/new": html("", "http://s.test/", "http://s.test/odd", text="Mineral rock rock mineral. " * 10),
    "http://s.test/private": Refused(RefusalReason.ROBOTS, "/robots.txt forbids it"),
    "http://s.test/hidden": Fetched(200, "text/html", html("Hidden", "/").encode(), robots_tag="noindex"),
}


def crawled(path: Path, script: Script = WIKI, **overrides: object) -> Path:
    """A run of a script, without pauses."""
    HandWired(path, ScriptedWorld(script), script_settings("breadth-first", politeness__delay_s=0.0, **overrides)).run()
    return path


def odd_run(path: Path) -> Path:
    """Three pages, two of them relevant, with all that a page of a stranger may have in it."""
    return crawled(path, ODD, judge__kind="keyword", judge__threshold=0.1)
