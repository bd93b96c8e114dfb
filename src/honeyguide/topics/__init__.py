"""From a line of a person's to a topic that a crawl can go by.

`presets` are topics that are shipped. The rest of this folder suggests: words of a sentence or a text become keywords,
and subjects that lie near it or above it become categories.
"""

from honeyguide.topics.presets import Preset, preset, presets

__all__ = ["Preset", "preset", "presets"]
