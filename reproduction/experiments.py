"""All experiments, in the order of the report; the cheap ones that everything hangs on come first."""

from __future__ import annotations

from reproduction import (
    corrections,
    data_sets,
    examples,
    extensions,
    frequency,
    itermax,
    layers,
    learning_curve,
    main_comparison,
    methods,
    originals,
    own_model,
    parts_of_speech,
    runtime,
    symmetrisation,
    vector_text,
)
from reproduction.lab.experiment import Experiment

EXPERIMENTS: tuple[Experiment, ...] = tuple(
    module.EXPERIMENT
    for module in (
        data_sets,
        main_comparison,
        vector_text,
        methods,
        itermax,
        extensions,
        symmetrisation,
        layers,
        own_model,
        learning_curve,
        frequency,
        parts_of_speech,
        corrections,
        runtime,
        originals,
        examples,
    )
)
