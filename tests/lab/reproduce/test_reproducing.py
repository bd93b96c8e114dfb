"""The frame around the papers: what it refuses, what it keeps, how it goes on."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from honeyguide.errors import RunExists, SettingsError, WorldError
from honeyguide_lab.crawl_task import EXPERIMENT_FILE
from honeyguide_lab.reproduce import PAPERS, StudyOptions, paper_named, reproduce
from honeyguide_lab.reproduce.reproducing import data_hash
from honeyguide_lab.reproduce.study import StudiedWorld
from lab.reproduce.small_wiki import build_small_wiki
from worlds.wiki.dumps import Written, world_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from honeyguide_lab.reproduce import Reproduced

WEB = "synthetic:seed=3,pages=300,hosts=8"
HAN_WEB = "synthetic:seed=1,pages=600,hosts=10,topics=4"


@pytest.fixture(autouse=True)
def _undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("honeyguide_lab.reproduce.reproducing.can_draw", lambda: False)


def made(folder: Path, paper: str = "wikicrawler", **how: Any) -> Reproduced:
    chosen: dict[str, Any] = {"worlds": (WEB,), "is_quick": True, "jobs": 1} | how
    done = reproduce(paper, folder, **chosen)
    assert done is not None
    return done


@pytest.fixture(scope="module")
def reproduced(shared_folder: Callable[[str], AbstractContextManager[Path]]) -> Reproduced:
    with shared_folder("reproducing") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("honeyguide_lab.reproduce.reproducing.can_draw", lambda: False)
        return made(folder / "out")


class TestPapers:
    def test_names_differ_and_lead_to_their_papers(self) -> None:
        names = [paper.name for paper in PAPERS]
        assert names == ["han2018", "lim2016", "pertejo2021", "wikicrawler"]
        assert [paper_named(name).name for name in names] == names

    @pytest.mark.parametrize(
        ("name", "remedy"),
        [("lim2015", "did you mean lim2016?"), ("WikiCrawler", "did you mean wikicrawler?"),
         ("", "choose one of han2018, lim2016, pertejo2021, wikicrawler"),
         ("einstein1905", "choose one of han2018, lim2016, pertejo2021, wikicrawler")],
    )  # fmt: skip
    def test_another_name_is_refused_with_the_nearest(self, name: str, remedy: str) -> None:
        with pytest.raises(SettingsError) as refused:
            paper_named(name)
        assert str(refused.value) == f"no paper {name!r}: {remedy}"


class TestOptions:
    def test_what_a_paper_does_not_heed_is_refused_and_nothing_is_made(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError) as refused:
            reproduce("lim2016", tmp_path / "out", options=StudyOptions(vectors="glove.txt", steps=5, ablations=True))
        assert [each.split(":")[0] for each in refused.value.mistakes] == [
            "lim2016 takes no --vectors",
            "lim2016 takes no --steps",
            "lim2016 takes no --ablations",
        ]
        assert list(tmp_path.iterdir()) == []

    def test_a_size_of_nothing_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match="--tasks is 0: give 1 or more"):
            reproduce("han2018", tmp_path / "out", options=StudyOptions(tasks=0))

    @pytest.mark.thorough
    def test_the_folder_of_other_options_is_refused(self, tmp_path: Path) -> None:
        smallest = StudyOptions(steps=2, tasks=1, trials=1)
        made(tmp_path / "out", "han2018", worlds=(HAN_WEB,), options=smallest)
        with pytest.raises(RunExists):
            made(tmp_path / "out", "han2018", worlds=(HAN_WEB,), options=StudyOptions(steps=2, tasks=1, trials=2))


class TestWorlds:
    @pytest.mark.parametrize(
        ("worlds", "error", "told"),
        [
            (("live",), SettingsError, "world live: reproduce takes wiki:PATH and synthetic"),
            (("synthetic+http",), SettingsError, "synthetic+http"),
            (("nowhere",), SettingsError, "nowhere"),
            ((WEB, WEB), SettingsError, "given twice"),
            (("wiki:not-there",), WorldError, "not-there is not a wiki world"),
            (("synthetic:pages=few",), WorldError, "few"),
        ],
    )
    def test_a_world_that_cannot_serve_is_refused_and_nothing_is_made(
        self, tmp_path: Path, worlds: tuple[str, ...], error: type[Exception], told: str
    ) -> None:
        with pytest.raises(error, match=told.replace("+", r"\+")):
            reproduce("lim2016", tmp_path / "out", worlds=worlds)
        assert list(tmp_path.iterdir()) == []

    def test_worlds_are_studied_in_the_order_given(self, tmp_path: Path) -> None:
        wiki = build_small_wiki(tmp_path / "wiki")
        done = made(tmp_path / "out", worlds=(f"wiki:{wiki}", WEB))
        assert [each["world"] for each in done.document["worlds"]] == [f"wiki:{wiki}", WEB]

    def test_a_wiki_that_has_none_of_the_topics_is_left_out_with_a_word(self, tmp_path: Path) -> None:
        world_of(tmp_path, [Written("Soup", "With [[bread]]."), Written("Bread", "With [[soup]].")]).shut()
        done = made(tmp_path / "out", worlds=(WEB, f"wiki:{tmp_path / 'world'}"))
        told = [each for each in done.document["left_out"] if "the wiki has neither" in each]
        assert [each.partition(" on ")[0] for each in told] == ["tennis", "pop music", "physics"]
        assert [folder.name for folder in (tmp_path / "out" / "runs").iterdir()] == ["1-synthetic"]
        assert done.document["worlds"][1]["crawls"] == []

    def test_the_papers_own_web_is_taken_where_nobody_names_one(self, tmp_path: Path) -> None:
        wiki = build_small_wiki(tmp_path / "wiki")
        done = made(tmp_path / "out", worlds=(f"wiki:{wiki}",))
        assert [each["world"] for each in done.document["worlds"]] == [
            paper_named("wikicrawler").quick_world,
            f"wiki:{wiki}",
        ]

    def test_names_of_folders_differ_whatever_the_worlds_are_called(self) -> None:
        names = ("wiki:/a/simple", "wiki:/b/simple", "synthetic", "synthetic:seed=1", "wiki:/ünï/", "wiki:" + "x" * 90)
        slugs = [StudiedWorld(number, name).slug for number, name in enumerate(names, 1)]
        assert slugs[:4] == ["1-wiki-simple", "2-wiki-simple", "3-synthetic", "4-synthetic"]
        assert len(set(slugs)) == len(slugs)
        assert all(len(slug) < 50 and slug.isascii() and "/" not in slug for slug in slugs)


class TestProvenance:
    def test_the_document_names_code_seed_settings_and_data(self, reproduced: Reproduced) -> None:
        document = json.loads((reproduced.folder / "report.json").read_text())
        assert document == reproduced.document
        assert (document["paper"], document["seed"], document["quick"]) == ("wikicrawler", 0, True)
        assert document["honeyguide"].startswith("0.")
        (world,) = document["worlds"]
        assert len(world["data_hash"]) == 32
        for crawl in world["crawls"]:
            assert (reproduced.folder / crawl["run"] / "settings.toml").is_file()
            assert crawl["settings"]["crawl.world"] == WEB
        assert world["data_hash"][:12] in reproduced.text

    def test_the_seed_reaches_every_crawl(self, tmp_path: Path) -> None:
        (world,) = made(tmp_path / "out", seed=7).document["worlds"]
        assert {crawl["settings"]["crawl.seed"] for crawl in world["crawls"]} == {7}

    def test_the_data_hash_is_of_answers_and_not_of_who_asked(self, reproduced: Reproduced) -> None:
        runs = [reproduced.folder / crawl["run"] for crawl in reproduced.document["worlds"][0]["crawls"]]
        whole = data_hash(runs)
        assert data_hash(reversed(runs)) == whole
        assert data_hash([*runs, runs[0]]) == whole
        assert data_hash(runs[:1]) != whole
        assert data_hash([]) != whole


class TestFolder:
    def test_a_folder_with_other_things_in_it_is_left_alone(self, tmp_path: Path) -> None:
        (tmp_path / "letter.txt").write_text("Dear")
        with pytest.raises(RunExists, match="not empty"):
            made(tmp_path)
        assert [file.name for file in tmp_path.iterdir()] == ["letter.txt"]

    @pytest.mark.parametrize(
        ("how", "what"),
        [({"paper": "lim2016"}, "paper"), ({"seed": 1}, "seed"), ({"is_quick": False}, "quick"),
         ({"worlds": ("synthetic:seed=4,pages=300,hosts=8",)}, "worlds")],
    )  # fmt: skip
    def test_another_reproduction_is_refused(self, reproduced: Reproduced, how: dict[str, Any], what: str) -> None:
        with pytest.raises(RunExists, match=rf"another experiment \({what} differ\)"):
            made(reproduced.folder, **how)

    def test_other_code_is_refused(self, reproduced: Reproduced, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("honeyguide_lab.reproduce.reproducing.code_version", lambda: "9.9")
        with pytest.raises(RunExists, match="other code"):
            made(reproduced.folder)

    def test_a_wiki_that_was_built_anew_is_another_world(self, tmp_path: Path) -> None:
        wiki = build_small_wiki(tmp_path / "wiki")
        made(tmp_path / "out", worlds=(WEB, f"wiki:{wiki}"))
        os.utime(wiki / "wiki.sqlite", (1, 1))
        with pytest.raises(RunExists, match="worlds differ"):
            made(tmp_path / "out", worlds=(WEB, f"wiki:{wiki}"))

    def test_a_folder_whose_description_is_broken_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / EXPERIMENT_FILE).write_text("{")
        with pytest.raises(RunExists, match="cannot be read"):
            made(tmp_path)


class TestGoingOn:
    def test_called_again_it_crawls_nothing_and_says_the_same(self, reproduced: Reproduced) -> None:
        databases = sorted((reproduced.folder / "runs").rglob("crawl.sqlite"))
        before = [file.stat().st_mtime_ns for file in databases]
        assert made(reproduced.folder).document == reproduced.document
        assert [file.stat().st_mtime_ns for file in databases] == before

    def test_interrupted_it_goes_on_to_the_same_report(self, reproduced: Reproduced, tmp_path: Path) -> None:
        answers = iter([False] * 150 + [True] * 100_000)
        stopped = reproduce(
            "wikicrawler", tmp_path / "out", worlds=(WEB,), is_quick=True, jobs=1, is_interrupted=lambda: next(answers)
        )
        assert stopped is None
        assert not (tmp_path / "out" / "report.md").exists()
        assert any((tmp_path / "out" / "runs").rglob("crawl.sqlite"))
        assert made(tmp_path / "out").document == reproduced.document

    def test_progress_is_told_up_to_the_whole_budget(self, tmp_path: Path) -> None:
        heard: list[tuple[str, int, int]] = []
        made(tmp_path / "out", on_progress=lambda *news: heard.append(news))
        assert heard[0][:2] == ("crawling", 0)
        assert heard[-1][0] == "writing the report"
        assert heard[-1][1] == heard[-1][2] > 0
