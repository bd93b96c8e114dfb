"""Bad input gets one line that names the value and the remedy, status 2, and leaves nothing behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from honeyguide.model import Url
from worlds.wiki.dumps import Written, dump_xml, world_of

if TYPE_CHECKING:
    from pathlib import Path

    from cli.conftest import Cli, Refusal

CRAWL = "crawl run --world synthetic --topic geology --budget 20 "
SMALL = "crawl run --topic reefs --world synthetic:pages=500,hosts=8 --budget 5 "
LAB = "lab compare --world synthetic:seed=3,pages=400,hosts=6,topics=4 "
FILES = {
    "bad.toml": "[budget]\nfetches = = 3\n",
    "typo.toml": "[budget]\nfetchs = 3\n",
    "there.toml": "mine",
    "empty.txt": "",
    "rocks.html": "<title>Rocks</title><p>Basalt is a rock.</p>",
    "file": "",
    "used/thesis.txt": "years of work",
    "picture.png": "\x89PNG\r\n\x1a\n\0\0",
    "edges3.txt": "2\na b\nb c\n",
    "edges1.txt": "x\n",
    "edge.txt": "3\na b\nc\n",
    "control.txt": "3\na b\x1b[2J\n",
    "comment.txt": "# a comment\n",
    "marks.txt": "!!!\n...\n",
    "hello.xml": "hello",
    "html.xml": "<html><body>hello</body></html>",
    "bz2.xml": "BZh9 not really",
    "none.xml": "<mediawiki></mediawiki>",
}
PAGES = [
    Written("Geology", "The science of [[rock]]s. [[Category:Geology]]"),
    Written("Rock", "See [[geology]]. [[Category:Geology]]"),
    Written("Stone", "#REDIRECT [[Rock]]", redirect="Rock"),
]

NEEDS_NO_RUN = [
    ("carwl", "No such command 'carwl'"),
    # The crawl, its settings and its flags.
    (CRAWL + "--seed-url ftp://rock.test/", "ftp://rock.test/"),
    (CRAWL + "--seed-url 'not a url'", "not a url"),
    (CRAWL + "--budget 0", "budget.fetches is 0: it must be at least 1"),
    (CRAWL + "--budget many", "budget.fetches is 'many': it must be a whole number"),
    (CRAWL + "--topic ' '", "topic is empty: give --topic, --keyword or --like"),
    (CRAWL + "--strategy best-frist", "did you mean best-first?"),
    (CRAWL + "--judge embeding", "did you mean embedding?"),
    (CRAWL + "--world synthetik", "did you mean synthetic?"),
    (CRAWL + "--world synthetic:pagse=3000", "did you mean 'pages'?"),
    (CRAWL + "--world synthetic:pages=3", "pages=3 is out of range"),
    (CRAWL + "--set politeness.dealy_s=1", "did you mean delay_s?"),
    (CRAWL + "--set politeness.delay_s=slow", "politeness.delay_s is 'slow': it must be a finite number"),
    (CRAWL + "--set politeness.delay_s", "write it as section.key=value"),
    (CRAWL + "--config nowhere.toml", "cannot read nowhere.toml"),
    (CRAWL + "--config typo.toml", "did you mean fetches?"),
    (CRAWL + "--config bad.toml", "bad.toml is not valid TOML"),
    (CRAWL + "--log-file nowhere/log.txt", "No such file or directory"),
    (CRAWL + "--bugdet 10", "No such option: --bugdet"),
    (CRAWL + "--profile wikipeda", "crawl.profile is 'wikipeda': choose one of wikipedia"),
    (CRAWL.replace(" run ", " used "), "exists and is not empty"),
    (CRAWL.replace(" run ", " file "), "is a file"),
    (CRAWL.replace(" run ", " /proc/run "), "cannot make the run folder /proc/run"),
    ("crawl run --world wiki:nowhere --topic geology", "is not a wiki world"),
    ("crawl run --world wiki --topic geology", "names no folder"),
    ("crawl run --strategy wander --topic x", "crawl.strategy is 'wander'"),
    ("crawl run --budget 0 --topic x", "budget.fetches is 0"),
    # Where it may go.
    (CRAWL + "--seed-url http://a.test/ --deny-host a.test", "http://a.test/ is out of scope: scope.deny_hosts"),
    (CRAWL + "--allow-host nowhere.test", "no entry page is in scope: "),
    (CRAWL + "--allow-host http://a.test/", "scope.allow_hosts: not a host: 'http://a.test/'"),
    (CRAWL + "--deny-path '('", "scope.deny_paths: '(' is not a regular expression"),
    (CRAWL + "--stay-on-domain --stay-on-seed-hosts", "and --stay-on-domain contradict each other"),
    (CRAWL + "--set 'scope.domains=[\"*.a.test\"]'", "scope.domains: not a domain: '*.a.test'"),
    (CRAWL + "--set 'scope.deny_urls=[\"[\"]'", "scope.deny_urls: '[' is not a regular expression"),
    (CRAWL + "--sitemap sitemap.xml", "crawl.sitemaps: not a URL: 'sitemap.xml'"),
    (CRAWL + "--feed http://nowhere.test/feed", "sitemap or feed: http://nowhere.test/feed gave no page"),
    (CRAWL + "--archive zip", "store.archive is 'zip': choose one of store, warc, none"),
    (CRAWL + "--under docs/", "scope.allow_prefixes: 'docs/' begins no URL; write /docs/"),
    (CRAWL + "--max-pages-per-host -1", "scope.max_pages_per_host is -1: it must be at least 0"),
    (CRAWL + "--max-depth deep", "scope.max_depth is 'deep': it must be a whole number"),
    (CRAWL + "--strategy beam --set beam.width=0", "beam.width is 0: it must be at least 1"),
    (CRAWL + "--strategy url-heuristic --topic ''", "topic is empty"),
    # Networks.
    (CRAWL + "--strategy dqn --device gpu", "dqn.device is 'gpu': choose one of cpu, cuda"),
    (CRAWL + "--strategy dqn --set dqn.layers=[]", "dqn.layers is []: give at least one layer, each of 1 to 4096"),
    (CRAWL + "--strategy dqn --set 'dqn.layers=[64, 0]'", "dqn.layers is [64, 0]: give at least one layer"),
    (CRAWL + "--strategy dqn --set dqn.layers=[1.5]", "it must be a list of whole numbers, as in [128, 256]"),
    (CRAWL + "--strategy dqn --set dqn.target=triple", "choose one of ordinary, double, clipped-double"),
    (CRAWL + "--strategy dqn --set dqn.replay=0", "dqn.replay is 0: it must be at least 1"),
    # The topic.
    (SMALL + "--like @gone.html", "topic.like: cannot read gone.html: No such file"),
    (SMALL + "--unlike @gone.html", "topic.unlike: cannot read gone.html: No such file"),
    (SMALL + "--like gone.html", "write @gone.html"),
    (SMALL + "--like @picture.png", "picture.png is image/png, not HTML or text"),
    (SMALL + "--like @empty.txt", "empty.txt is empty"),
    (SMALL + "--topic-file gone.toml", "cannot read gone.toml"),
    (SMALL + "--topic-file empty.txt", "empty.txt: no table [topic] in it"),
    (SMALL + "--preset geolgy", "did you mean geology?"),
    (SMALL + "--preset geology --topic-file x.toml", "give one of them"),
    ("crawl run --world wiki:world --preset olympics", "has no article Olympic Games or Olympics for the preset"),
    (SMALL + "--vectors absent.txt", "there is no file of vectors "),
    ("topic show petry", "did you mean poetry?"),
    ("topic suggest", "there is no topic to find words for"),
    ("topic suggest --like @gone.html", "cannot read gone.html"),
    ("topic suggest paper.html", "write @paper.html"),
    ("topic suggest reefs --like https://en.wiki.test/wiki/Coral --world synthetic", "gave no page"),
    ("topic suggest reefs --world wiki:nowhere", "nowhere is not a wiki world"),
    ("topic suggest reefs --world wikky:x", "did you mean wiki?"),
    ("topic suggest reefs --count 0", "--count"),
    ("topic suggest reefs -o there.toml", "there.toml is there already"),
    ("topic suggest reefs -o no/such/folder.toml", "cannot write no/such/folder.toml"),
    ("topic suggest reefs --vectors gone.txt", "gone.txt"),
    ("topic suggest reefs --set vectors.sauce=gone.txt", "did you mean source?"),
    # The judge.
    ("judge rocks.html", "topic is empty: give --topic, --keyword or --like"),
    ("judge --topic geology", "Missing argument 'PAGE'"),
    ("judge --topic geology --judge keywrod rocks.html", "did you mean keyword?"),
    ("judge --topic geology --set judge.threshold=2 rocks.html", "judge.threshold is 2"),
    ("judge --topic geology --world wiki:nowhere http://x.test/", "nowhere is not a wiki world"),
    ("judge --topic geology --like @gone rocks.html", "topic.like: cannot read gone"),
    ("judge --topic geology gone.html", "cannot read gone.html: No such file"),
    ("judge --topic geology 'http://[::1'", "not a URL"),
    # Files of edges, vectors and dumps.
    ("rank edges3.txt", "edges3.txt: line 3 names 'c', vertex 3, and line 1 says that there are 2"),
    ("rank edges1.txt", "edges1.txt: line 1 is 'x', not the number of vertices"),
    ("rank edge.txt", "edge.txt: line 3 is 'c', not an edge"),
    ("rank control.txt", "control.txt: line 2 names 'b\\x1b[2J', which has control characters"),
    ("rank nowhere", "nowhere is no run folder, no file of edges and no world"),
    ("rank live", "not offline"),
    ("rank wiki:nowhere", "nowhere"),
    ("vectors info absent.txt", "there is no file of vectors absent.txt"),
    ("vectors info .", "is a folder"),
    ("vectors train out", "give either --run RUN or --world WORLD"),
    ("vectors train --run a --world b out", "give either --run RUN or --world WORLD"),
    ("vectors train --world live out", "live"),
    ("wiki build empty.txt new", "is empty"),
    ("wiki build hello.xml new", "not a MediaWiki dump"),
    ("wiki build html.xml new", "not a MediaWiki dump"),
    ("wiki build bz2.xml new", "not a MediaWiki dump"),
    ("wiki build none.xml new", "the world would be empty: no article among 0 pages"),
    ("wiki build cut.xml new", "ends too soon"),
    ("wiki build redirects.xml new", "the world would be empty"),
    ("wiki build dump.xml new --sample 0", "--sample 0: it must be above 0"),
    ("wiki build dump.xml new --sample 1.5", "at most 1"),
    ("wiki build dump.xml new --sample 0.0001", "no article in this sample"),
    ("wiki build dump.xml new --linktarget x", "--pagelinks"),
    ("wiki build dump.xml new --pagelinks nowhere.sql", "cannot read nowhere.sql"),
    ("wiki build dump.xml new --pagelinks dump.xml", "no rows of the table pagelinks"),
    ("wiki build nowhere.xml new", "cannot read nowhere.xml"),
    ("wiki build dump.xml used", "exists and is not empty"),
    ("wiki build dump.xml nowhere/world", "cannot make the folder"),
    ("wiki stats nowhere", "is not a wiki world"),
    ("wiki topics nowhere", "is not a wiki world"),
    # The laboratory.
    ("demo --topic alchemy", "no topic 'alchemy'"),
    ("demo --budget 0", "budget.fetches is 0"),
    ("demo --strategy randon", "did you mean random?"),
    ("demo --seed -1", "seed"),
    ("demo --keep used", "exists and is not empty"),
    ("lab compare --world live --topic geology -o out", "live"),
    ("lab compare --world synthetic+http --topic geology -o out", "synthetic+http"),
    (LAB + "--topic alchemy -o out", "alchemy"),
    (LAB + "--topic geology --labels word:xyzzy -o out", "match none"),
    (LAB + "--topic geology --labels category:geology -o out", "no categories"),
    (LAB + "--topic geology --seed-url http://nowhere.test/ -o out", "http://nowhere.test/"),
    (LAB + "--topic geology --strategy wander -o out", "wander"),
    (LAB + "--topic geology --budget many -o out", "many"),
    (LAB + "--topic geology --set judge.kind=dice -o out", "judge.kind"),
    (LAB + "--topic geology --set budget.relevant=3 -o out", "budget.relevant is the experiment's own: use budget"),
    (LAB + "--topic geology --topic cooking --keyword rock -o out", "--keyword"),
    (LAB + "-o out", "no topic"),
    (LAB + "--topic geology --config none.toml -o out", "none.toml"),
    (LAB + "--topic geology -o used", "not empty"),
    ("lab sweep --world synthetic --topic geology -o out", "parameter"),
    ("lab sweep --world synthetic --topic geology --parameter online_ridge.exploration --values 0.5x -o out", "0.5x"),
    ("lab leaderboard --config none.toml -o out", "none.toml"),
    ("lab leaderboard --quick -o used", "not empty"),
    ("lab leaderboard --jobs 0 -o out", "--jobs"),
    ("lab reproduce lim2061 -o out", "did you mean lim2016?"),
    ("lab reproduce newton -o out", "choose one of han2018, lim2016, pertejo2021, wikicrawler"),
    ("lab reproduce lim2016 --tasks 3 -o out", "lim2016 takes no --tasks"),
    ("lab reproduce pertejo2021 --share 2 -o out", "--share is 2: give a part between 0 and 1"),
    ("lab reproduce han2018 --quick --vectors nowhere.txt -o out", "nowhere.txt"),
    ("lab reproduce lim2016 --world live -o out", "live"),
    ("lab reproduce lim2016 --world wiki:nowhere -o out", "nowhere"),
    ("lab reproduce lim2016 --seed -1 -o out", "crawl.seed is -1"),
    ("lab reproduce wikicrawler --seed some -o out", "some"),
    ("lab reproduce lim2016 --jobs 0 -o out", "--jobs"),
    ("lab reproduce -o out", "PAPER"),
    ("lab reproduce lim2016 --world synthetic -o used", "not empty"),
    # No run at all.
    ("resume", "Missing argument 'RUN'"),
    *(
        (f"{command} nowhere {further}", "nowhere is not a run folder")
        for command, further in {
            "resume": "", "results": "", "stats": "", "report": "", "search": "rock", "export": "--format edges -o x",
        }.items()
    ),
    ("export nowhere", "the format is missing: choose one of edges"),
    ("learner nowhere", "nowhere"),
    ("refresh nowhere", "nowhere"),
]  # fmt: skip

NEEDS_A_RUN = [
    *((f"resume finished --budget={budget}", "budget") for budget in ("0", "-5", "+0", "more", "10")),
    ("results finished --top 0", "--top"),
    ("stats finished --top some", "'--top'"),
    ("diff finished nowhere", "nowhere is not a run folder"),
    ("diff nowhere finished", "nowhere is not a run folder"),
    ("learner finished -o nowhere/learned.npz", "nowhere/learned.npz cannot be written"),
    ("refresh finished finished", "finished"),
    ("refresh finished --budget none", "budget.fetches"),
    ("refresh finished --set refresh.change_days=0", "refresh.change_days"),
    ("rank finished --by fame", "by is 'fame': choose one of pagerank, in, out, hits"),
    ("rank finished --page http://x.test/", "no page http://x.test/ among the"),
    ("rank finished --personal http://x.test/", "no page http://x.test/ among the"),
    ("rank finished --epsilon 0", "epsilon is 0.0; give a number above 0"),
    ("rank finished --damping 1.5", "damping is 1.5; give a number from 0 to 1"),
    ("rank finished --dangling x", "dangling is 'x': choose one of restart, stay, lost"),
    ("rank finished --top 0", "--top"),
    ("search finished 'rock AND'", "the query 'rock AND' cannot be read: nothing follows AND"),
    ("search finished colour:red", "there is no field colour: use title, text, host"),
    ("search finished ''", "the query is empty: give a word to look for"),
    ("search finished '\"open'", 'a " is not closed'),
    ("search finished", "alone is not enough: give a run and a query"),
    ("search finished rock --page 99999999999999999999", "page 99999999999999999999 of 10 hits: pages count from 1"),
    ("search finished rock --host http://x.test/", "'http://x.test/' is not a host: give its name alone"),
    ("search finished rock --since 2026-05-02 --until 2026-05-01", "since 2026-05-02 is after until 2026-05-01"),
    ("search finished rock --set search.rank_weight=-1", "search.rank_weight is -1.0: it must be at least 0"),
    ("search finished rock --text-weight 1e300", "search.text_weight is 1e+300: it must be at least 0 and at most"),
    ("search finished rock --set search.language=german", "search.language is no setting of a search: choose one of"),
    ("search finished rock --set crawl.strategy=random", "crawl.strategy is no setting of a search: choose one of"),
    ("search finished -rock", "No such option: -r; a query that begins with - stands behind --, as in: honeyguide"),
    ("search finished rock --blocked-words none.txt", "search.blocked_words: cannot read none.txt: No such file"),
    *(
        (f"search finished rock --blocked-words {file}", "has no word, so nothing would be left out; write one a line")
        for file in ("empty.txt", "comment.txt", "marks.txt")
    ),
    ("search . rock", "is not a run folder"),
    ("export finished --format dot -o graph.dot", "the format is 'dot': choose one of edges"),
    ("export finished --format edges -o no/where.txt", "no/where.txt: the folder does not exist; make it"),
    ("export finished --format edges -o finished", "Is a directory"),
    ("export finished --format markdown finished", "not empty; name a new folder"),
    ("export finished --format markdown no/where", "no/where: the folder does not exist; make it first"),
    ("export finished --format edges --relevant", "the format edges does not tell relevant pages from others"),
    ("export finished --format csv --one-file", "all in one file is for the format markdown"),
    ("export finished --format warc --no-text", "opensearch, markdown can leave out text; warc cannot"),
    ("export finished --format csv a.csv -o b.csv", "two places to write to, a.csv and b.csv; give one"),
    ("export finished --format csv /proc/nothing.csv", "/proc/nothing.csv"),
    ("export finished --format jsonl file/pages.jsonl", "file/pages.jsonl: Not a directory; name another place with"),
    ("export finished --format markdown finished/pages", "lies in the run folder"),
    *(
        (f"export finished --format jsonl finished/{name} --overwrite", f"{name} lies in the run folder")
        for name in ("crawl.sqlite", "settings.toml", "pages.jsonl")
    ),
    ("export finished --format jsonl link.jsonl --overwrite", "link.jsonl lies in the run folder"),
    ("report finished -o there.toml", "there.toml is there already"),
    ("report finished -o no/where.html", "the folder does not exist; make it first"),
    ("report finished -o finished/settings.toml --overwrite", "settings.toml lies in the run folder"),
    ("report finished -o file/a.html", "file/a.html: Not a directory; name another place with -o"),
    ("demo --keep finished", "exists and is not empty"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one of everything that can be wrong."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(text.encode("latin-1"))
    (tmp_path / "dump.xml").write_bytes(dump_xml(PAGES))
    (tmp_path / "cut.xml").write_bytes(dump_xml(PAGES)[:-400])
    (tmp_path / "redirects.xml").write_bytes(dump_xml(PAGES[2:]))
    return tmp_path


@pytest.mark.parametrize(("command", "words"), NEEDS_NO_RUN)
def test_bad_input_is_refused(folder: Path, refusal: Refusal, command: str, words: str) -> None:
    if "wiki:world" in command:
        world_of(folder, PAGES[:2]).shut()
    assert words in refusal(command)


@pytest.mark.parametrize(("command", "words"), NEEDS_A_RUN)
def test_bad_input_about_a_run_is_refused(
    folder: Path, finished_run: Path, refusal: Refusal, command: str, words: str
) -> None:
    (folder / "link.jsonl").symlink_to(finished_run / "crawl.sqlite")
    assert words in refusal(command)


def test_every_mistake_has_a_line_of_its_own(cli: Cli) -> None:
    cli("crawl run --strategy wander --budget 0 --topic x --seed-url mailto:a@b.c", status=2)
    lines = cli.err.splitlines()
    for line, words in zip(lines, ("crawl.strategy is 'wander'", "budget.fetches is 0", "mailto:a@b.c"), strict=True):
        assert line.startswith("honeyguide: ")
        assert words in line


def test_a_setting_that_was_replaced_names_the_flag_that_takes_its_place(refusal: Refusal) -> None:
    assert "--learn-from" in refusal("crawl run --topic x --world synthetic --set lfa.start_weights=weights.json")


def test_a_host_is_written_alone(refusal: Refusal, finished_run: Path) -> None:
    assert Url.parse("http://a.example/").host == "a.example"
    for host in ("http://a.example/", "a.example/b", "a b"):
        told = refusal("traps", finished_run, "--host", host)
        assert told == f"honeyguide: --host is {host!r}: write the name of a host alone, as in example.org\n"


def test_a_bad_file_of_vectors_is_refused(
    cli: Cli, refusal: Refusal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    (tmp_path / "own.txt").write_text("rock 1 2\nmud 3\n", encoding="utf-8")
    cli("vectors info own.txt", status=2)  # makes the folder of the cache, which stays
    assert "own.txt, line 2 has 1 number" in refusal("vectors info own.txt")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ("--allow-private", "--allow-private needs a network or a host behind it"),
        ("--allow-private --budget 5", "--allow-private needs a network or a host behind it"),
        ("--allow-private 10.0.0.0/99", "fetch.allow_private: '10.0.0.0/99' is no network or host"),
    ],
)
def test_who_may_be_called_must_be_named(refusal: Refusal, flags: str, words: str) -> None:
    assert words in refusal(f"crawl run --keyword rock --seed-url http://a.test/ {flags}")


@pytest.mark.parametrize("size", ["2", "2 apples", "-1GB", "GB", "1e9MB"])
def test_a_size_needs_its_unit(refusal: Refusal, size: str) -> None:
    line = refusal("crawl", "run", "--keyword", "rock", "--max-memory", size)
    assert f"--max-memory is {size!r}: give a size with its unit, as in 500MB or 2GB" in line
