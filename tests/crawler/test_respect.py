"""Rules of publishers in a live crawl: recorded under usual respect, obeyed under strict, accounted for in both."""

from __future__ import annotations

import asyncio
import csv
import json
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web

from honeyguide.cli.main import main
from honeyguide.cli.summary import print_summary
from honeyguide.crawler import crawl
from honeyguide.errors import SettingsError
from honeyguide.fetch import HttpFetcher, RobotsFetcher
from honeyguide.fetch.site_rules import TDMREP, OriginRules, problem_in
from honeyguide.model import Fetched, RefusalReason, Refused, SiteFile, Url
from honeyguide.model.clock import SimulatedClock
from honeyguide.runs import open_run
from honeyguide.runs.exports import export
from honeyguide.settings import FetchSettings, PolitenessSettings, settings_from, validate
from honeyguide.settings.sections import DirectiveSettings
from local_site import serve
from loopback_servers import loopback_servers
from vectors_by_hash import hashed_vectors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from honeyguide.model import Answer
    from loopback_servers import LoopbackServers

ROOT = Path(__file__).parents[2]
ROBOTS = "User-agent: *\nDisallow: /private\nRequest-rate: 10/1\n"
LINKS = "/header /meta /image /mined /ai /free /private"
RESERVED = {"/header", "/meta", "/image"}


def site(request: web.BaseRequest) -> web.Response:
    headers = {}
    head = ""
    match request.path:
        case "/robots.txt":
            return web.Response(text=ROBOTS)
        case "/.well-known/tdmrep.json":
            return web.json_response(
                [
                    {"location": "/mined", "tdm-reservation": 1, "tdm-policy": "https://example.org/mining.json"},
                    {"location": "/*", "tdm-reservation": 0},
                ]
            )
        case "/ai.txt":
            return web.Response(text="User-Agent: *\nDisallow: /ai\n")
        case "/header":
            headers = {"TDM-Reservation": "1", "TDM-Policy": "https://example.org/policy.json"}
        case "/meta":
            head = '<meta name="robots" content="noai"><meta name="tdm-reservation" content="1">'
        case "/image":
            headers = {"X-Robots-Tag": "noimageai"}
    links = "".join(f"<a href={path}>rock</a> " for path in LINKS.split()) if request.path == "/" else ""
    text = (
        f"<html><head><title>{request.path}</title>{head}</head><body><p>rock {request.path}</p>{links}</body></html>"
    )
    return web.Response(text=text, content_type="text/html", headers=headers)


def crawled(
    path: Path, servers: LoopbackServers, *, allow_private: Sequence[str] = ("127.0.0.0/8",), **directives: Any
) -> dict[str, int]:
    """Crawl the site; return how often each path was asked for."""
    settings = settings_from(
        {
            "topic": {"name": "rock"},
            "judge": {"kind": "keyword"},
            "crawl": {"seed_urls": [servers.url("127.0.0.1")], "strategy": "breadth-first", "workers": 0},
            "fetch": {"allow_private": allow_private, "contact": "someone@example.org", "retries": 0},
            "politeness": {"delay_s": 0.0, "delay_factor": 0.0},
            "directives": directives,
        }
    )
    servers.log.clear()
    crawl(path, settings, vectors=hashed_vectors()).close()
    return dict(Counter(served.path for served in servers.log))


def kept(path: Path) -> dict[str, tuple[str, ...]]:
    with open_run(path) as run:
        return {page.url.path: page.rules for page in run.pages()}


def test_usual_respect_keeps_reserved_pages_and_records_their_rules(tmp_path: Path) -> None:
    with loopback_servers(site) as servers:
        asked = crawled(tmp_path / "run", servers)
    assert asked == dict.fromkeys(["/robots.txt", "/", "/header", "/meta", "/image", "/mined", "/ai", "/free"], 1)
    assert kept(tmp_path / "run") == {
        "/": (), "/header": ("tdm",), "/meta": ("noai", "tdm"), "/image": ("noimageai",), "/mined": (), "/ai": (),
        "/free": (),
    }  # fmt: skip


def test_strict_respect_keeps_nothing_that_is_reserved(tmp_path: Path) -> None:
    with loopback_servers(site) as servers:
        asked = crawled(tmp_path / "run", servers, respect="strict")
    assert asked == dict.fromkeys(["/robots.txt", "/.well-known/tdmrep.json", "/ai.txt", "/", "/free", *RESERVED], 1), (
        "each file once, and no page that a file reserves"
    )
    assert kept(tmp_path / "run").keys() == {"/", "/free"}
    with open_run(tmp_path / "run") as run:
        details = {step.url.path: (step.outcome, step.detail) for step in run.steps()}
        assert details["/header"] == ("fetched", "tdm")
        assert details["/meta"] == ("fetched", "noai")
        assert details["/mined"][0] == details["/ai"][0] == "refused"
        assert "/.well-known/tdmrep.json reserves /mined" in details["/mined"][1]
        assert run.progress.robots_fetches == 3
        assert run.progress.pages == 2
    stored = (tmp_path / "run" / "crawl.sqlite").read_bytes()
    assert b"rock /meta" not in stored


def test_single_rules_can_be_obeyed_and_files_recorded(tmp_path: Path) -> None:
    with loopback_servers(site) as servers:
        asked = crawled(tmp_path / "run", servers, obey=["noai"], site_files=["llms.txt"])
    assert asked["/llms.txt"] == 1
    assert "/meta" not in kept(tmp_path / "run")
    assert "/header" in kept(tmp_path / "run")


def test_a_request_rate_is_a_pause(tmp_path: Path) -> None:
    with loopback_servers(site) as servers:
        crawled(tmp_path / "run", servers)
        (gaps,) = servers.gaps_s(lambda served: served.host).values()
    assert min(gaps) >= 0.098


def test_every_export_with_columns_tells_the_provenance(tmp_path: Path) -> None:
    with loopback_servers(site) as servers:
        crawled(tmp_path / "run", servers)
        url = servers.url("127.0.0.1", "/meta")
    export(tmp_path / "run", tmp_path / "pages.csv", "csv")
    export(tmp_path / "run", tmp_path / "pages.jsonl", "jsonl")
    for rows in (
        list(csv.DictReader((tmp_path / "pages.csv").read_text().splitlines())),
        [json.loads(line) for line in (tmp_path / "pages.jsonl").read_text().splitlines()],
    ):
        row = next(row for row in rows if row["url"] == url)
        assert row["reserved"] == "noai tdm"
        told = json.loads(row["provenance"])
        assert (told["source"], told["url"], told["rules"]["respect"]) == ("live", url, "usual")
        assert told["rules"]["robots_txt_sha256"] == sha256(ROBOTS.encode()).hexdigest()
        assert told["rules"]["robots_txt_since"] <= told["asked_at"] <= row["fetched_at"]
        assert "someone@example.org" in told["by"]


def test_strict_respect_without_robots_txt_is_refused() -> None:
    settings = settings_from({"topic": {"name": "rock"}, "crawl": {"seed_urls": ["http://a.test/"]}})
    with pytest.raises(SettingsError, match="leave out one"):
        validate(
            settings_from(
                {"directives": {"respect": "strict"}, "politeness": {"obey_robots": False}, "topic": {"name": "rock"}}
            )
        )
    validate(settings)


def test_an_unknown_rule_is_refused_with_the_nearest() -> None:
    with pytest.raises(SettingsError, match=r"directives.obey is 'noia': choose one of .*noai"):
        validate(settings_from({"topic": {"name": "rock"}, "directives": {"obey": ["noia"]}}))


@pytest.mark.parametrize("body", [b"{", b"[[]]", b'[{"location": 5}]', b"[" * 100_000, b'[{"location": "/a\\n/b"}]'])
def test_a_broken_tdmrep_json_reserves_nothing(body: bytes) -> None:
    files = SiteFile("http://a.test", 9.0), SiteFile("http://a.test", 9.0, body, path=TDMREP)
    rules = OriginRules(files[0], "honeyguide", files[1:], is_strict=True)
    assert rules.refusal_of(Url.parse("http://a.test/a")) is None


def test_in_a_tdmrep_json_the_longest_location_counts() -> None:
    entries = [("/*", 1), ("/open/", 0), ("/open/not.html$", 1)]
    body = json.dumps([{"location": path, "tdm-reservation": value} for path, value in entries]).encode()
    files = SiteFile("http://a.test", 9.0), SiteFile("http://a.test", 9.0, body, path=TDMREP)
    rules = OriginRules(files[0], "honeyguide", files[1:], is_strict=True)
    refused = [
        path for path in ("/", "/open/a", "/open/not.html") if rules.refusal_of(Url.parse(f"http://a.test{path}"))
    ]
    assert refused == ["/", "/open/not.html"]
    assert OriginRules(files[0], "honeyguide", files[1:]).refusal_of(Url.parse("http://a.test/")) is None


def test_a_file_that_is_redirected_is_followed_and_obeyed(tmp_path: Path) -> None:
    def moved(request: web.BaseRequest) -> web.Response:
        match request.path:
            case "/ai.txt" | "/.well-known/tdmrep.json":
                return web.Response(status=302, headers={"Location": f"/moved{request.path}"})
            case "/moved/ai.txt":
                return web.Response(text="User-Agent: *\nDisallow: /ai\n")
            case "/moved/.well-known/tdmrep.json":
                return web.json_response({"location": "mined", "tdm-reservation": "1"})
        return site(request)

    with loopback_servers(moved) as servers:
        asked = crawled(tmp_path / "run", servers, respect="strict")
    assert asked["/moved/ai.txt"] == asked["/moved/.well-known/tdmrep.json"] == 1
    assert not {"/ai", "/mined"} & asked.keys()
    with open_run(tmp_path / "run") as run:
        assert run.progress.robots_fetches == 5


def test_a_redirect_to_what_robots_txt_disallows_is_not_followed(tmp_path: Path) -> None:
    def moved(request: web.BaseRequest) -> web.Response:
        is_moved = request.path == "/ai.txt"
        return web.Response(status=302, headers={"Location": "/private/ai.txt"}) if is_moved else site(request)

    with loopback_servers(moved) as servers:
        asked = crawled(tmp_path / "run", servers, respect="strict")
    assert "/private/ai.txt" not in asked
    assert asked["/ai"] == 1


async def _answers(status: int, *, respect: str) -> tuple[list[Answer], Counter[str]]:
    """Ask for a page twice, with an hour between, of a site whose tdmrep.json is answered with `status` at first."""
    asked = Counter[str]()

    async def handler(request: web.BaseRequest) -> web.Response:
        asked[request.path] += 1
        is_in_trouble = request.path == TDMREP and asked[TDMREP] == 1
        return web.Response(status=status, text="") if is_in_trouble else web.Response(text="[]")

    clock = SimulatedClock()
    directives = DirectiveSettings(respect=respect, site_files=("tdmrep.json",))
    async with serve(dict.fromkeys(("/", "/robots.txt", TDMREP, "/ai.txt"), handler)) as root:
        inner = HttpFetcher(FetchSettings(allow_private=("127.0.0.0/8",)), clock)
        fetcher = RobotsFetcher(inner, PolitenessSettings(), "Honeyguide/1", clock, directives=directives)
        try:
            answers = [await fetcher.fetch(root)]
            clock.advance_to(3600.0)
            answers.append(await fetcher.fetch(root))
        finally:
            await fetcher.close()
    return answers, asked


def test_under_strict_respect_a_file_that_cannot_be_had_closes_the_site_for_a_while() -> None:
    (closed, opened), asked = asyncio.run(_answers(500, respect="strict"))
    assert isinstance(closed.outcome, Refused)
    assert closed.outcome.reason is RefusalReason.RESERVED
    assert "tdmrep.json cannot be had: 500" in closed.outcome.detail
    assert closed.retry_after_s == pytest.approx(60.0)
    assert isinstance(opened.outcome, Fetched)
    assert asked == {"/robots.txt": 1, TDMREP: 2, "/ai.txt": 1, "/": 1}, "only what is not known is asked for again"


@pytest.mark.parametrize(("status", "respect"), [(404, "strict"), (500, "usual")])
def test_a_missing_file_and_usual_respect_close_nothing(status: int, respect: str) -> None:
    (answer, _), _ = asyncio.run(_answers(status, respect=respect))
    assert isinstance(answer.outcome, Fetched)


def test_usual_respect_records_what_files_reserve(tmp_path: Path) -> None:
    with loopback_servers(site) as servers:
        crawled(tmp_path / "run", servers, site_files=["tdmrep.json", "ai.txt"])
    found = kept(tmp_path / "run")
    assert (found["/mined"], found["/ai"], found["/free"]) == (("tdm",), ("noai",), ())
    assert found["/meta"] == ("noai", "tdm")
    export(tmp_path / "run", tmp_path / "pages.jsonl", "jsonl")
    rows = [json.loads(line) for line in (tmp_path / "pages.jsonl").read_text().splitlines()]
    policies = {Url.parse(row["url"]).path: (row["reserved"], row["tdm_policy"]) for row in rows}
    assert policies["/mined"] == ("tdm", "https://example.org/mining.json")
    assert policies["/header"] == ("tdm", "https://example.org/policy.json")
    assert policies["/free"] == (None, None)


def mining_rules(written: object, *, is_strict: bool = True) -> OriginRules:
    file = SiteFile("http://a.test", 9.0, json.dumps(written).encode(), path=TDMREP)
    return OriginRules(SiteFile("http://a.test", 9.0), "honeyguide", (file,), is_strict=is_strict)


@pytest.mark.parametrize("value", [1, True, "1", "true"])
@pytest.mark.parametrize("location", ["/a", "a", "*a", "http://a.test/a", "https://A.test/a", "http://a.test"])
def test_a_tdmrep_json_that_is_written_otherwise_reserves_what_it_means(value: object, location: str) -> None:
    entry = {"location": location, "tdm-reservation": value}
    for written in (entry, [entry]):
        rules = mining_rules(written)
        assert rules.refusal_of(Url.parse("http://a.test/a")) is not None
        assert problem_in(rules.others[0]) == ""


@pytest.mark.parametrize("value", [2, "yes", None, "", []])
def test_a_value_that_is_not_understood_allows_nothing_that_is_reserved_elsewhere(value: object) -> None:
    entries = [{"location": "/", "tdm-reservation": 1}, {"location": "/a", "tdm-reservation": value}]
    rules = mining_rules(entries)
    assert rules.refusal_of(Url.parse("http://a.test/a")) is not None
    assert problem_in(rules.others[0]) == "is not understood in 1 of 2 entries"


def test_of_a_tdmrep_json_only_locations_on_this_host_count() -> None:
    rules = mining_rules([{"location": "http://b.test/", "tdm-reservation": 1}])
    assert rules.refusal_of(Url.parse("http://a.test/")) is None


def test_the_policy_of_a_page_is_that_of_its_longest_location() -> None:
    entries = [("/", 1, "http://a.test/all"), ("/b", 1, "http://a.test/some"), ("/b/c", 0, "http://a.test/none")]
    rules = mining_rules(
        [{"location": path, "tdm-reservation": value, "tdm-policy": policy} for path, value, policy in entries],
        is_strict=False,
    )
    found = {path: rules.directives_of(Url.parse(f"http://a.test{path}")).tdm_policy for path in ("/a", "/b", "/b/c")}
    assert found == {"/a": "http://a.test/all", "/b": "http://a.test/some", "/b/c": ""}


def test_a_tdmrep_json_that_is_not_understood_is_said_and_recorded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(request: web.BaseRequest) -> web.Response:
        return web.Response(text="<html>") if request.path == TDMREP else site(request)

    with loopback_servers(broken) as servers:
        crawled(tmp_path / "run", servers, respect="strict")
    (warning,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert f"{TDMREP} is not understood: no JSON" in warning
    assert main(["audit", str(tmp_path / "run")]) == 0
    assert "is not understood: no JSON" in capsys.readouterr().out


def test_an_audit_accounts_for_every_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with loopback_servers(site) as servers:
        asked = crawled(tmp_path / "run", servers, respect="strict")
        origin, host = servers.url("127.0.0.1", ""), f"127.0.0.1:{servers.port}"
    assert main(["audit", str(tmp_path / "run"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (account,) = document["origins"]
    assert account["origin"] == origin
    assert account["sums"] == document["totals"]
    assert account["sums"]["requests"] + document["requests_for_rules"] == sum(asked.values())
    assert (account["sums"]["pages"], account["sums"]["not_kept"], account["sums"]["refused"]) == (2, 3, 3)
    assert {file["path"]: bool(file["sha256"]) for file in account["files"]} == {
        "/robots.txt": True, "/.well-known/tdmrep.json": True, "/ai.txt": True,
    }  # fmt: skip
    assert document["rules"]["respect"] == "strict"
    assert main(["audit", str(tmp_path / "run"), "--host", host, "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["asked"]
    assert len(listed) == 8
    assert all(each["robots_txt"] == sha256(ROBOTS.encode()).hexdigest() for each in listed)
    assert main(["audit", str(tmp_path / "run")]) == 0
    text = capsys.readouterr().out
    assert "respect     strict" in text
    assert max(map(len, text.splitlines())) <= 80


def test_an_audit_lists_the_requests_to_what_it_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(tmp_path / "run")
    with loopback_servers(site) as servers:
        crawled(tmp_path / "run", servers, respect="strict")
        origin, port = servers.url("127.0.0.1", ""), servers.port
    texts = set()
    for place in (origin, f"{origin}/", f"127.0.0.1:{port}", "127.0.0.1"):
        assert main(["audit", run, "--host", place]) == 0
        texts.add(capsys.readouterr().out)
    (text,) = texts
    digest = sha256(ROBOTS.encode()).hexdigest()[:12]
    (meta,) = [line for line in text.splitlines() if f"{origin}/meta" in line]
    assert meta.endswith(f"fetched 200  {origin}/meta  not kept: noai tdm  robots.txt {digest}")
    (free,) = [line for line in text.splitlines() if f"{origin}/free" in line]
    assert free.endswith(f"fetched 200  {origin}/free  robots.txt {digest}")


@pytest.mark.parametrize(
    "place", ["nobody.test", "https://127.0.0.1", "27.0.0.1", "http://a.test/page", "a b", "http://"]
)
@pytest.mark.parametrize("as_json", [False, True])
def test_an_audit_of_a_host_that_is_not_there_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str, as_json: bool
) -> None:
    with loopback_servers(site) as servers:
        crawled(tmp_path / "run", servers)
    capsys.readouterr()
    assert main(["audit", str(tmp_path / "run"), "--host", place, *(["--json"] if as_json else [])]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert place in printed.err


def test_an_audit_of_a_crawl_that_asked_for_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with loopback_servers(site) as servers:
        assert not crawled(tmp_path / "run", servers, allow_private=())
    assert main(["audit", str(tmp_path / "run")]) == 0
    text = capsys.readouterr().out
    assert "0 requests to 0 hosts" in text
    assert "for robots.txt and the like" not in text
    header, row = text.partition("  asked   kept")[2].splitlines()[:2]
    assert header.endswith("host")
    assert servers.url("127.0.0.1", "") in row
    assert "--allow-private" in text, "a remedy is not cut off"


def test_an_audit_counts_one_page_as_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def one(request: web.BaseRequest) -> web.Response:
        return web.Response(text="rock", content_type="text/html") if request.path == "/" else web.Response(status=404)

    with loopback_servers(one) as servers:
        crawled(tmp_path / "run", servers)
    assert main(["audit", str(tmp_path / "run")]) == 0
    text = capsys.readouterr().out
    assert "  1 page kept, " in text
    assert "robots.txt: 404 Not Found, since" in text


def test_summary_report_and_traps_count_traps_among_the_same_pages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def copied(request: web.BaseRequest) -> web.Response:
        is_page = request.path in ("/mined", "/free", "/ai")
        same = f"<p>{' '.join(f'rock{number}' for number in range(200))}</p>"
        return web.Response(text=same, content_type="text/html") if is_page else site(request)

    with loopback_servers(copied) as servers:
        crawled(tmp_path / "run", servers, obey=["noai", "tdm"])
    with open_run(tmp_path / "run") as run:
        seen, found = run.trap_records().pages_seen(), run.progress.findings
        assert (run.progress.unindexed, run.progress.pages, seen) == (2, 5, 7)
        assert found > 0
        share = f"{found / seen:.1%}"
        print_summary(run, 1.0, as_json=False)
    told = " ".join(capsys.readouterr().out.split())
    assert f"({share} of the 7 that came) in loops" in told
    assert "reserved 2 pages came and were not kept, as their publishers ask" in told
    assert main(["traps", str(tmp_path / "run")]) == 0
    assert f"{found} of 7 pages ({share})" in capsys.readouterr().out
    assert main(["report", str(tmp_path / "run"), "--output", str(tmp_path / "report.html")]) == 0
    page = (tmp_path / "report.html").read_text()
    assert f"{share} of the 7 that came" in page
    assert "of 5 pages kept" in page


def test_a_summary_says_of_one_page_that_it_was_not_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with loopback_servers(site) as servers:
        crawled(tmp_path / "run", servers, obey=["noai"])
    with open_run(tmp_path / "run") as run:
        print_summary(run, 1.0, as_json=False)
    told = " ".join(capsys.readouterr().out.split())
    assert "reserved 1 page came and was not kept, as its publisher asks" in told


def test_the_commands_of_the_how_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "howto" / "respect-publishers.md").read_text(encoding="utf-8")
    commands = "".join(re.findall(r"```\n(.*?)```", page, flags=re.DOTALL)).splitlines()
    with loopback_servers(site) as servers:
        for command in commands:
            here = command.replace("https://example.org/", servers.url("127.0.0.1"))
            words = here.replace("--host example.org", f"--host 127.0.0.1:{servers.port}").split()[1:]
            extra = ["--allow-private", "127.0.0.0/8", "--set", "politeness.delay_s=0"] if words[0] == "crawl" else []
            assert main([*words, *extra]) == 0, command
    assert len(commands) == 6
    assert "noai tdm" in (tmp_path / "pages.csv").read_text()
    assert "127.0.0.1" in capsys.readouterr().out
