"""Gold sets by name: what is known of each, where it lies on this machine, and how to get it.

sets.py      the registry, read from sets.toml
places.py    folders on this machine: --data, WORDALIGN_DATA, the cache
gold.py      a set as sentences and gold alignments
download.py  an address -> a whole file, or an explained failure
archive.py   a zip, a tar or a single file -> its members, in memory
convert.py   the layouts of the publishers -> sentences and links
install.py   all of these in order: `get`
"""

from wordalign.data.gold import GoldSet
from wordalign.data.install import Installed, get
from wordalign.data.places import find, places, where
from wordalign.data.sets import DataSet, known_sets, lookup

__all__ = ["DataSet", "GoldSet", "Installed", "find", "get", "known_sets", "lookup", "places", "where"]
