"""Files of word vectors as others publish them, read in constant memory and converted once.

A `PackedFile` unpacks what is compressed; `layout_of` tells GloVe's text, word2vec's text (fastText's .vec is the same)
and word2vec's binary form apart by what stands in the file; `text_batches` and `binary_batches` check every word and
number; a `CacheDraft` takes them in; `open_cached` keeps the result in memory-mapped files, which `FileVectors` looks
words up in.
"""

from honeyguide.text.vector_files.cache import Converting
from honeyguide.text.vector_files.file_vectors import FileVectors

__all__ = [
    "Converting",
    "FileVectors",
]
