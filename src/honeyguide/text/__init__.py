"""Words and their vectors: what parsing, judging, guarding, learning and indexing all need.

Text becomes words (`words_of`), words become rows of a table of vectors (`WordVectors.look_up`), and rows become
vectors of texts or sums over the windows around links. Where vectors come from is one seam, `VectorSource`:
`open_vectors` gives the bundled ones or those of a file, and `neighbours` the words nearest to any vector. `Stems` and
`stop_words` know languages; `LetterModel` tells whether letters read like words at all, and `url_shape` what an address
looks like. Everything here is a function of its arguments; tables are only caches.
"""

from honeyguide.text.letter_model import LetterModel, english_letters, plain_runs
from honeyguide.text.main_text import first_words, main_text
from honeyguide.text.nearest_words import Vocabulary, neighbours
from honeyguide.text.opening import open_vectors
from honeyguide.text.stems import Stems
from honeyguide.text.stop_words import stop_words
from honeyguide.text.tokens import WORD, words_of, words_of_url
from honeyguide.text.url_shape import UrlRules, UrlShape, url_shape
from honeyguide.text.vectors import VectorSource, WordRows, WordVectors, cosine, cosines, unit
from honeyguide.text.wordllama_vectors import WordllamaVectors

__all__ = [
    "WORD",
    "LetterModel",
    "Stems",
    "UrlRules",
    "UrlShape",
    "VectorSource",
    "Vocabulary",
    "WordRows",
    "WordVectors",
    "WordllamaVectors",
    "cosine",
    "cosines",
    "english_letters",
    "first_words",
    "main_text",
    "neighbours",
    "open_vectors",
    "plain_runs",
    "stop_words",
    "unit",
    "url_shape",
    "words_of",
    "words_of_url",
]
