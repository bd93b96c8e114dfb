"""The files that a judge reads, and whether they are those that a run began with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import xxhash

from honeyguide.errors import JudgeError
from honeyguide.settings.paths import files_of_the_judge

if TYPE_CHECKING:
    from honeyguide.settings import JudgeSettings


def judge_digest(judge: JudgeSettings) -> str:
    """Names the content of the judge's files; empty where it has none, or one cannot be read, as the judge will say."""
    files = files_of_the_judge(judge)
    together = xxhash.xxh3_128()
    for path in files:
        try:
            content = path.read_bytes()
        except OSError:
            return ""
        together.update(xxhash.xxh3_128_digest(content))
    return together.hexdigest() if files else ""


def check_judge_files(digest: str, judge: JudgeSettings) -> None:
    """JudgeError if the settings have the digest of other files: a crawl must not go on with these unnoticed."""
    if judge.digest and digest and digest != judge.digest:
        names = " and ".join(map(str, files_of_the_judge(judge)))
        raise JudgeError(
            f"the judge's file {names} is not the one that the run began with (digest {digest}, then {judge.digest}): "
            "put the old one back, or begin a new run; to go on all the same, empty judge.digest in its settings.toml"
        )
