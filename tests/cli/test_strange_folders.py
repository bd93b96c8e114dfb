"""A run folder from a stranger is data: it opens no file outside of it, imports nothing and is not followed."""

from __future__ import annotations

import gzip
import os
import sqlite3
import struct
import sys
from shutil import copytree
from typing import TYPE_CHECKING

import pytest

import honeyguide
from crawler.small_crawls import settings_for
from honeyguide.crawler.reporting import write_report
from honeyguide.errors import HoneyguideError, RunDamaged, SettingsError
from honeyguide.runs import RunFolder, RunLock, open_run
from honeyguide.runs.repair import repair
from honeyguide.search import search_runs
from honeyguide.search.page_index import IndexLock
from honeyguide.settings import with_overrides

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Cli, Refusal

LINKED = ["lock", "index.lock", "report.html", "crawl.sqlite", "crawl.sqlite-wal", "settings.toml", "honeyguide.json",
          "index", "archive", "settings.toml.draft", "index/pages/meta.json"]  # fmt: skip


@pytest.fixture(scope="session")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("strange") / "run"
    honeyguide.crawl(run, settings_for("breadth-first", budget=20)).close()
    search_runs(run, "rock")
    return run


@pytest.fixture
def run(tmp_path: Path, crawled: Path) -> Path:
    """A copy, as it comes from someone else."""
    return copytree(crawled, tmp_path / "run")


def _set(run: Path, section: str, line: str) -> None:
    """Change one line of the settings, as a stranger would have."""
    name = line.partition("=")[0]
    file, lines, inside = run / "settings.toml", [], False
    for old in file.read_text(encoding="utf-8").splitlines():
        inside = old == f"[{section}]" if old.startswith("[") else inside
        lines.append(line if inside and old.startswith(f"{name.strip()} =") else old)
    assert line in lines
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


class TestLinks:
    @pytest.mark.parametrize("name", LINKED)
    def test_a_symbolic_link_in_a_run_is_refused_and_its_target_untouched(
        self, run: Path, name: str, tmp_path: Path
    ) -> None:
        target, place = tmp_path / "precious", run / name
        if place.exists():
            place.rename(target)
        else:
            target.write_bytes(b"precious")
        before = target.read_bytes() if target.is_file() else sorted(target.rglob("*"))
        place.symlink_to(target)
        for act in (honeyguide.resume, open_run, write_report, lambda run: search_runs(run, "rock")):
            with pytest.raises(RunDamaged, match="is a symbolic link, which no run has"):
                act(run)
        assert (target.read_bytes() if target.is_file() else sorted(target.rglob("*"))) == before

    def test_a_pipe_is_refused_rather_than_waited_for(self, run: Path) -> None:
        (run / "report.html").unlink(missing_ok=True)
        os.mkfifo(run / "report.html")
        with pytest.raises(RunDamaged, match="is no plain file"):
            open_run(run)
        (run / "honeyguide.json").unlink()
        os.mkfifo(run / "honeyguide.json")
        with pytest.raises(RunDamaged, match="is no plain file"):
            open_run(run)

    @pytest.mark.parametrize(
        ("lock", "name"), [(lambda run: RunLock(RunFolder(run)), "lock"), (IndexLock, "index.lock")]
    )
    def test_a_lock_is_not_taken_through_a_link(self, tmp_path: Path, lock: object, name: str) -> None:
        (tmp_path / "precious").write_bytes(b"precious")
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / name).symlink_to(tmp_path / "precious")
        with pytest.raises((OSError, HoneyguideError), match="symbolic links"):
            lock(tmp_path / "run")  # type: ignore[operator]
        assert (tmp_path / "precious").read_bytes() == b"precious"

    def test_a_run_may_itself_be_reached_through_a_link(self, run: Path, tmp_path: Path) -> None:
        (tmp_path / "latest").symlink_to(run)
        with open_run(tmp_path / "latest") as opened:
            assert opened.progress.fetches == 20

    def test_folders_nested_without_end_are_no_trouble(self, run: Path) -> None:
        deep = run / "index"
        for _ in range(1500):  # more than Python calls functions within one another
            deep /= "d"
            deep.mkdir()
        try:
            with open_run(run) as opened:
                assert opened.size_bytes() > 0
        finally:
            while deep.name == "d":  # pytest could not remove them
                deep.rmdir()
                deep = deep.parent


def _write_hot_journal(database: Path, victim: Path) -> None:
    """Write a journal that SQLite would roll back, and then delete the file that it names as its parent."""
    magic, page = bytes.fromhex("d9d505f920a163d7"), 4096
    head = magic + struct.pack(">IIIII", 0, 0, database.stat().st_size // page, 512, page)
    name = bytes(victim)
    tail = struct.pack(">I", (1 << 30) // page + 1) + name + struct.pack(">II", len(name), sum(name)) + magic
    database.with_name(f"{database.name}-journal").write_bytes(head.ljust(512, b"\0") + tail)


class TestTables:
    @pytest.mark.parametrize(
        "script",
        [
            "ALTER TABLE pages RENAME TO real; CREATE VIEW pages AS SELECT * FROM real",
            "CREATE TRIGGER late AFTER INSERT ON steps BEGIN DELETE FROM pages; END",
            "CREATE TABLE more (one INTEGER)",
            "CREATE INDEX more ON links (url)",
            "ALTER TABLE pages ADD COLUMN more TEXT AS (printf('%.*c', 800000000, 'x'))",
        ],
    )
    def test_what_no_run_has_is_refused(self, run: Path, script: str) -> None:
        with sqlite3.connect(run / "crawl.sqlite") as database:
            database.executescript(script)
        database.close()
        for act in (open_run, honeyguide.resume):
            with pytest.raises(RunDamaged, match="which no run has"):
                act(run)

    def test_a_table_that_hides_behind_a_comment_is_refused(self, run: Path) -> None:
        with sqlite3.connect(run / "crawl.sqlite") as database:
            (sql,) = database.execute("SELECT sql FROM sqlite_master WHERE name = 'steps'").fetchone()
            more = "DEFAULT '--', more TEXT AS (printf('%.*c', 800000000, 'x')), last TEXT DEFAULT '\n'"
            database.executescript("PRAGMA writable_schema = ON")
            database.execute(
                "UPDATE sqlite_master SET sql = ? WHERE name = 'steps'", (sql.replace("DEFAULT ''", more, 1),)
            )
        database.close()
        with pytest.raises(RunDamaged, match="which no run has"):
            open_run(run)

    def test_a_text_for_the_number_of_an_archive_file_leads_nowhere(self, tmp_path: Path) -> None:
        run = tmp_path / "run"
        honeyguide.crawl(run, settings_for("breadth-first", budget=5, store__archive="warc")).close()
        (run / "archive" / "pages-").mkdir()
        (tmp_path / "mine.warc.gz").write_bytes(b"precious")
        with sqlite3.connect(run / "crawl.sqlite") as database:
            (sql,) = database.execute("SELECT sql FROM sqlite_master WHERE name = 'archive'").fetchone()
            for table in (sql.replace(" STRICT", ""), sql):  # a table may lie about what it holds
                database.executescript("PRAGMA writable_schema = ON")
                database.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'archive'", (table,))
                database.commit()
                database.executescript("PRAGMA writable_schema = RESET")
                if table != sql:
                    database.execute("UPDATE archive SET file = '/../../../mine', offset = 0, end = 0")
                    database.commit()
        database.close()
        with pytest.raises(RunDamaged, match=r"has '/\.\./\.\./\.\./mine' for a place in the archive"):
            honeyguide.resume(run, budget=10)
        with open_run(run) as opened, pytest.raises(RunDamaged, match="for a place in the archive"):
            opened.body(next(opened.pages()).url)
        assert (tmp_path / "mine.warc.gz").read_bytes() == b"precious"

    def test_a_table_takes_no_value_of_another_type(self, run: Path) -> None:
        with sqlite3.connect(run / "crawl.sqlite") as database, pytest.raises(sqlite3.IntegrityError):
            database.execute("UPDATE steps SET link = 'text'")
        database.close()

    def test_a_journal_that_names_a_file_to_delete_is_refused(self, run: Path, tmp_path: Path) -> None:
        precious = tmp_path / "precious"
        precious.write_bytes(b"precious")
        with sqlite3.connect(run / "crawl.sqlite") as database:
            database.execute("PRAGMA journal_mode = DELETE")
        database.close()
        _write_hot_journal(run / "crawl.sqlite", precious)
        for act in (open_run, honeyguide.resume, lambda run: repair(run, tmp_path / "new")):
            with pytest.raises(RunDamaged, match=r"crawl\.sqlite-journal is a file that no run has"):
                act(run)
        assert precious.exists()

    def test_a_body_longer_than_any_crawl_stores_is_not_unpacked(self, tmp_path: Path) -> None:
        run = tmp_path / "run"
        honeyguide.crawl(run, settings_for("breadth-first", budget=5, store__archive="warc")).close()
        file = run / "archive" / "pages-00000.warc.gz"
        offset = file.stat().st_size
        with file.open("ab") as raw, gzip.GzipFile(fileobj=raw, mode="wb", compresslevel=1) as packed:
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
            fields = b"WARC/1.1\r\nWARC-Type: response\r\nContent-Type: application/http\r\nContent-Length: %d\r\n\r\n"
            packed.write(fields % (len(head) + 110_000_000) + head)
            for _ in range(110):
                packed.write(bytes(1_000_000))
        with sqlite3.connect(run / "crawl.sqlite") as database:
            database.execute("UPDATE archive SET offset = ?", (offset,))
        database.close()
        with open_run(run) as opened, pytest.raises(RunDamaged, match="which no crawl wrote"):
            opened.body(next(opened.pages()).url)

    def test_a_body_that_claims_to_be_endless_is_not_unpacked(self, run: Path) -> None:
        bomb = bytes.fromhex("28b52ffd") + b"\xe0" + (1 << 50).to_bytes(8, "little") + b"\x01\x00\x00"
        with sqlite3.connect(run / "crawl.sqlite") as database:
            database.execute("UPDATE bodies SET body = ?", (bomb,))
        database.close()
        with open_run(run) as opened:
            url = next(opened.pages()).url
            with pytest.raises(RunDamaged, match="more than 100,000,000"):
                opened.body(url)


STRANGE = [
    ("judge", 'classifier = "evil_module:thing"'),
    ("judge", 'classifier = "model.skops"'),
    ("render", 'browser = "/bin/sh"'),
    ("fetch", 'proxies = ["http://proxy.test:3128"]'),
    ("fetch", 'proxy_login = "/etc/passwd"'),
    ("vectors", 'source = "/etc/passwd"'),
    ("vectors", 'cache_folder = "/tmp/elsewhere"'),
    ("search", 'blocked_words = "/dev/zero"'),
    ("crawl", 'world = "site:/etc@http://a.test/"'),
    ("crawl", 'world = "wiki:/data/wiki"'),
    ("crawl", 'starting_points = "/etc/passwd"'),
    ("topic", 'like = ["@/etc/passwd"]'),
    ("ask", 'url = "http://models.test/v1"'),
    ("ask", 'model = "of-a-stranger"'),
    ("ask", 'answers = "/home/somebody/run"'),
    ("vectors", 'encoder = "RUN/encoder"'),
]


_CLASSIFIER = """
class Halves:
    def predict_proba(self, texts):
        return [[0.5, 0.5] for _ in texts]

halves = Halves()
"""


class TestSettings:
    @pytest.mark.parametrize(("section", "line"), STRANGE)
    def test_what_a_copied_run_names_outside_of_it_must_be_given_again(
        self, run: Path, section: str, line: str, tmp_path: Path
    ) -> None:
        _set(run, section, line.replace("RUN", str(run)))
        key = f"{section}.{line.partition(' =')[0]}"
        refused = rf"names what is outside of the run: {key} = .*--trust"
        with pytest.raises(SettingsError, match=refused):
            honeyguide.resume(run, budget=30)
        with pytest.raises(SettingsError, match=refused):
            honeyguide.refresh(run, new_run=tmp_path / "new")
        assert not (tmp_path / "new").exists()

    def test_code_is_not_imported_unless_the_run_is_trusted(
        self, tmp_path: Path, refusal: Refusal, cli: Cli, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "module_of_a_stranger.py").write_text(_CLASSIFIER, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        own = {"judge.kind": "classifier", "judge.classifier": "module_of_a_stranger:halves"}
        honeyguide.crawl(tmp_path / "own", with_overrides(settings_for("breadth-first", budget=5), own)).close()
        run = copytree(tmp_path / "own", tmp_path / "copy")
        monkeypatch.delitem(sys.modules, "module_of_a_stranger")
        assert "judge.classifier = 'module_of_a_stranger:halves'" in refusal("resume", run, "--budget", "+5")
        assert "module_of_a_stranger" not in sys.modules
        cli("resume", run, "--budget", "+5", "--trust")
        assert "module_of_a_stranger" in sys.modules
        cli("resume", run, "--budget", "+5")  # what was trusted once stays so, here
        moved = run.rename(tmp_path / "moved")
        refusal("resume", moved, "--budget", "+5")
        cli("resume", moved, "--budget", "+5", "--set", "judge.classifier=module_of_a_stranger:halves")

    def test_nothing_is_built_from_the_settings_of_a_stranger(self, tmp_path: Path, refusal: Refusal, cli: Cli) -> None:
        honeyguide.crawl(tmp_path / "own", settings_for("breadth-first", budget=20, judge__kind="learned")).close()
        run = copytree(tmp_path / "own", tmp_path / "copy")
        (tmp_path / "page.html").write_text("<p>rock", encoding="utf-8")
        with open_run(run) as opened:
            url = next(opened.pages()).url.text
        _set(run, "judge", 'idf = "/dev/zero"')
        for command in (("ask", run, "--json"), ("answer", run, url, "yes"), ("judge", "--run", run, "page.html")):
            assert "judge.idf = '/dev/zero'" in refusal(*command)
        _set(run, "judge", 'idf = ""')
        _set(run, "vectors", f'cache_folder = "{tmp_path / "cache"}"')
        refusal("ask", run, "--json")
        cli("ask", run, "--json", "--trust")
        cli("answer", run, url, "yes")  # what was trusted once stays so, here

    def test_a_copied_run_is_answered_without_a_word_about_what_only_a_crawl_opens(
        self, tmp_path: Path, cli: Cli
    ) -> None:
        honeyguide.crawl(tmp_path / "own", settings_for("breadth-first", budget=20, judge__kind="learned")).close()
        run = copytree(tmp_path / "own", tmp_path / "copy")
        with open_run(run) as opened:
            url = next(opened.pages()).url.text
        _set(run, "crawl", 'world = "wiki:/nowhere"')
        _set(run, "render", 'browser = "/bin/false"')
        assert cli.json("ask", run)["questions"]
        cli("answer", run, url, "yes")

    def test_search_reads_no_list_and_no_vectors_that_a_stranger_names(self, run: Path, refusal: Refusal) -> None:
        _set(run, "search", 'blocked_words = "/dev/zero"')
        assert "search.blocked_words" in refusal("search", run, "rock")
        _set(run, "search", 'blocked_words = ""')
        _set(run, "vectors", 'source = "/dev/zero"')
        assert "vectors.source" in refusal("search", run, "rock", "--semantic")

    def test_a_run_of_ones_own_goes_on_without_a_word(self, tmp_path: Path) -> None:
        site, run = tmp_path / "site", tmp_path / "run"
        site.mkdir()
        for number in range(6):
            links = "".join(f"<a href={other}.html>rock {other}</a>" for other in range(6))
            (site / f"{number}.html").write_text(f"<p>rock {number}</p>{links}", encoding="utf-8")
        own = {"crawl.world": f"site:{site}@http://a.test/", "crawl.seed_urls": ["http://a.test/0.html"]}
        honeyguide.crawl(run, with_overrides(settings_for("breadth-first", budget=2), own)).close()
        with honeyguide.resume(run, budget=4) as gone_on:
            assert gone_on.progress.fetches == 4
        copied = copytree(run, tmp_path / "copy")
        with pytest.raises(SettingsError, match=r"crawl\.world = "):
            honeyguide.resume(copied, budget=6)
        with honeyguide.resume(copied, budget=6, trust=True) as gone_on:
            assert gone_on.progress.fetches == 6

    @pytest.mark.parametrize(
        ("section", "line"),
        [("crawl", 'strategy = "random"'), ("crawl", "seed = 9"), ("judge", 'kind = "keyword"'),
         ("crawl", 'world = "synthetic:seed=9"')],
    )  # fmt: skip
    def test_a_run_goes_on_only_as_what_it_began_as(self, run: Path, section: str, line: str) -> None:
        _set(run, section, line)
        with pytest.raises(SettingsError, match=rf"{section}\.{line.partition(' =')[0]} is .*, but .* began with"):
            honeyguide.resume(run, budget=30)

    @pytest.mark.parametrize("world", ["live", "synthetic+http"])
    def test_nor_does_it_go_on_in_a_world_of_another_kind(self, run: Path, world: str) -> None:
        with pytest.raises(SettingsError, match=r"crawl\.world is .*, but .* began with"):
            honeyguide.resume(run, {"crawl.world": world}, budget=30)
