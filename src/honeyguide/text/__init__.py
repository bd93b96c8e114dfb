"""Words and their vectors: what parsing, judging, guarding, learning and indexing all need.

Text becomes words (`words_of`), words become rows of a table of vectors (`WordVectors.look_up`), and rows become
vectors of texts or sums over the windows around links. `Stems` and `stop_words` know languages. Everything here is a
function of its arguments; tables are only caches.
"""

from honeyguide.text.stems import Stems
from honeyguide.text.stop_words import stop_words
from honeyguide.text.tokens import WORD, words_of, words_of_url
from honeyguide.text.vectors import VectorSource, WordRows, WordVectors, cosine, cosines
from honeyguide.text.wordllama_vectors import WordllamaVectors

__all__ = [
    "WORD",
    "Stems",
    "VectorSource",
    "WordRows",
    "WordVectors",
    "WordllamaVectors",
    "cosine",
    "cosines",
    "stop_words",
    "words_of",
    "words_of_url",
]
