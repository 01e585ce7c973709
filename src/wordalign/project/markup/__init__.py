"""Carrying markup and placeholders from a source into its finished translation."""
