"""Annotation projects on the server's disk, for several people at once (docs/annotation.md).

`changes` says what a change does, `projects` keeps projects and their logs in a folder, `routes` answers
requests.
"""
