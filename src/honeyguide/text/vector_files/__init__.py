"""Word vector files as others publish them, read in constant memory and converted once.

`formats` tells GloVe's text, word2vec's text (fastText's .vec is the same) and word2vec's binary form apart by the
content of the file, and checks every word and number; `conversion` keeps them in memory-mapped files, in which
`FileVectors` looks words up.
"""

from honeyguide.text.vector_files.conversion import Converting, open_file_vectors
from honeyguide.text.vector_files.file_vectors import FileVectors

__all__ = ["Converting", "FileVectors", "open_file_vectors"]
