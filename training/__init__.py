"""How the bundled encoder is made: prepare -> label -> vocabulary -> pack -> train -> evaluate -> export."""
