"""The folder of a run of several shards: `cluster.json` beside the usual files, and a run folder for each shard."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from honeyguide.errors import RunDamaged

if TYPE_CHECKING:
    from pathlib import Path

FILE: Final = "cluster.json"
FORMAT: Final = 1


class ClusterFolder:
    """Paths of such a run."""

    def __init__(self, path: Path, shards: int) -> None:
        self.path = path
        self.shards = shards

    @classmethod
    def create(cls, path: Path, shards: int) -> ClusterFolder:
        """Note in a new run folder that it has shards."""
        (path / "shards").mkdir(exist_ok=True)
        (path / FILE).write_text(json.dumps({"format": FORMAT, "shards": shards}) + "\n", encoding="utf-8")
        return cls(path, shards)

    @classmethod
    def open(cls, path: Path) -> ClusterFolder:
        """RunDamaged where it says nothing that this program understands."""
        try:
            about = json.loads((path / FILE).read_text(encoding="utf-8"))
            if about["format"] != FORMAT:
                raise RunDamaged(f"{path / FILE} has format {about['format']}; install a newer Honeyguide")
            return cls(path, int(about["shards"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RunDamaged(f"{path / FILE} cannot be read ({error}); restore it from a copy of the run") from None

    @staticmethod
    def is_one(path: Path) -> bool:
        """Whether a run has shards."""
        return (path / FILE).is_file()

    def shard(self, number: int) -> Path:
        """The run folder of a shard."""
        return self.path / "shards" / f"{number:03}"

    def refuse_if_missing(self) -> None:
        """RunDamaged where the folder of a shard is gone."""
        for number in range(self.shards):
            if not (self.shard(number) / "honeyguide.json").is_file():
                raise RunDamaged(f"{self.shard(number)} is missing: bring the folder of that shard back, from a copy")

    def note(self, **facts: Any) -> None:  # noqa: ANN401 - as JSON has them
        """Keep facts about the crawl beside the number of shards."""
        about = {"format": FORMAT, "shards": self.shards, **facts}
        draft = self.path / f"{FILE}.draft"
        draft.write_text(json.dumps(about) + "\n", encoding="utf-8")
        draft.replace(self.path / FILE)
