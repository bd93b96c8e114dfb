"""Topics: files and presets to read them from, examples, places to start, and suggestions of keywords and categories.

`suggest` finds keywords and categories: `gist` reads the topic's texts and compares them with the shipped subjects,
`suggesting` chooses. Everything is a function of its arguments, and no suggestion depends on chance.
"""

from honeyguide.topic.files import load_topic, topic_file
from honeyguide.topic.presets import Preset, Subject, preset, presets, subjects
from honeyguide.topic.suggesting import Suggestion, Suggestions, WikiArticle, WikiArticles, suggest

__all__ = [
    "Preset",
    "Subject",
    "Suggestion",
    "Suggestions",
    "WikiArticle",
    "WikiArticles",
    "load_topic",
    "preset",
    "presets",
    "subjects",
    "suggest",
    "topic_file",
]
