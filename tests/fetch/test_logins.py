"""Headers, credentials and cookies: sent to their own hosts, and kept nowhere."""

from __future__ import annotations

import asyncio
import gzip
import logging
import re
import shlex
from base64 import b64encode
from collections import Counter
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from aiohttp import web
from yarl import URL

from honeyguide.cli.main import main
from honeyguide.crawler import crawl_async
from honeyguide.crawler.live import polite_fetcher
from honeyguide.errors import SettingsError
from honeyguide.fetch import HttpFetcher, Logins
from honeyguide.fetch.logins import read_logins
from honeyguide.model import Fetched, Url
from honeyguide.model.clock import RealClock, SimulatedClock
from honeyguide.settings import FetchSettings, settings_from
from local_site import serve
from loopback_servers import loopback_servers

if TYPE_CHECKING:
    from local_site import Handler

PASSWORD, TOKEN, KEY = "Tr0ub4dor", "t0ken-of-ours", "k3y-of-ours"
BASIC = b64encode(f"ann:{PASSWORD}".encode()).decode()
SECRETS = (PASSWORD, BASIC, TOKEN, KEY, "fresh-session")


class Asked:
    """Requests that came in, by path, with their headers."""

    def __init__(self) -> None:
        self.headers: dict[str, list[dict[str, str]]] = {}

    def page(self, body: str = "<p>rock", **headers: str) -> Handler:
        async def answer(request: web.BaseRequest) -> web.StreamResponse:
            self.headers.setdefault(request.path, []).append(dict(request.headers))
            status = 302 if "Location" in headers else 200
            return web.Response(status=status, text=body, content_type="text/html", headers=headers)

        return answer


def logins_file(folder: Path, text: str) -> str:
    (folder / "logins.toml").write_text(text, encoding="utf-8")
    (folder / "logins.toml").chmod(0o600)
    return str(folder / "logins.toml")


@pytest.mark.parametrize("has_cookie_file", [True, False])
def test_a_crawl_sends_secrets_to_their_host_alone_and_keeps_them_nowhere(
    has_cookie_file: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Redirects, a robots.txt that leads elsewhere, links: what other hosts are sent has none of it."""
    monkeypatch.setenv("OUR_TOKEN", TOKEN)
    ours, theirs = Asked(), Asked()

    async def scenario() -> None:
        async with AsyncExitStack() as opened:
            stranger = await opened.enter_async_context(
                serve({"/": theirs.page(), "/robots.txt": theirs.page("User-agent: *\nAllow: /"), "/x": theirs.page()})
            )
            links = f"<p>rock <a href=/away>away</a> <a href={stranger}x>stranger</a> <a href=/in>in</a>"
            home = await opened.enter_async_context(
                serve(
                    {
                        "/": ours.page(links, **{"Set-Cookie": "sid=fresh-session; Max-Age=900"}),
                        "/robots.txt": ours.page(Location=f"{stranger}robots.txt"),
                        "/away": ours.page(Location=stranger.text),
                        "/in": ours.page(),
                    }
                )
            )
            file = logins_file(tmp_path, f'["{home.origin}"]\nbearer = "$OUR_TOKEN"\nheaders = {{X-Key = "{KEY}"}}\n')
            settings = settings_from(
                {
                    "topic": {"name": "rock"},
                    "crawl": {"seed_urls": [home.text], "strategy": "breadth-first"},
                    "budget": {"fetches": 10},
                    "fetch": {
                        "allow_private": ["127.0.0.0/8"], "logins": file,
                        "cookie_file": str(tmp_path / "cookies.txt") if has_cookie_file else "",
                    },
                    "politeness": {"delay_s": 0.0, "delay_factor": 0.0},
                    "store": {"archive": "warc"},
                }
            )  # fmt: skip
            (await crawl_async(tmp_path / "run", settings)).close()

    with caplog.at_level(logging.DEBUG):
        asyncio.run(scenario())
    assert set(ours.headers) == {"/", "/robots.txt", "/away", "/in"}
    for path, requests in ours.headers.items():
        assert all(sent["Authorization"] == f"Bearer {TOKEN}" and sent["X-Key"] == KEY for sent in requests), path
    assert ours.headers["/in"][0].get("Cookie") == ("sid=fresh-session" if has_cookie_file else None)
    assert set(theirs.headers) == {"/", "/robots.txt", "/x"}
    for path, requests in theirs.headers.items():
        assert all("Authorization" not in sent and "X-Key" not in sent for sent in requests), path
    if has_cookie_file:
        assert "fresh-session" in (tmp_path / "cookies.txt").read_text(encoding="utf-8")
    kept = [file for file in (tmp_path / "run").rglob("*") if file.is_file()]
    assert any(file.name.endswith(".warc.gz") for file in kept)
    for file in kept:
        content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        assert not [secret for secret in SECRETS if secret.encode() in content], file
    assert not [secret for secret in SECRETS if secret in caplog.text]


def test_basic_credentials_go_to_their_origin(tmp_path: Path) -> None:
    asked = Asked()

    async def scenario() -> None:
        async with serve({"/": asked.page()}) as home, serve({"/": asked.page()}) as other:
            logins = Logins(read_logins(logins_file(tmp_path, f'["{home.origin}"]\nbasic = "ann:{PASSWORD}"\n')))
            settings = settings_from(
                {"fetch": {"allow_private": ["127.0.0.0/8"]}, "politeness": {"obey_robots": False, "delay_s": 0.0}}
            )
            fetcher = polite_fetcher(settings, RealClock(), logins=logins)
            for url in (home, other):
                assert isinstance((await fetcher.fetch(url)).outcome, Fetched)
            await fetcher.close()
            assert logins.is_known_at(home)
            assert not logins.is_known_at(other)

    asyncio.run(scenario())
    first, second = asked.headers["/"]
    assert first["Authorization"] == f"Basic {BASIC}"
    assert "Authorization" not in second


def test_a_host_without_a_scheme_is_asked_over_https_alone(tmp_path: Path) -> None:
    logins = Logins(read_logins(logins_file(tmp_path, '["example.org"]\nbearer = "$$literal"\n')))
    assert logins.headers(Url.parse("https://example.org/a")) == {"Authorization": "Bearer $literal"}
    for other in ("http://example.org/", "https://example.org:8443/", "https://www.example.org/"):
        assert logins.headers(Url.parse(other)) == {}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("no table", "is not a TOML file in UTF-8"),
        ('["https://example.org/path"]\nbasic = "a:b"', "is no host; write it as example.org"),
        ('["example.org"]\nbasic = "Tr0ub4dor"', "basic is not user:password"),
        ('["example.org"]\nbasic = "a:b"\nbearer = "c"', "has both basic and bearer"),
        (
            '["example.org"]\nbearer = "a"\n["https://EXAMPLE.org:443"]\nbearer = "Tr0ub4dor"',
            "['https://EXAMPLE.org:443'] is a second table for https://example.org: leave one out",
        ),
        (
            '["example.org"]\nbearer = "a"\nheaders = {authorization = "Tr0ub4dor"}',
            "gives the header authorization twice: leave one out",
        ),
        ('["example.org"]\nheaders = {X-Key = "a", x-key = "Tr0ub4dor"}', "gives the header x-key twice"),
        ('["example.org"]\ncookie = "Tr0ub4dor"', "holds basic, bearer or headers, and nothing else"),
        (
            '["example.org"]\nbearer = "$NO_SUCH_VARIABLE"',
            "in the variable NO_SUCH_VARIABLE, which is empty or not set",
        ),
        ('["example.org"]\nbearer = "Tr0ub4dor\\nX: y"', "bearer must be printable ASCII on one line"),
        ('["example.org"]\nheaders = {Host = "evil"}', "'Host' is no header that can be set"),
        ('["example.org"]\nheaders = {"a b" = "c"}', "'a b' is no header that can be set"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_without_its_secrets(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(SettingsError) as refused:
        read_logins(logins_file(tmp_path, text))
    (mistake,) = refused.value.mistakes
    assert told in mistake
    assert PASSWORD not in mistake


def test_a_file_that_others_can_read_is_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = logins_file(tmp_path, '["example.org"]\nbearer = "x"\n')
    (tmp_path / "logins.toml").chmod(0o644)
    read_logins(file)
    assert f"chmod 600 {file}" in caplog.text
    with pytest.raises(SettingsError, match=r"cannot read .*: No such file"):
        read_logins(str(tmp_path / "nowhere"))


class TestCookies:
    def test_cookies_last_over_runs(self, tmp_path: Path) -> None:
        file, asked = tmp_path / "cookies.txt", Asked()
        file.write_text(
            "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\ttheme\tdark\n"
            "127.0.0.1\tFALSE\t/\tTRUE\t0\tsafe\tonly\n127.0.0.1\tFALSE\t/\tFALSE\t99\told\tgone\n"
            ".example.org\tTRUE\t/\tFALSE\t4102444800\twide\tdomain\n",
            encoding="utf-8",
        )

        async def fetch_once() -> None:
            cookie = {"Set-Cookie": "sid=1; Path=/; Max-Age=900"}
            async with serve({"/": asked.page(**cookie)}) as home:
                settings = settings_from({"fetch": {"allow_private": ["127.0.0.0/8"], "cookie_file": str(file)}})
                logins = Logins.read(settings.fetch)
                fetcher = polite_fetcher(settings, RealClock(), logins=logins)
                await fetcher.fetch(home)
                await fetcher.close()

        asyncio.run(fetch_once())
        asyncio.run(fetch_once())
        sent = [sorted(headers["Cookie"].split("; ")) for headers in asked.headers["/"]]
        assert sent == [["theme=dark"], ["sid=1", "theme=dark"]]
        rows = {line.split("\t")[5]: line.split("\t") for line in file.read_text().splitlines() if "\t" in line}
        assert rows.keys() == {"theme", "safe", "sid", "wide"}
        assert rows["wide"][:4] == [".example.org", "TRUE", "/", "FALSE"]
        assert abs(int(rows["wide"][4]) - 4102444800) < 60
        assert rows["safe"][3] == "TRUE"
        assert int(rows["sid"][4]) > 0
        assert rows["theme"][:5] == ["127.0.0.1", "FALSE", "/", "FALSE", "0"], "as curl writes one of a session"
        assert file.stat().st_mode & 0o777 == 0o600

    def test_cookies_are_saved_while_the_crawl_goes_on_once_a_minute(self, tmp_path: Path) -> None:
        file, clock = tmp_path / "cookies.txt", SimulatedClock()
        pages = {f"/{name}": Asked().page(**{"Set-Cookie": f"{name}=1; Path=/"}) for name in "abc"}

        async def scenario() -> list[list[str]]:
            saved = []
            async with serve(pages) as home:
                settings = FetchSettings(allow_private=("127.0.0.0/8",), cookie_file=str(file))
                fetcher = HttpFetcher(settings, clock, logins=Logins.read(settings))
                for moment, name in ((0.0, "a"), (59.0, "b"), (60.0, "c")):
                    clock.advance_to(moment)
                    await fetcher.fetch(Url.parse(f"{home}{name}"))
                    saved.append([line.split("\t")[5] for line in file.read_text().splitlines() if "\t" in line])
                await fetcher.close()
            return saved

        assert asyncio.run(scenario()) == [["a"], ["a"], ["a", "b", "c"]]

    @pytest.mark.parametrize("value", ["YWI/Yw==", "a,b", '"quoted"', "two words", 'a"b', '{"a":1}'])
    def test_cookies_are_sent_back_as_they_came_in_later_runs_too(self, tmp_path: Path, value: str) -> None:
        asked = Asked()

        async def fetch(url: Url) -> None:
            fetch_settings = {"allow_private": ["127.0.0.0/8"], "cookie_file": str(tmp_path / "cookies.txt")}
            settings = settings_from(
                {"fetch": fetch_settings, "politeness": {"delay_s": 0.0, "delay_factor": 0.0, "obey_robots": False}}
            )
            fetcher = polite_fetcher(settings, RealClock(), logins=Logins.read(settings.fetch))
            await fetcher.fetch(url)
            await fetcher.fetch(url)
            await fetcher.close()

        async def scenario() -> None:
            async with serve({"/": asked.page(**{"Set-Cookie": f"sid={value}; Path=/"})}) as home:
                await fetch(home)
                await fetch(home)

        asyncio.run(scenario())
        assert [sent.get("Cookie") for sent in asked.headers["/"]] == [None] + [f"sid={value}"] * 3

    @pytest.mark.parametrize(
        ("host", "domain", "is_sent_to"),
        [
            ("evil.co.uk", "co.uk", []),
            ("evil.github.io", ".github.io", []),
            ("shop.example.co.uk", "Example.CO.uk", ["shop.example.co.uk", "www.example.co.uk"]),
            ("github.io", "github.io", ["github.io"]),
        ],
    )
    def test_no_cookie_is_for_all_hosts_below_a_public_suffix(
        self, host: str, domain: str, is_sent_to: list[str]
    ) -> None:
        async def scenario() -> list[str]:
            logins = Logins(keeps_cookies=True)
            header = f"sid=1; Path=/; Domain={domain}"
            logins.jar().update_cookies_from_headers([header], URL(f"https://{host}/"))
            others = (host, "bank.co.uk", "www.example.co.uk", "someone.github.io")
            return [each for each in others if logins.is_known_at(Url.parse(f"https://{each}/"))]

        assert asyncio.run(scenario()) == is_sent_to

    def test_the_file_gives_no_cookie_for_a_public_suffix_and_none_that_cannot_be_sent(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        file = tmp_path / "cookies.txt"
        file.write_text(
            "# Netscape HTTP Cookie File\n.co.uk\tTRUE\t/\tFALSE\t0\twide\t1\n"
            "example.org\tFALSE\t/\tFALSE\t0\tsid\t\x01\n",
            encoding="utf-8",
        )

        async def scenario() -> list[bool]:
            logins = Logins(cookie_file=file)
            logins.jar()
            return [logins.is_known_at(Url.parse(url)) for url in ("https://bank.co.uk/", "https://example.org/")]

        assert asyncio.run(scenario()) == [False, False]
        assert "a cookie of example.org is not one that can be sent" in caplog.text

    @pytest.mark.parametrize(
        ("content", "told"),
        [
            (b"a=b", "line 1 is not in Netscape's format"),
            (b"# Netscape HTTP Cookie File\nexample.org FALSE / FALSE 0 sid secret\n", "line 2 is not"),
            (b"example.org\tFALSE\t/\tFALSE\tsoon\tsid\tsecret\n", "line 1 is not"),
            (b"\xff\xfe", "it is not text"),
        ],
    )
    def test_a_file_that_is_none_is_refused(self, tmp_path: Path, content: bytes, told: str) -> None:
        (tmp_path / "cookies.txt").write_bytes(content)
        with pytest.raises(SettingsError, match=told) as error:
            Logins.read(FetchSettings(cookie_file=str(tmp_path / "cookies.txt")))
        assert "secret" not in str(error.value)
        with pytest.raises(SettingsError, match="there is no folder"):
            Logins.read(FetchSettings(cookie_file=str(tmp_path / "no" / "cookies.txt")))

    @pytest.mark.parametrize(
        ("line", "is_sent_below"),
        [
            ("example.org\tTRUE\t/\tFALSE\t0\tsid\t1", True),  # no dot in front, as some browsers' add-ons write it
            (".example.org\tFALSE\t/\tFALSE\t0\tsid\t1\r", True),
            ("#HttpOnly_example.org\tFALSE\t/\tFALSE\t4102444800.5\tsid\t1", False),
        ],
    )
    def test_what_writes_the_format_its_own_way_is_read(self, tmp_path: Path, line: str, is_sent_below: bool) -> None:
        file = tmp_path / "cookies.txt"
        file.write_text(f"{line}\n", encoding="utf-8")

        async def scenario() -> list[bool]:
            logins = Logins.read(FetchSettings(cookie_file=str(file)))
            logins.jar()
            return [logins.is_known_at(Url.parse(url)) for url in ("https://example.org/", "https://www.example.org/")]

        assert asyncio.run(scenario()) == [True, is_sent_below]

    def test_an_empty_file_and_one_behind_a_link_are_kept_up_to_date(self, tmp_path: Path) -> None:
        file, link = tmp_path / "cookies.txt", tmp_path / "link.txt"
        file.touch()
        link.symlink_to(file)

        async def scenario() -> None:
            logins = Logins.read(FetchSettings(cookie_file=str(link)))
            logins.jar().update_cookies_from_headers(["sid=1; Path=/"], URL("https://example.org/"))
            logins.save()

        asyncio.run(scenario())
        assert "sid\t1" in file.read_text(encoding="utf-8")
        assert link.is_symlink()


def fences(kind: str) -> list[str]:
    """Return the blocks of the how-to page."""
    text = (Path(__file__).parents[2] / "docs" / "howto" / "sign-in.md").read_text(encoding="utf-8")
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    return [block for each, block in found if each == kind]


def test_the_how_to_page_about_signing_in_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INTRANET_LOGIN", f"ann:{PASSWORD}")
    asked: list[str] = []

    def answer(request: web.BaseRequest) -> web.Response:
        asked.append(request.headers.get("Authorization", ""))
        body = "<title>Rocks</title><p>rock rock" if asked[-1] == f"Basic {BASIC}" else ""
        return web.Response(text=body, content_type="text/html", status=200 if body else 401)

    with loopback_servers(answer) as servers:
        home = servers.url("127.0.0.1", "")
        logins_file(tmp_path, fences("toml")[0].replace("https://intranet.example.org", home))
        for line in fences("")[0].replace("https://intranet.example.org", home).splitlines():
            local = ["--allow-private", "127.0.0.0/8"] if "crawl" in line else []
            assert main([*shlex.split(line)[1:], *local]) == 0, line
    assert set(asked) == {f"Basic {BASIC}"}
    assert (tmp_path / "cookies.txt").exists()


def test_the_how_to_page_about_proxies_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "proxy-login").write_text(f"ann:{PASSWORD}", encoding="utf-8")
    asked: list[tuple[str, str]] = []

    def answer(request: web.BaseRequest) -> web.Response:
        """Answer for example.org, as a proxy that has looked it up would."""
        asked.append((request.host, request.headers["Proxy-Authorization"]))
        if request.path == "/robots.txt":
            return web.Response(status=404)
        return web.Response(text="<p>rock <a href=/a>a</a> <a href=/b>b</a> <a href=/c>c</a>", content_type="text/html")

    with loopback_servers(answer) as servers:
        (command,) = fences("")[1].splitlines()
        for number in (1, 2):
            command = command.replace(f"http://proxy-{number}.example:3128", servers.url(f"127.0.0.{number}", ""))
        assert main([*shlex.split(command)[1:], "--set", "politeness.delay_s=0"]) == 0
        by_address = Counter(served.address for served in servers.log)
    assert set(asked) == {("example.org", f"Basic {BASIC}")}
    assert abs(by_address["127.0.0.1"] - by_address["127.0.0.2"]) <= 1 < len(by_address)
