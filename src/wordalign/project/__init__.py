"""Carry things across links: spans, labels, markup, terms, and what was left out."""
