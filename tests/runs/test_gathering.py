"""A run with shards reads as the run of one machine that it was taken apart from."""

from __future__ import annotations

import json
import shutil
import sqlite3
import zlib
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import honeyguide
from honeyguide.crawler.answering import RunToAnswer
from honeyguide.errors import RunDamaged, StoreError
from honeyguide.model import LinkState, Url
from honeyguide.runs import PageAnswer, RunFolder, RunLock, gather, open_run, stats
from honeyguide.runs.ranking import MEASURES, GraphSource, rank_graph
from honeyguide.runs.repair import repair
from honeyguide.runs.shards import shard_folder, shard_folders
from honeyguide.settings import settings_from
from split_runs import DATABASE, split
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from honeyguide.settings import Settings

FETCHES, MORE, SHARDS = 60, 30, 4


def by_name(host: str, count: int = SHARDS) -> int:
    return zlib.crc32(host.encode()) % count


def settings_of(archive: str = "store", judge: str = "keyword") -> Settings:
    return settings_from(
        {
            "topic": {"name": "geology", "keywords": ["rock", "mineral"]},
            "judge": {"kind": judge},
            "crawl": {"world": "synthetic:seed=3,pages=400,hosts=16,duplicate_share=0.2,mean_words=60", "seed": 3},
            "budget": {"fetches": FETCHES},
            "store": {"archive": archive},
            "search": {"live": "off"},
        }
    )


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl on one machine."""
    run = tmp_path_factory.mktemp("one") / "run"
    honeyguide.crawl(run, settings_of()).close()
    return run


@pytest.fixture(scope="module")
def longer(one: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same crawl, gone on."""
    run = tmp_path_factory.mktemp("longer") / "run"
    shutil.copytree(one, run)
    honeyguide.resume(run, budget=f"+{MORE}").close()
    return run


@pytest.fixture
def whole(one: Path, tmp_path: Path) -> Path:
    """The same crawl with shards."""
    return split(one, tmp_path / "whole", SHARDS, by_name)


def told(run: Path) -> dict[str, Any]:
    """All that a run tells, without the numbers of its links; of fetches that ended at once, the order is nobody's."""
    with open_run(run) as opened, closing(sqlite3.connect(run / DATABASE)) as database:
        select = database.execute
        ended = [moment for (moment,) in select("SELECT finished_at FROM steps ORDER BY step")]
        assert ended == sorted(ended)
        return {
            "steps": select(
                """SELECT l.url, chosen_at, finished_at, s.score, explored, outcome, status, reason, target, elapsed_s,
                     body_bytes, reward, c.row, c.weights, p.moment, p.print FROM steps s JOIN links l ON l.id = s.link
                   LEFT JOIN choices c USING (step) LEFT JOIN prints p USING (step) ORDER BY finished_at, l.url"""
            ).fetchall(),
            "pages": sorted(
                (page.url.text, page.title, page.relevance, page.depth, page.fetched_at, opened.body(page.url))
                for page in opened.pages()
            ),
            "links": select(
                """SELECT l.url, l.state, p.url, f.url, l.anchor, l.score, l.hops FROM links l
                   LEFT JOIN links p ON p.id = l.page LEFT JOIN links f ON f.id = l.found_on ORDER BY l.url"""
            ).fetchall(),
            "edges": sorted((source.text, target.text) for source, target in opened.edges()),
            "findings": sorted((finding.url.text, finding.kind) for finding in opened.guard_findings()),
            "seeds": sorted(url.text for url in opened.seed_urls()),
            "hosts": select("SELECT * FROM hosts ORDER BY host").fetchall(),
            "counts": {
                name: value
                for name, value in opened.progress._asdict().items()
                if name in ("steps", "pages", "relevant", "body_bytes", "waiting", "seeds", "now", "stop_reason")
            },
        }


@examples(max_examples=5)
@given(st.integers(1, 9), st.integers(0, 1000))
def test_any_partition_of_the_hosts_reads_as_the_whole_run(
    one: Path, tmp_path_factory: pytest.TempPathFactory, count: int, salt: int
) -> None:
    owner = lambda host: by_name(f"{salt} {host}", count)  # noqa: E731
    assert told(split(one, tmp_path_factory.mktemp("split") / "whole", count, owner)) == told(one)


def test_all_counts_of_a_gathered_run_are_those_of_the_whole_run(one: Path, whole: Path) -> None:
    found, expected = stats(whole), stats(one)
    for name in ("fetches", "pages", "relevant", "outcomes", "hosts", "top_hosts", "depths", "relevance", "patterns"):
        assert getattr(found, name) == getattr(expected, name), name


@pytest.mark.parametrize("by", MEASURES)
def test_ranks_over_the_shards_are_those_of_the_whole_run(one: Path, whole: Path, by: str) -> None:
    with open_run(one) as run, open_run(whole) as gathered:
        expected, found = rank_graph(GraphSource.of_run(run), by), rank_graph(GraphSource.of_run(gathered), by)
    assert len(found.source.parts) == SHARDS
    values = dict(zip(expected.graph.names, expected.values.tolist(), strict=True))
    assert dict(zip(found.graph.names, found.values.tolist(), strict=True)) == pytest.approx(values, abs=1e-9)
    assert (found.graph.edges, found.graph.self_loops) == (expected.graph.edges, expected.graph.self_loops)


def test_shards_that_have_gone_on_are_taken_in_behind_what_was_there(longer: Path, whole: Path) -> None:
    before = told(whole)
    split(longer, whole, SHARDS, by_name)
    after = told(whole)
    assert after == told(longer)
    assert after["steps"][:FETCHES] == before["steps"]
    assert len(after["steps"]) == FETCHES + MORE


def test_an_unchanged_run_is_not_gathered_again(whole: Path) -> None:
    assert gather(whole)
    assert not gather(whole)
    assert not gather(shard_folder(whole, 0))


def test_the_gathered_run_has_bodies_by_reference_only(one: Path, whole: Path) -> None:
    gather(whole)
    with closing(sqlite3.connect(whole / DATABASE)) as database:
        ((longest,),) = database.execute("SELECT max(length(body)) FROM bodies")
    assert longest < 30
    with open_run(one) as run:
        page = next(run.pages())
        body = run.body(page.url)
    number = by_name(page.url.host)
    with closing(sqlite3.connect(shard_folder(whole, number) / DATABASE)) as database:
        with open_run(whole) as run:
            assert run.body(page.url) == body
        database.execute("DELETE FROM bodies")
        database.commit()
    with open_run(whole) as run, pytest.raises(KeyError):
        run.body(page.url)


def test_archives_stay_in_the_shards_and_are_read_there(tmp_path: Path) -> None:
    run = tmp_path / "one"
    honeyguide.crawl(run, settings_of("warc")).close()
    whole = split(run, tmp_path / "whole", SHARDS, by_name)
    with open_run(run) as expected, open_run(whole) as found:
        bodies = {page.url: expected.body(page.url) for page in expected.pages()}
        assert {page.url: found.body(page.url) for page in found.pages()} == bodies
        responses = [len(each.records) for each in expected.recorded_exchanges().all({}, "a") if each]
        assert len([each for each in found.recorded_exchanges().all({}, "a") if each]) == len(responses)
    assert not (whole / "archive").exists()
    with RunToAnswer(whole):  # opens the store to write
        pass


def test_a_gathering_that_is_broken_off_leaves_the_run_as_it_was(tmp_path: Path, one: Path) -> None:
    whole = split(one, tmp_path / "whole", SHARDS, by_name)

    def stop(done: int, _: int) -> None:
        if done == SHARDS - 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gather(whole, on_progress=stop)
    with closing(sqlite3.connect(whole / DATABASE)) as database:
        assert database.execute("SELECT count(*) FROM links").fetchone() == (0,)
    assert told(whole) == told(one)


def test_a_reader_leaves_gathering_to_the_crawl_that_holds_the_run(longer: Path, whole: Path) -> None:
    gather(whole)
    split(longer, whole, SHARDS, by_name)
    with RunLock(RunFolder(whole)):
        with open_run(whole) as opened:
            assert opened.progress.steps == FETCHES
        assert gather(whole, lock_is_held=True)
        with open_run(whole) as opened:
            assert opened.progress.steps == FETCHES + MORE


def test_a_shard_that_begins_late_brings_its_seeds_before_all_other_links(one: Path, whole: Path) -> None:
    with open_run(one) as run:
        late = by_name(run.seed_urls()[0].host)
    folder = shard_folder(whole, late)
    about = json.loads((folder / "honeyguide.json").read_text())
    (folder / "honeyguide.json").write_text(json.dumps({**about, "has_started": False}))
    shutil.move(folder / DATABASE, whole.parent / "kept")
    gather(whole)
    with open_run(whole) as run:
        assert 0 < run.progress.steps < FETCHES
    shutil.move(whole.parent / "kept", folder / DATABASE)
    (folder / "honeyguide.json").write_text(json.dumps(about))
    assert told(whole) == told(one)


def test_what_a_shard_stores_while_it_is_read_waits_for_the_next_time(whole: Path) -> None:
    parts = [sqlite3.connect(folder / DATABASE) for folder in shard_folders(whole)]
    met_since: list[int] = []

    def read(shard: int, query: str, values: Any) -> Iterator[tuple[Any, ...]]:
        yield from parts[shard].execute(query, values).fetchall()
        if shard == 0 and "FROM pairs" in query and not met_since:  # the shard has been looked at, and goes on
            ((link, steps),) = (
                parts[0].execute("SELECT (SELECT max(id) + 1 FROM links), (SELECT max(step) FROM steps)").fetchall()
            )
            met_since.append(link)
            columns = "state, page, found_on, hops, anchor, description, score, row, level, carried"
            parts[0].execute(
                f"INSERT INTO links (id, url, {columns}) SELECT ?, ?, {columns} FROM links WHERE id = 0",
                (link, "http://late.test/"),
            )
            parts[0].execute("INSERT INTO skips VALUES (?, ?, 'dull', 1)", (link, steps))
            parts[0].execute("INSERT INTO pairs VALUES (?, 0.5, x'00')", (link,))
            parts[0].commit()

    def told_of(database: sqlite3.Connection) -> tuple[list[Any], list[Any]]:
        late = database.execute("SELECT reason FROM skips").fetchall()
        pairs = database.execute("SELECT l.url FROM pairs p LEFT JOIN links l ON l.id = p.link").fetchall()
        return late, [url for (url,) in pairs if url is None or "late" in url]

    gather(whole, lock_is_held=True, read=read)
    assert met_since
    with closing(sqlite3.connect(whole / DATABASE)) as database:
        assert told_of(database) == ([], [])
    gather(whole, lock_is_held=True, read=read)
    with closing(sqlite3.connect(whole / DATABASE)) as database:
        assert told_of(database) == ([("dull",)], ["http://late.test/"])
    for part in parts:
        part.close()


def test_a_link_that_no_owner_has_heard_of_is_on_its_way(whole: Path) -> None:
    with closing(sqlite3.connect(shard_folder(whole, 0) / DATABASE)) as database:
        ((number,),) = database.execute("SELECT max(id) + 1 FROM links")
        database.execute(
            "INSERT INTO links (id, url, state, page, anchor, description, score) VALUES (?, ?, ?, 0, '', x'', 0.0)",
            (number, "http://nowhere.test/", LinkState.ELSEWHERE),
        )
        database.commit()
    with open_run(whole) as run:
        history = run.history(Url.parse("http://nowhere.test/"))
        assert history is not None
        assert history.state == "handed over to the shard of its host"
        assert len(history.path) == 1
        assert run.graph().number("http://nowhere.test/") >= 0


def test_an_answer_about_a_gathered_run_is_taken_in_and_stays(tmp_path: Path) -> None:
    run = tmp_path / "one"
    honeyguide.crawl(run, settings_of(judge="learned"), vectors=hashed_vectors()).close()
    whole = split(run, tmp_path / "whole", SHARDS, by_name)
    with open_run(whole) as opened:
        page = next(opened.pages(best_first=True))
    with RunToAnswer(whole, hashed_vectors()) as to_answer:
        taken = to_answer.give(PageAnswer(page.url, "no", "person", "me"))
    assert taken is not None
    with open_run(whole) as opened:
        assert [(each.url, each.answer) for each in opened.answers()] == [(page.url, "no")]
        judged = opened.page(page.url)
    assert judged is not None
    assert judged.relevance < page.relevance


def test_a_run_looked_at_again_has_left_its_shards_behind(whole: Path) -> None:
    honeyguide.refresh(whole).close()
    with open_run(whole) as run:
        assert len(run.passes()) == 2
        steps = run.progress.steps
    (shard_folder(whole, 0) / DATABASE).touch()
    assert not gather(whole)
    with open_run(whole) as run:
        assert run.progress.steps == steps


def test_a_missing_shard_is_named_with_a_remedy(whole: Path) -> None:
    shutil.rmtree(shard_folder(whole, 2))
    with pytest.raises(RunDamaged, match=r"shards/002 is missing of the 4 shards .*: mount or copy the folder back"):
        open_run(whole)
    shutil.rmtree(shard_folder(whole, 3))
    with pytest.raises(RunDamaged, match=r"002 is missing, and 1 more, of"):
        open_run(whole)


def test_a_shard_without_its_database_is_damage(whole: Path) -> None:
    (shard_folder(whole, 1) / DATABASE).unlink()
    with pytest.raises(RunDamaged, match=r"shards/001 has no crawl\.sqlite; restore the shard"):
        open_run(whole)


def test_a_damaged_shard_is_named(whole: Path) -> None:
    file = shard_folder(whole, 1) / DATABASE
    file.write_bytes(b"no database at all" * 1000)
    with pytest.raises(RunDamaged, match=r"shards/001/crawl\.sqlite is damaged"):
        open_run(whole)


def test_a_shard_that_was_tampered_with_is_refused(whole: Path) -> None:
    with closing(sqlite3.connect(shard_folder(whole, 1) / DATABASE)) as database:
        database.execute("CREATE VIEW strange AS SELECT 1")
    with pytest.raises(RunDamaged, match="has a view 'strange', which no run has"):
        open_run(whole)


def test_a_shard_put_back_to_an_older_state_is_told_apart(one: Path, longer: Path, tmp_path: Path) -> None:
    whole = split(longer, tmp_path / "whole", SHARDS, by_name)
    gather(whole)
    split(one, whole, SHARDS, by_name)
    with pytest.raises(RunDamaged, match=r"it was put back to an older state; delete .*crawl\.sqlite"):
        open_run(whole)


@pytest.mark.parametrize(
    ("text", "told_as"),
    [
        ("{", "cannot be read"),
        ('{"format": 2, "shards": 4}', "has format 2, this program reads format 1"),
        ('{"format": 1, "shards": 0}', "names 0 shards"),
        ('{"format": 1, "shards": "four"}', "names 'four' shards"),
        ("[]", "cannot be read"),
    ],
)
def test_a_cluster_file_that_makes_no_sense_is_damage(whole: Path, text: str, told_as: str) -> None:
    (whole / "cluster.json").write_text(text)
    with pytest.raises(RunDamaged, match=told_as):
        open_run(whole)


def test_a_run_that_cannot_be_written_must_have_been_gathered(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide.runs.gathering.os.access", lambda *_: False)
    with pytest.raises(StoreError, match="was not gathered from its shards yet and cannot be written"):
        open_run(whole)


def test_a_damaged_gathered_database_can_be_deleted(one: Path, whole: Path) -> None:
    gather(whole)
    (whole / DATABASE).write_bytes(b"nothing" * 1000)
    with pytest.raises(RunDamaged, match="delete it, and it is gathered again from the shards"):
        open_run(whole)
    with pytest.raises(StoreError, match="is gathered from its shards: delete"):
        repair(whole, whole.parent / "new")
    for file in whole.glob(f"{DATABASE}*"):
        file.unlink()
    assert told(whole) == told(one)
