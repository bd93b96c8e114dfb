"""Vectors as a setting: any file will do, and a run goes on only with the vectors that it began with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from crawler.small_crawls import settings_for, story
from deep_strategies import thorough
from honeyguide.crawler import Builder, crawl, resume, word_vectors
from honeyguide.errors import SettingsError, VectorsError
from honeyguide.settings import VectorSettings, load_settings, validate, with_overrides
from honeyguide.text import EnglishVectors, WordllamaVectors, WordVectors, encoder, open_vectors
from vectors_by_hash import hashed_vectors
from written_vectors import glove, word2vec_binary

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from honeyguide.settings import Settings
    from honeyguide.text.vector_files import Converting

KNOWN = [
    "geology",
    "rock",
    "mineral",
    "fossil",
    "lava",
    "crystal",
    "star",
    "planet",
    "soup",
    "the",
    "of",
    "and",
    "home",
]


def vectors_file(path: Path, *, seed: int = 0, dimension: int = 20) -> Path:
    vectors = np.random.default_rng(seed).normal(size=(len(KNOWN), dimension)).astype(np.float32)
    path.write_bytes(glove([word.encode() for word in KNOWN], vectors))
    return path


def settings_with(file: Path, strategy: str = "online-ridge", *, budget: int = 24, concurrency: int = 1) -> Settings:
    return settings_for(
        strategy,
        budget=budget,
        concurrency=concurrency,
        vectors__source=str(file),
        vectors__cache_folder=str(file.parent / "cache"),
    )


@pytest.mark.parametrize("dimension", [31, 300, *map(thorough, (1, 32, 50, 100))])
@pytest.mark.parametrize("strategy", ["online-ridge", thorough("best-first")])
def test_a_crawl_with_vectors_of_any_dimension_stops_and_goes_on_as_one(
    strategy: str, dimension: int, tmp_path: Path
) -> None:
    file = vectors_file(tmp_path / "vectors.txt", dimension=dimension)
    with crawl(tmp_path / "whole", settings_with(file, strategy)) as run:
        assert run.progress.pages > 12
    crawl(tmp_path / "halves", settings_with(file, strategy, budget=12)).close()
    resume(tmp_path / "halves", budget=24).close()
    assert story(tmp_path / "halves") == story(tmp_path / "whole")


class CountedLetters:
    """A model of texts for tests: it goes by how often each letter stands there."""

    digest = "letters"

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        letters = "abcdefghijklmnopqrstuvwxyz "
        return np.array([[text.count(letter) for letter in letters] for text in texts], dtype=np.float32)


def test_a_crawl_with_an_encoder_stops_and_goes_on_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "_open_model", lambda _: CountedLetters())
    cache: dict[str, Any] = {"vectors__cache_folder": str(tmp_path / "cache"), "concurrency": 1}
    crawl(tmp_path / "without", settings_for("online-ridge", budget=30, **cache)).close()
    encoded: dict[str, Any] = {"vectors__encoder": "minilm", **cache}
    crawl(tmp_path / "whole", settings_for("online-ridge", budget=30, **encoded)).close()
    crawl(tmp_path / "halves", settings_for("online-ridge", budget=15, **encoded)).close()
    resume(tmp_path / "halves", budget=30).close()
    assert story(tmp_path / "halves") == story(tmp_path / "whole") != story(tmp_path / "without")
    assert load_settings(tmp_path / "whole" / "settings.toml").vectors.digest.endswith("+letters")


def test_the_vectors_decide_what_is_chosen(tmp_path: Path) -> None:
    for seed in (0, 1):
        file = vectors_file(tmp_path / f"vectors{seed}.txt", seed=seed)
        crawl(tmp_path / f"run{seed}", settings_with(file)).close()
    assert story(tmp_path / "run0") != story(tmp_path / "run1")


def test_a_run_remembers_its_vectors_and_does_not_go_on_with_others(tmp_path: Path) -> None:
    file = vectors_file(tmp_path / "vectors.txt")
    run = tmp_path / "run"
    crawl(run, settings_with(file)).close()
    kept = load_settings(run / "settings.toml")
    assert kept.vectors.digest == open_vectors(str(file), tmp_path / "cache").digest
    before = story(run)
    vectors_file(file, seed=1)
    with pytest.raises(VectorsError, match=r"not those that the run began with .*vectors\.digest") as caught:
        resume(run, budget=30)
    assert "\n" not in str(caught.value)
    assert story(run) == before
    assert load_settings(run / "settings.toml") == kept
    vectors_file(file)  # the old ones again, as a new file
    with resume(run, budget=30) as gone_on:
        assert gone_on.progress.fetches == 30


def test_the_same_vectors_in_another_form_are_the_same_vectors(tmp_path: Path) -> None:
    file = vectors_file(tmp_path / "vectors.txt")
    crawl(tmp_path / "run", settings_with(file)).close()
    vectors = np.random.default_rng(0).normal(size=(len(KNOWN), 20)).astype(np.float32)
    file.write_bytes(word2vec_binary([word.encode() for word in KNOWN], vectors))
    with resume(tmp_path / "run", budget=30) as run:
        assert run.progress.fetches == 30


def test_who_empties_the_digest_goes_on_with_other_vectors(tmp_path: Path) -> None:
    file = vectors_file(tmp_path / "vectors.txt")
    run = tmp_path / "run"
    crawl(run, settings_with(file)).close()
    vectors_file(file, seed=1)
    settings = run / "settings.toml"
    digest = load_settings(settings).vectors.digest
    settings.write_text(settings.read_text(encoding="utf-8").replace(digest, ""), encoding="utf-8")
    with resume(run, budget=30) as gone_on:
        assert gone_on.progress.fetches == 30
        assert gone_on.settings.vectors.digest not in {"", digest}


def test_vectors_handed_over_are_checked_too_where_they_say_what_they_are(tmp_path: Path) -> None:
    file = vectors_file(tmp_path / "vectors.txt")
    settings = settings_with(file)
    crawl(tmp_path / "run", settings, vectors=word_vectors(settings.chosen_vectors)).close()
    assert load_settings(tmp_path / "run" / "settings.toml").vectors.digest != ""
    other = WordVectors(open_vectors(str(vectors_file(tmp_path / "other.txt", seed=1)), tmp_path / "cache"))
    with pytest.raises(VectorsError, match="not those that the run began with"):
        resume(tmp_path / "run", budget=30, vectors=other)


def test_vectors_that_do_not_say_what_they_are_leave_no_digest(tmp_path: Path) -> None:
    crawl(tmp_path / "run", settings_for(budget=5), vectors=hashed_vectors()).close()
    assert load_settings(tmp_path / "run" / "settings.toml").vectors == VectorSettings()


@pytest.mark.parametrize(("language", "source"), [("english", EnglishVectors), ("german", WordllamaVectors)])
def test_the_language_says_which_bundled_vectors_serve(language: str, source: type) -> None:
    settings = with_overrides(settings_for(budget=5), {"judge.language": language})
    assert type(Builder(settings).vectors.source) is source


def test_the_bundled_vectors_have_a_digest_too(tmp_path: Path) -> None:
    crawl(tmp_path / "run", settings_for(budget=5)).close()
    assert load_settings(tmp_path / "run" / "settings.toml").vectors.digest == EnglishVectors().digest


def test_a_crawl_that_needs_no_vectors_looks_for_none(tmp_path: Path) -> None:
    settings = with_overrides(settings_with(tmp_path / "absent.txt", "breadth-first"), {"judge.kind": "keyword"})
    with crawl(tmp_path / "run", settings) as run:
        assert run.progress.fetches == 24
        assert run.settings.vectors.digest == ""


def test_vectors_that_cannot_be_had_leave_no_run_folder(tmp_path: Path) -> None:
    with pytest.raises(VectorsError, match="no file of vectors"):
        crawl(tmp_path / "run", settings_with(tmp_path / "absent.txt"))
    (tmp_path / "bad.txt").write_bytes(b"rock 1 2\nmud 3\n")
    with pytest.raises(VectorsError, match="line 2 has 1 number"):
        crawl(tmp_path / "run", settings_with(tmp_path / "bad.txt"))
    assert not (tmp_path / "run").exists()


def test_the_first_crawl_with_a_file_tells_how_far_its_conversion_is(tmp_path: Path) -> None:
    file = vectors_file(tmp_path / "vectors.txt")
    told: list[Converting] = []
    for name in ("first", "second"):
        crawl(tmp_path / name, settings_with(file, budget=2), on_converting=told.append).close()
    assert [(each.path, each.words) for each in told] == [(file, len(KNOWN))]


def test_a_builder_loads_vectors_once(tmp_path: Path) -> None:
    builder = Builder(settings_with(vectors_file(tmp_path / "vectors.txt")))
    assert builder.vectors is builder.vectors
    assert builder.vectors.dimension == 20


class TestTopicsWithoutVectors:
    @pytest.mark.parametrize(
        ("strategy", "judge"),
        [
            ("breadth-first", {"kind": "embedding"}),
            ("breadth-first", {"kind": "embedding-tfidf"}),
            ("breadth-first", {"kind": "rake"}),
            ("breadth-first", {"kind": "combined", "parts": ["keyword", "embedding"]}),
            ("breadth-first", {"kind": "keyword", "reward": "pertejo-cosine"}),
            ("best-first", {"kind": "keyword"}),
            ("online-ridge", {"kind": "keyword"}),
            ("url-heuristic", {"kind": "keyword"}),
        ],
    )
    def test_who_goes_by_vectors_refuses_before_anything_is_written(
        self, strategy: str, judge: dict[str, Any], tmp_path: Path
    ) -> None:
        file = vectors_file(tmp_path / "vectors.txt")
        unknown = {"topic.name": "zzzqq", "topic.keywords": ["qqzzz"], "topic.unlike": ["soup"]}
        judging = {f"judge.{name}": value for name, value in judge.items()}
        with pytest.raises(VectorsError) as caught:
            crawl(tmp_path / "run", with_overrides(settings_with(file, strategy), {**unknown, **judging}))
        assert str(caught.value) == (
            f"no word of the topic 'zzzqq, qqzzz' is among the vectors of {file}: "
            "name it otherwise, or use other vectors"
        )
        assert not (tmp_path / "run").exists()

    def test_examples_with_known_words_are_enough_but_not_for_rake(self, tmp_path: Path) -> None:
        settings = with_overrides(
            settings_with(vectors_file(tmp_path / "vectors.txt"), budget=3),
            {"topic.name": "zzzqq", "topic.keywords": [], "topic.like": ["rock and lava"]},
        )
        crawl(tmp_path / "run", settings).close()
        with pytest.raises(VectorsError, match="no word of the topic 'zzzqq'"):
            crawl(tmp_path / "rake", with_overrides(settings, {"judge.kind": "rake"}))

    @pytest.mark.parametrize("name", ["zzzqq", ""])
    def test_where_no_vectors_are_compared_with_it_any_topic_goes(self, name: str, tmp_path: Path) -> None:
        settings = with_overrides(
            settings_with(vectors_file(tmp_path / "vectors.txt"), "breadth-first", budget=3),
            {"topic.name": name, "topic.keywords": [], "judge.kind": "keyword" if name else "embedding"},
        )
        with crawl(tmp_path / "run", settings) as run:
            assert run.progress.relevant == 0


class TestSettings:
    @pytest.mark.parametrize("value", ["", "  ", "a\0b"])
    def test_a_source_that_can_be_no_path_is_refused(self, value: str) -> None:
        with pytest.raises(SettingsError, match=r"vectors\.source is"):
            validate(settings_for(vectors__source=value))

    def test_the_cache_is_where_the_user_says(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HOME", str(tmp_path / "home"))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
        assert VectorSettings().cache_path == tmp_path / "xdg" / "honeyguide" / "vectors"
        assert VectorSettings(cache_folder=str(tmp_path)).cache_path == tmp_path
        assert VectorSettings(cache_folder="~/here").cache_path == tmp_path / "home" / "here"
        for unusable in ("", "relative/path"):
            monkeypatch.setenv("XDG_CACHE_HOME", unusable)
            assert VectorSettings().cache_path == tmp_path / "home" / ".cache" / "honeyguide" / "vectors"
        monkeypatch.delenv("XDG_CACHE_HOME")
        assert VectorSettings().cache_path == tmp_path / "home" / ".cache" / "honeyguide" / "vectors"
