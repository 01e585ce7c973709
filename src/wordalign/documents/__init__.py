"""Two texts that translate each other -> groups of sentences -> links between their words.

`read` turns a file into plain text, `sentences` finds its sentences, `words` their words and vectors. `path`
finds roughly which part belongs to which by vectors of sentences, `coverage` and `groups` exactly, by how
many words of both sides find a partner. `align` puts these together, and `write` has the formats of the
result.
"""

from wordalign.documents.align import align_documents, stream_groups
from wordalign.documents.types import DocumentAlignment, SentenceGroup, Text

__all__ = ["DocumentAlignment", "SentenceGroup", "Text", "align_documents", "stream_groups"]
