"""Word vectors that know no context: learned from plain text, mapped into one space, kept on disk.

text -> `train` -> vectors of one language -> `map` -> a folder for two languages -> `encoders.static`
"""
