"""Words and their vectors: what parsing, judging, guarding, learning and indexing all need.

Text becomes words (`words_of`), words become rows of a table of vectors (`WordVectors.look_up`), and rows become
vectors of texts or sums over the windows around links. Whether letters read like words at all is what `LetterModel`
tells, and `url_shape` what an address looks like. Everything here is a function of its arguments; the table is only a
cache.
"""

from honeyguide.text.letter_model import LetterModel, english_letters, plain_runs
from honeyguide.text.tokens import WORD, words_of, words_of_url
from honeyguide.text.url_shape import UrlRules, UrlShape, url_shape
from honeyguide.text.vectors import VectorSource, WordRows, WordVectors, cosine, cosines
from honeyguide.text.wordllama_vectors import WordllamaVectors

__all__ = [
    "WORD",
    "LetterModel",
    "UrlRules",
    "UrlShape",
    "VectorSource",
    "WordRows",
    "WordVectors",
    "WordllamaVectors",
    "cosine",
    "cosines",
    "english_letters",
    "plain_runs",
    "url_shape",
    "words_of",
    "words_of_url",
]
