"""From a line of a person's to a topic that a crawl can go by.

`presets` are topics that are shipped. `suggest` finds keywords and categories for any other: `phrases` reads the
topic's texts, `gist` weighs what they say, `matches` compares that with the shipped `subjects`, and `focus` is where
the topic lies once the fitting subjects are known. `keywords` and `categories` then choose; `articles` adds what an
encyclopaedia has. Everything is a function of its arguments, and no suggestion depends on chance.
"""

from honeyguide.topic.files import load_topic, topic_file
from honeyguide.topic.presets import Preset, Subject, preset, presets, subjects
from honeyguide.topic.suggesting import Article, Encyclopaedia, Suggestion, Suggestions, suggest

__all__ = [
    "Article",
    "Encyclopaedia",
    "Preset",
    "Subject",
    "Suggestion",
    "Suggestions",
    "load_topic",
    "preset",
    "presets",
    "subjects",
    "suggest",
    "topic_file",
]
