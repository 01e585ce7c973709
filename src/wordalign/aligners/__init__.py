"""Pairs of sentences in, word links out: from vectors (`neural`) or from statistics (`statistical`)."""
