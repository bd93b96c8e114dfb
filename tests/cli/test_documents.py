"""A crawl that reads documents, as the how-to page tells it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from honeyguide.cli.main import main
from honeyguide.runs import open_run
from small_documents import docx, epub, odt, pdf

HOW_TO = Path(__file__).parent.parent.parent / "docs" / "howto" / "read-documents.md"
ENCRYPTED = "/Encrypt << /Filter /Standard /V 1 /R 2 /O (" + "o" * 32 + ") /U (" + "u" * 32 + ") /P -4 >>"


def test_the_how_to_about_documents_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """A PDF, three office files, and three hostile files of which each costs one page and one line."""
    pytest.importorskip("pypdfium2", reason="needs the extra documents")
    monkeypatch.chdir(tmp_path)
    files = {
        "a.docx": docx(), "b.odt": odt(), "c.epub": epub(), "d.pdf": pdf("Basalt is a dark rock.", title="Dark rock"),
        "encrypted.pdf": pdf("x", extra=ENCRYPTED), "cut.pdf": pdf("x")[:200], "cut.docx": docx()[:500],
    }  # fmt: skip
    (tmp_path / "papers").mkdir()
    for name, body in files.items():
        (tmp_path / "papers" / name).write_bytes(body)
    links = "".join(f'<p><a href="{name}">rock {name}</a></p>' for name in files)
    (tmp_path / "papers" / "index.html").write_text(f"<p>rock</p>{links}", encoding="utf-8")
    (commands,) = re.findall(r"```\n(honeyguide .*?)```", HOW_TO.read_text(encoding="utf-8"), flags=re.DOTALL)
    for line in commands.replace("\\\n", "").splitlines():
        assert main(line.removeprefix("honeyguide ").split()) == 0, line
    lines = capfd.readouterr().err.splitlines()
    assert "http://papers.test/encrypted.pdf: the PDF is encrypted and asks for a password" in lines
    assert not any("Traceback" in line for line in lines)
    rows = [json.loads(line) for line in (tmp_path / "papers.jsonl").read_text(encoding="utf-8").splitlines()]
    titles = {row["url"].rpartition("/")[2]: row["title"] for row in rows}
    assert titles == {"": "", "a.docx": "On basalt", "b.odt": "On basalt", "c.epub": "On basalt", "d.pdf": "Dark rock"}
    with open_run(tmp_path / "papers-run") as run:
        assert run.progress.pages == 5
