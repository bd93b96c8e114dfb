"""Responses kept as WARC: readable by others, one member a record, and never more or less than the store holds."""

from __future__ import annotations

import gzip
import io
import sqlite3
import zlib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from honeyguide.errors import RunDamaged
from honeyguide.model import Answer, Cut, Exchange, Failed, FailureReason, Fetched, LinkId, Redirected, Unknown, Url
from honeyguide.model.outcome import whole_exchange
from honeyguide.runs import SqliteStore
from honeyguide.runs.archive import WarcArchive, fetch_records, file_name, read_body, warc_date
from runs.step_records import FIRST, found, visit

if TYPE_CHECKING:
    from pathlib import Path

ABOUT = {"software": "a test"}
URL = Url.parse("http://s.test/a?b=c")
SENT = ((b"Host", b"s.test"), (b"Proxy-Authorization", b"Basic secret"))
OK = Exchange("HTTP/1.1 200 OK", ((b"Content-Type", b"text/html"),), SENT, b"<p>rock")


def read(packed: bytes) -> list[dict[str, Any]]:
    """The records as warcio sees them, every digest checked."""
    records = []
    for record in ArchiveIterator(io.BytesIO(packed), check_digests="raise"):
        http = record.http_headers
        records.append(
            {
                "type": record.rec_type,
                "line": "" if http is None else http.statusline,
                "http": [] if http is None else http.headers,
                "body": record.content_stream().read(),
                **dict(record.rec_headers.headers),
            }
        )
    return records


def written(exchange: Exchange, url: Url = URL) -> list[dict[str, Any]]:
    return read(b"".join(fetch_records(exchange, url, {"WARC-Date": warc_date(0.5)}, step=3)))


def members(packed: bytes) -> int:
    count = 0
    while packed:
        unpacker = zlib.decompressobj(wbits=31)
        unpacker.decompress(packed)
        packed = unpacker.unused_data
        count += 1
    return count


def test_request_and_response_are_two_records_that_refer_to_one_another() -> None:
    response, request = written(OK)
    assert (response["type"], request["type"]) == ("response", "request")
    assert response["WARC-Target-URI"] == request["WARC-Target-URI"] == URL.text
    assert response["WARC-Date"] == request["WARC-Date"] == "1970-01-01T00:00:00.500000Z"
    assert request["WARC-Concurrent-To"] == response["WARC-Record-ID"]
    assert (response["line"], response["body"]) == ("200 OK", b"<p>rock")
    assert request["http"] == [("Host", "s.test")], "a login is nobody's business"
    assert {"WARC-Block-Digest", "WARC-Payload-Digest"} <= response.keys()


def test_headers_that_spoke_of_encoded_bytes_are_set_aside() -> None:
    headers = ((b"content-encoding", b"gzip"), (b"Transfer-Encoding", b"chunked"), (b"Content-Length", b"3"))
    (response, _) = written(Exchange("HTTP/1.1 200 OK", headers, SENT, b"four"))
    assert response["http"] == [
        ("X-Crawler-content-encoding", "gzip"),
        ("X-Crawler-Transfer-Encoding", "chunked"),
        ("X-Crawler-Content-Length", "3"),
        ("Content-Length", "4"),
    ]
    assert response["body"] == b"four"


def test_a_length_that_is_right_stays() -> None:
    (response,) = written(Exchange("HTTP/1.1 200 OK", ((b"CONTENT-LENGTH", b"4"),), (), b"four"))
    assert response["http"] == [("CONTENT-LENGTH", "4")]


def test_a_body_that_is_not_all_there_says_so() -> None:
    (response,) = written(Exchange("HTTP/1.1 404 Gone", ((b"Content-Length", b"9"),), (), b"", Cut.UNSPECIFIED))
    assert response["WARC-Truncated"] == "unspecified"
    assert ("Content-Length", "0") in response["http"]


@pytest.mark.parametrize(
    ("answer", "line", "cut"),
    [
        (Answer(Fetched(200, "text/html", b"x"), 0.0), "HTTP/1.1 200 OK", None),
        (Answer(Fetched(299, "", b""), 0.0), "HTTP/1.1 299", None),
        (Answer(Redirected(302, URL), 0.0), "HTTP/1.1 302 Found", None),
        (Answer(Failed(FailureReason.HTTP_STATUS, "404 Not Found", 404), 0.0), "HTTP/1.1 404 Not Found", None),
        (Answer(Failed(FailureReason.TOO_LARGE, "", 200), 0.0), "HTTP/1.1 200 OK", Cut.LENGTH),
        (Answer(Failed(FailureReason.HTTP_STATUS, "", 500), 0.0, exchange=Exchange("HTTP/1.0 500", (), SENT)),
         "HTTP/1.0 500", Cut.UNSPECIFIED),
    ],
)  # fmt: skip
def test_what_was_never_sent_is_made_up_from_the_outcome(answer: Answer, line: str, cut: Cut | None) -> None:
    exchange = whole_exchange(answer)
    assert exchange is not None
    assert (exchange.status_line, exchange.cut) == (line, cut)


@pytest.mark.parametrize("outcome", [Failed(FailureReason.TIMEOUT, "late"), Unknown("?")])
def test_where_nobody_answered_there_is_nothing_to_keep(outcome: Failed | Unknown) -> None:
    assert whole_exchange(Answer(outcome, 0.0)) is None


names = st.from_regex(rb"[!-9;-~]{1,20}", fullmatch=True)
values = st.binary(max_size=40)


@settings(max_examples=150, deadline=None)
@given(headers=st.lists(st.tuples(names, values), max_size=6).map(tuple), body=st.binary(max_size=300))
def test_no_header_and_no_body_breaks_a_record(headers: tuple[tuple[bytes, bytes], ...], body: bytes) -> None:
    records = list(fetch_records(Exchange("HTTP/1.1 200 OK", headers, SENT, body), URL, {"WARC-Date": "d"}, 1))
    assert [members(record) for record in records] == [1, 1]
    content = gzip.decompress(records[0])
    assert content.startswith(b"WARC/1.1\r\n")
    _, _, block = content.partition(b"\r\n\r\n")
    head, _, rest = block.partition(b"\r\n\r\n")
    assert rest == body + b"\r\n\r\n"
    assert len(head.split(b"\r\n")) in (len(headers) + 1, len(headers) + 2)


def opened(folder: Path, file_bytes: int = 10**9) -> SqliteStore:
    return SqliteStore(folder / "crawl.sqlite", WarcArchive(folder / "archive", ABOUT, file_bytes))


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "archive").iterdir())}


def test_a_step_is_read_back_from_where_the_store_says_it_lies(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.record(FIRST)
    store.record(visit(0, 1, [found(1)], body=b"one"))
    store.record(visit(1, 2, body=bytes(range(256))))
    bodies = [store.fetched(LinkId(link)).body for link in (0, 1)]
    store.close()
    assert bodies == [b"one", bytes(range(256))]
    database = sqlite3.connect(tmp_path / "crawl.sqlite")
    rows = database.execute("SELECT file, offset, end FROM archive ORDER BY step").fetchall()
    assert database.execute("SELECT body FROM bodies").fetchall() == [], "nothing is kept twice"
    database.close()
    assert [read_body(tmp_path / "archive", file, offset) for file, offset, _ in rows] == [b"one", bytes(range(256))]
    assert rows[-1][2] == (tmp_path / "archive" / file_name(0)).stat().st_size


def test_every_record_is_a_member_of_its_own_and_the_first_says_who_made_it(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.record(FIRST)
    store.record(visit(0, 1, [found(1)]))
    store.record(visit(1, 2))
    store.close()
    (packed,) = bytes_of(tmp_path).values()
    records = read(packed)
    assert [record["type"] for record in records] == ["warcinfo", "response", "response"]
    assert members(packed) == 3
    assert b"software: a test" in records[0]["body"]
    assert {record["WARC-Warcinfo-ID"] for record in records[1:]} == {records[0]["WARC-Record-ID"]}


def test_a_step_that_fails_leaves_nothing_in_the_archive(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.record(FIRST)
    store.record(visit(0, 1, [found(1)]))
    before = bytes_of(tmp_path)
    with pytest.raises(sqlite3.IntegrityError):
        store.record(visit(0, 2, [found(1)], body=b"again"))  # the page is there already
    assert bytes_of(tmp_path) == before
    store.record(visit(1, 2, body=b"after"))
    assert store.fetched(LinkId(1)).body == b"after"
    store.close()


def test_what_a_killed_process_wrote_beyond_its_last_step_is_cut_off(tmp_path: Path) -> None:
    store = opened(tmp_path, file_bytes=1)
    store.record(FIRST)
    store.record(visit(0, 1, [found(1)]))
    store.close()
    before = bytes_of(tmp_path)
    with (tmp_path / "archive" / file_name(0)).open("ab") as file:
        file.write(b"half a rec")
    (tmp_path / "archive" / file_name(1)).write_bytes(b"begun")
    (tmp_path / "archive" / "notes.txt").write_bytes(b"mine")
    opened(tmp_path, file_bytes=1).close()
    after = bytes_of(tmp_path)
    assert after.pop("notes.txt") == b"mine"
    assert after == before


def test_an_archive_that_has_lost_its_end_is_refused(tmp_path: Path) -> None:
    store = opened(tmp_path)
    store.record(FIRST)
    store.record(visit(0, 1))
    store.close()
    (tmp_path / "archive" / file_name(0)).write_bytes(b"")
    with pytest.raises(RunDamaged, match="has lost its end; restore it"):
        opened(tmp_path)


def test_a_file_that_has_its_size_is_followed_by_another(tmp_path: Path) -> None:
    store = opened(tmp_path, file_bytes=1)
    store.record(FIRST)
    for step in range(1, 4):
        store.record(visit(step - 1, step, [found(step)], body=b"%d" % step))
    assert [store.fetched(LinkId(link)).body for link in range(3)] == [b"1", b"2", b"3"]
    store.close()
    files = bytes_of(tmp_path)
    assert list(files) == [file_name(number) for number in range(3)]
    assert [[record["type"] for record in read(packed)] for packed in files.values()] == [["warcinfo", "response"]] * 3


def test_without_bodies_they_stay_only_until_the_learner_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "crawl.sqlite"

    def bodies() -> list[bool]:
        database = sqlite3.connect(path)
        kept = [
            is_here
            for (is_here,) in database.execute("SELECT link IN (SELECT link FROM bodies) FROM pages ORDER BY step")
        ]
        database.close()
        return kept

    store = SqliteStore(path, keeps_bodies=False)
    store.record(FIRST)
    store.record(visit(0, 1, [found(1)], body=b"one"))
    assert store.fetched(LinkId(0)).body == b"one"
    store.close()
    store = SqliteStore(path, keeps_bodies=False)  # taken up again: what is left over still goes
    store.record(visit(1, 2, [found(2)], learner=b"state"))
    assert bodies() == [False, False]
    store.record(visit(2, 3))
    assert bodies() == [False, False, True]
    store.close()
