"""Two monolingual spaces -> one, without a dictionary (Artetxe, Labaka and Agirre, ACL 2018).

start       a first, poor dictionary: similarity distributions, identical strings, or a file
learn       dictionary -> rotation (linear) -> dictionary (induce) -> ... until nothing improves
linear      at last a map for each side, whitened and re-weighted
quality     does it hold? A failed map is an error, not a result
"""

from wordalign.vectors.map.learn import MapSettings
from wordalign.vectors.map.quality import Quality
from wordalign.vectors.map.spaces import Mapped, map_spaces

__all__ = ["MapSettings", "Mapped", "Quality", "map_spaces"]
