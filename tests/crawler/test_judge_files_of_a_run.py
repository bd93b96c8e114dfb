"""A judge's files: a run finds them again from any folder, and goes on only with those that it began with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from crawler.small_crawls import settings_for, story
from honeyguide.crawler import crawl, resume
from honeyguide.errors import JudgeError, SettingsError
from honeyguide.judge import ClassifierSettings, IdfSettings, idf_of
from honeyguide.settings import Settings, load_settings, settings_from, with_overrides
from honeyguide.settings.schema import with_absolute_paths
from pages import page_of

if TYPE_CHECKING:
    from pathlib import Path


def collection(path: Path, *texts: str) -> Path:
    idf_of([page_of(text) for text in texts]).write(path)
    return path


def settings_with(budget: int = 20, **judge: Any) -> Settings:
    settings = settings_for("breadth-first", budget=budget)
    return with_overrides(settings, {f"judge.{name}": value for name, value in judge.items()})


JUDGES_BY_IDF: list[dict[str, Any]] = [
    {"kind": "tfidf"},
    {"kind": "embedding-tfidf"},
    {"kind": "combined", "parts": ["keyword", "tfidf:2"]},
]


@pytest.mark.parametrize("judge", JUDGES_BY_IDF)
def test_a_run_does_not_go_on_with_another_collection(judge: dict[str, Any], tmp_path: Path) -> None:
    file = collection(tmp_path / "collection.json", "rock mud", "rock")
    run = tmp_path / "run"
    crawl(run, settings_with(idf=str(file), **judge)).close()
    kept, before = load_settings(run / "settings.toml"), story(run)
    collection(file, "rock mud", "mineral")
    with pytest.raises(JudgeError, match=r"collection\.json is not the one .*empty judge\.digest") as caught:
        resume(run, budget=30)
    assert "\n" not in str(caught.value)
    assert story(run) == before
    assert load_settings(run / "settings.toml") == kept
    collection(file, "rock mud", "rock")
    with resume(run, budget=30) as gone_on:
        assert gone_on.progress.fetches == 30


@pytest.mark.thorough
def test_a_run_does_not_go_on_with_another_classifier(tmp_path: Path) -> None:
    skops = pytest.importorskip("skops.io", reason="needs the extra classifier")
    file, run = tmp_path / "own.skops", tmp_path / "run"
    _dump(skops, "rock", file)
    crawl(run, settings_with(kind="classifier", classifier=str(file))).close()
    before = file.read_bytes()
    _dump(skops, "mud", file)
    with pytest.raises(JudgeError, match=r"own\.skops is not the one"):
        resume(run, budget=30)
    file.write_bytes(before)
    resume(run, budget=30).close()


def _dump(skops: Any, word: str, file: Path) -> None:
    text, naive_bayes, pipelines = map(
        pytest.importorskip, ("sklearn.feature_extraction.text", "sklearn.naive_bayes", "sklearn.pipeline")
    )
    pipeline = pipelines.make_pipeline(text.CountVectorizer(), naive_bayes.MultinomialNB())
    skops.dump(pipeline.fit([f"{word} {word}", "soup"], [1, 0]), file)


def test_who_empties_the_digest_goes_on_with_another_file(tmp_path: Path) -> None:
    file = collection(tmp_path / "collection.json", "rock mud")
    run = tmp_path / "run"
    crawl(run, settings_with(kind="tfidf", idf=str(file))).close()
    digest = load_settings(run / "settings.toml").judge.digest
    collection(file, "rock")
    settings = run / "settings.toml"
    settings.write_text(settings.read_text(encoding="utf-8").replace(digest, ""), encoding="utf-8")
    with resume(run, budget=30) as gone_on:
        assert gone_on.settings.judge.digest not in {"", digest}


def test_a_file_that_the_judge_does_not_read_is_not_looked_at(tmp_path: Path) -> None:
    crawl(tmp_path / "run", settings_with(kind="keyword", idf=str(tmp_path / "absent.json"))).close()
    assert load_settings(tmp_path / "run" / "settings.toml").judge.digest == ""


def test_a_file_that_is_gone_is_named(tmp_path: Path) -> None:
    file = collection(tmp_path / "collection.json", "rock")
    crawl(tmp_path / "run", settings_with(kind="tfidf", idf=str(file))).close()
    file.unlink()
    with pytest.raises(SettingsError, match=r"judge\.idf: cannot read .*collection\.json: No such file"):
        resume(tmp_path / "run", budget=30)


def test_a_run_with_relative_paths_goes_on_from_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    collection(here / "collection.json", "rock mud")
    monkeypatch.chdir(here)
    crawl("run", settings_with(kind="tfidf", idf="collection.json")).close()
    monkeypatch.chdir(there)
    with resume(here / "run", budget=30) as run:
        assert run.progress.fetches == 30
        assert run.settings.of(IdfSettings).idf == str(here / "collection.json")


def test_files_are_made_absolute_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    files = {"judge": {"idf": "a.json", "classifier": "b.skops"}, "vectors": {"source": "~/c.txt"}}
    absolute = with_absolute_paths(settings_from(files))
    assert absolute.of(IdfSettings).idf == str(tmp_path / "a.json")
    assert absolute.of(ClassifierSettings).classifier == str(tmp_path / "b.skops")
    assert absolute.vectors.source == str(tmp_path / "home" / "c.txt")
    assert with_absolute_paths(absolute) == absolute
    others = settings_from({"judge": {"classifier": "module:thing"}})
    assert with_absolute_paths(others) == others
    assert with_absolute_paths(settings_from({"judge": {"idf": "~nobody-of-this-name/a"}})).of(IdfSettings).idf == str(
        tmp_path / "~nobody-of-this-name" / "a"
    )


def test_a_config_file_names_files_as_seen_from_its_own_folder(tmp_path: Path) -> None:
    config = tmp_path / "crawl.toml"
    config.write_text(
        f'[judge]\nidf = "a.json"\nclassifier = "{tmp_path}/b.skops"\n[vectors]\nsource = "../c.txt"\n',
        encoding="utf-8",
    )
    settings = load_settings(config)
    assert settings.of(IdfSettings).idf == str(tmp_path / "a.json")
    assert settings.of(ClassifierSettings).classifier == str(tmp_path / "b.skops")
    assert settings.vectors.source == str(tmp_path / "../c.txt")
    config.write_text('[judge]\nidf = "seen"\nclassifier = "a.b:c"\n[vectors]\nsource = "bundled"\n', encoding="utf-8")
    assert load_settings(config) == settings_from({"judge": {"classifier": "a.b:c"}})
    config.write_text("judge = 3\n[vectors]\nsource = 3\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"vectors\.source is 3"):
        load_settings(config)
