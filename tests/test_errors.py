"""Errors come whole out of other processes."""

from __future__ import annotations

import pickle

from honeyguide.errors import SettingsError


def test_mistakes_survive_the_way_out_of_another_process() -> None:
    error = SettingsError(["one is wrong", "another is, too"])
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, SettingsError)
    assert again.mistakes == ("one is wrong", "another is, too")
    assert str(again) == str(error) == "one is wrong; another is, too"
