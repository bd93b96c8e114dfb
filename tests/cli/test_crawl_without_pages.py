"""A crawl that brings no page says why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from honeyguide.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_a_crawl_without_a_page_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["crawl", str(tmp_path / "run"), "--topic", "geology", "--keyword", "rock", "--judge", "keyword"]
    seed = ["--seed-url", "http://127.0.0.1:9/", "--contact", "someone@example.org", "--strategy", "breadth-first"]
    assert main([*arguments, *seed]) == 0
    told = capsys.readouterr().out
    assert "no page       1 address" in told
    assert "http://127.0.0.1:9/ refused, address: 127.0.0.1 is a loopback address" in told
    assert "allow_private" in told
    assert main(["results", str(tmp_path / "run"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["without_page"] == {"address": 1}
