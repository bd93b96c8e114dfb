"""A document that would take too long or too much memory costs one page, and the crawl goes on."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import pytest

from honeyguide.cli.main import main
from honeyguide.runs import open_run
from small_documents import pdf

if TYPE_CHECKING:
    from pathlib import Path


def pdf_bomb() -> bytes:
    """A page with a million texts, packed into a few kilobytes."""
    packed = zlib.compress(b"BT /F1 12 Tf " + b"20 700 Td (abc def) Tj " * 1_500_000 + b"ET", 9)
    body = pdf("x")
    begin, end = body.index(b"<< /Length"), body.index(b"endstream") + len(b"endstream")
    head = b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(packed)
    return body[:begin] + head + packed + b"\nendstream" + body[end:]


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        ("parse.deadline_s=1", "took over 1 s of processor time"),
        ("parse.max_memory_megabytes=300", "the process that read it ended"),
    ],
)
def test_a_pdf_bomb_costs_one_page(tmp_path: Path, limit: str, reason: str) -> None:
    pytest.importorskip("pypdfium2", reason="needs the extra documents")
    site = tmp_path / "site"
    site.mkdir()
    links = '<p>rock <a href="bomb.pdf">rock</a> <a href="good.pdf">rock</a></p>'
    (site / "index.html").write_text(links, encoding="utf-8")
    (site / "bomb.pdf").write_bytes(pdf_bomb())
    (site / "good.pdf").write_bytes(pdf("Basalt is a rock."))
    flags = ["--topic", "rock", "--documents", "--world", f"site:{site}@http://s.test/", "--seed-url", "http://s.test/"]
    assert main(["crawl", str(tmp_path / "run"), *flags, "--budget", "9", "--set", limit]) == 0
    with open_run(tmp_path / "run") as run:
        told = {step.url.path_and_query: str(step.detail) for step in run.steps()}
        assert run.progress.pages == 2
    assert reason in told["/bomb.pdf"]
