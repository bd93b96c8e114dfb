"""Words and their vectors: what parsing, judging, guarding, learning and indexing all need.

Text becomes words (`words_of`), words become rows of a table of vectors (`WordVectors.look_up`), and rows become
vectors of texts or sums over the windows around links. `Stems` and `stop_words` know languages. Everything here is a
function of its arguments; tables are only caches. Where vectors come from is one seam, `VectorSource`: `open_vectors`
gives the bundled ones or those of a file, and `neighbours` the words nearest to any vector.
"""

from honeyguide.text.main_text import first_words, main_text
from honeyguide.text.nearest_words import Vocabulary, neighbours
from honeyguide.text.opening import open_vectors
from honeyguide.text.stems import Stems
from honeyguide.text.stop_words import stop_words
from honeyguide.text.tokens import WORD, words_of, words_of_url
from honeyguide.text.vectors import VectorSource, WordRows, WordVectors, cosine, cosines
from honeyguide.text.wordllama_vectors import WordllamaVectors

__all__ = [
    "WORD",
    "Stems",
    "VectorSource",
    "Vocabulary",
    "WordRows",
    "WordVectors",
    "WordllamaVectors",
    "cosine",
    "cosines",
    "first_words",
    "main_text",
    "neighbours",
    "open_vectors",
    "stop_words",
    "words_of",
    "words_of_url",
]
