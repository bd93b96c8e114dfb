"""Words and their vectors: what parsing, judging, guarding, learning and indexing all need.

Text becomes words (`words_of`), words become rows of a table of vectors (`WordVectors.look_up`), and rows become
vectors of texts or sums over the windows around links. Everything here is a function of its arguments; the table
is only a cache.
"""

from honeyguide.text.nearest_words import Vocabulary, neighbours
from honeyguide.text.tokens import WORD, words_of, words_of_url
from honeyguide.text.vectors import VectorSource, WordRows, WordVectors, cosine, cosines
from honeyguide.text.wordllama_vectors import WordllamaVectors

__all__ = [
    "WORD",
    "VectorSource",
    "Vocabulary",
    "WordRows",
    "WordVectors",
    "WordllamaVectors",
    "cosine",
    "cosines",
    "neighbours",
    "words_of",
    "words_of_url",
]
