"""The shipped subjects: a tree, every name once, every word ready to be a keyword."""

from __future__ import annotations

from honeyguide.text import words_of
from honeyguide.topic import Subject, subjects
from honeyguide.topic.presets import read_subjects


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
