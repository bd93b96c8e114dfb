"""The shipped topics are those of the papers; the shipped subjects are a tree, every name once."""

from __future__ import annotations

import pytest

from honeyguide.errors import SettingsError
from honeyguide.model import Url
from honeyguide.text import words_of
from honeyguide.topic import Subject, preset, presets, subjects
from honeyguide.topic.presets import read_subjects

# Han et al. 2018, section 4.
CATEGORIES = {
    "fiction": ("Literature", "Arts"),
    "olympics": ("Sports",),
    "cancer": ("Disease", "Medicine", "Oncology", "Health"),
    "cameras": ("Photography", "Movies", "Arts"),
    "geology": ("Earth", "Science"),
    "poetry": ("Literature", "Arts"),
}


def test_the_six_topics_have_the_categories_of_the_paper() -> None:
    assert {key: found.topic.categories for key, found in presets().items()} == CATEGORIES


def test_the_topic_is_its_one_word_as_in_the_paper() -> None:
    for key, found in presets().items():
        assert found.topic.phrases == (found.topic.name,)
        assert found.topic.name.lower() == key


def test_only_olympics_and_fiction_learn_in_half_steps() -> None:
    halves = {key for key, found in presets().items() if found.step_size == 0.0005}
    assert halves == {"olympics", "fiction"}
    assert {found.step_size for found in presets().values()} == {0.0005, 0.001}


def test_every_preset_starts_at_its_page_of_the_simple_english_wikipedia() -> None:
    for found in presets().values():
        (url,) = found.seed_urls
        page = found.seed_titles[0].replace(" ", "_")
        assert Url.parse(url).text == url == f"https://simple.wikipedia.org/wiki/{page}"


def test_a_preset_is_found_whatever_its_capitals() -> None:
    assert preset(" Geology ") is presets()["geology"]


def test_an_unknown_preset_is_refused_with_the_nearest_or_all() -> None:
    with pytest.raises(SettingsError, match=r"'geolgy'; did you mean geology\?"):
        preset("geolgy")
    with pytest.raises(SettingsError, match=r"choose one of fiction, olympics, cancer, cameras, geology, poetry"):
        preset("knitting")


def test_a_subject_knows_what_holds_it_and_goes_on_in_the_next_line() -> None:
    text = "# remark\n\nScience: theory\n  Biology: cell, life form,\n      animal\n    Botany: plant\nArts: art\n"
    assert list(read_subjects(text)) == [
        Subject("Science", ("theory",), ()),
        Subject("Biology", ("cell", "life form", "animal"), ("Science",)),
        Subject("Botany", ("plant",), ("Biology", "Science")),
        Subject("Arts", ("art",), ()),
    ]


def test_there_are_a_few_hundred_subjects_with_words_to_each() -> None:
    assert 300 <= len(subjects()) <= 600
    assert all(len(subject.words) >= 3 for subject in subjects())


def test_every_name_is_there_once_and_holds_its_narrower_ones() -> None:
    names = [subject.name for subject in subjects()]
    assert len(set(names)) == len(names)
    for subject in subjects():
        for wider in subject.wider:
            assert names.index(wider) < names.index(subject.name)


def test_every_word_is_in_lower_case_and_not_twice_with_one_subject() -> None:
    for subject in subjects():
        assert len(set(subject.words)) == len(subject.words), subject.name
        for word in subject.words:
            assert word == word.lower().strip()
            assert words_of(word)
