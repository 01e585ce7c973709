"""Teaching a model: the losses, gold links as batches, and the export to a model folder."""
