"""Words and their vectors: what parsing, judging, guarding, learning and indexing all need.

Text becomes words (`words_of`), words become rows of a table of vectors (`WordVectors.look_up`), and rows become
vectors of texts or sums over the windows around links. Where vectors come from is one seam, `VectorSource`:
`open_vectors` gives the bundled ones or those of a file, and `neighbours` the words nearest to any vector. `Stems` and
`stop_words` know languages; `LetterModel` tells whether letters read like words at all, and `url_shape` what an address
looks like. Everything here is a function of its arguments; tables are only caches.
"""

from honeyguide.text.encoder import TextEncoder, open_encoder
from honeyguide.text.english import EnglishVectors, open_vectors
from honeyguide.text.tokens import WORD, Stems, first_words, letters_of, main_text, stop_words, words_of, words_of_url
from honeyguide.text.url_shape import LetterModel, UrlRules, UrlShape, english_letters, plain_runs, url_shape
from honeyguide.text.vectors import VectorSource, Vocabulary, WordRows, WordVectors, cosine, cosines, neighbours, unit
from honeyguide.text.wordllama import WordllamaVectors

__all__ = [
    "WORD",
    "EnglishVectors",
    "LetterModel",
    "Stems",
    "TextEncoder",
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
    "letters_of",
    "main_text",
    "neighbours",
    "open_encoder",
    "open_vectors",
    "plain_runs",
    "stop_words",
    "unit",
    "url_shape",
    "words_of",
    "words_of_url",
]
