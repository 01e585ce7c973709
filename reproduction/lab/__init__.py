"""What the experiments share: options, gold sets, text, systems, scores, tables, figures, results on disk."""
