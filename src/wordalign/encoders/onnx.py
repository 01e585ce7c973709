"""Encoders of our own as ONNX files, with neither torch nor a network: the ones the package carries.

A model is a folder of three files: `model.onnx`, `tokenizer.json`, and `model.json`, which says what the
others must hash to, how similarities become probabilities, and what works best.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from wordalign.encoders.base import Encoder
from wordalign.encoders.calibration import Calibration
from wordalign.encoders.onnx_file import read_weights
from wordalign.encoders.runtime import onnxruntime
from wordalign.encoders.subwords import SubwordTable, encodable
from wordalign.encoders.unigram import UnigramCutter
from wordalign.encoders.windows import Frame, WindowRunner, join_each, windows_of
from wordalign.errors import ModelError
from wordalign.machine import default_threads, give_back_memory
from wordalign.text.characters import is_punctuation, without_controls
from wordalign.types import Encoding, Floats, Ints

# Enough for the matrix products to be efficient, little enough to stay in the processor's cache.
BATCH_TOKENS = 256
# Another batch takes about as long as six tokens of padding.
PADDING_TOKENS = 12
# Windows longer than the sentences that a model was trained on blur it. F1 of base and tiny on a development
# set, twenty sentences joined to one line: .70 and .71 with 192 subwords, .64 and .64 with 256, .40 and .37
# with 512.
WINDOW = 192

# More bytes than this among at least so many subwords are worth a warning.
MOST_BYTES = 0.3
FEW_SUBWORDS = 20

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Opened:
    """What is large in memory."""

    runner: WindowRunner
    cutter: UnigramCutter
    subwords: SubwordTable


class OnnxEncoder(Encoder):
    """A model folder as an encoder. Words of every trained language, no language codes.

    Runs as many batches at the same time as `threads` says, by default one for each core, or as
    OMP_NUM_THREADS says: threads that share a batch would wait for each other after each matrix product. With
    many cores, processes with one thread each are faster; the vectors are the same to the last bit.
    """

    default_level = "word"
    one_process_per_core = True
    chunk_pairs = 1024  # of these, 3 % of the tokens in batches are padding; of 256, 10 %

    def __init__(self, folder: str | Path, *, threads: int | None = None) -> None:
        folder = Path(folder)
        facts = checked_facts(folder)
        self._folder, self._threads = folder, threads
        self._lock = Lock()
        try:
            self._opened: _Opened | None = self._open_all()
            self.signature = f"{facts['name']}@{facts['version']}"
            self.languages = tuple(facts["languages"])
            self.calibration = Calibration.from_facts(facts["calibration"])
            thresholds = facts["thresholds"]
            self.default_method = (
                f"calibrated:always={thresholds['always']:g},mutual={thresholds['mutual']:g}"
            )
            positions = int(facts["max_positions"])
        except Exception as error:
            # Each of the libraries raises plain exceptions of its own for what it cannot read.
            raise ModelError(
                f"The model in {folder} cannot be used by this version of wordalign: {error}"
            ) from error
        self._first_byte = self._cutter.first_byte
        self._told = False
        self._frame = Frame((), (), min(positions, WINDOW))

    def unload(self) -> None:
        self._opened = None
        give_back_memory()

    @property
    def _parts(self) -> _Opened:
        with self._lock:
            self._opened = opened = self._opened or self._open_all()
        return opened

    @property
    def _runner(self) -> WindowRunner:
        return self._parts.runner

    @property
    def _cutter(self) -> UnigramCutter:
        return self._parts.cutter

    @property
    def _subwords(self) -> SubwordTable:
        return self._parts.subwords

    def _open_all(self) -> _Opened:
        runner = self._open(self._folder)
        cutter = UnigramCutter(self._folder / "tokenizer.json")
        return _Opened(runner, cutter, SubwordTable(cutter, readable, group=is_punctuation))

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[Encoding]:
        found = dict(self.encode_each(sentences))
        return [found[number] for number in range(len(sentences))]

    def encode_each(self, sentences: Sequence[Sequence[str]]) -> Iterator[tuple[int, Encoding]]:
        pieces = self._subwords(sentences)
        self._tell_unknown_script(pieces.ids, sentences)
        windows = windows_of(pieces, self._frame)
        # 0 for words, 1 for punctuation: the two are never linked with each other.
        assert pieces.groups is not None
        groups = np.split(pieces.groups, np.cumsum(pieces.words)[:-1]) if len(sentences) else []
        for number, encoding in join_each(windows, self._runner.run_each(windows)):
            group = groups[number][encoding.word_of_row]
            yield number, Encoding(encoding.vectors, encoding.word_of_row, group)

    def _tell_unknown_script(self, ids: Ints, sentences: Sequence[Sequence[str]]) -> None:
        """Letters of scripts that the model never saw come as single bytes, whose vectors mean nothing."""
        if self._told or len(ids) < FEW_SUBWORDS:
            return
        share = float(((ids >= self._first_byte) & (ids < self._first_byte + 256)).mean())
        if share > MOST_BYTES:
            self._told = True
            all_words = (word for words in sentences for word in words)
            word = max(all_words, key=lambda word: len(word.encode(errors="surrogatepass")))
            log.warning(
                "%d %% of this text is in letters that the model %s was not trained on (%r, say): their "
                "links are guesses. `wordalign models --languages` lists what it knows.",
                round(100 * share),
                self.signature,
                word[:40],
            )

    def subwords(self, words: Sequence[str]) -> list[str]:
        """The text of the subword that each row of this sentence's `Encoding` stands for."""
        return list(map(self._cutter.text_of, self._subwords([words]).ids.tolist()))

    @cached_property
    def int8_operations(self) -> float:  # type: ignore[override]
        """A multiplication and an addition for each weight of the matrix products."""
        weights = read_weights(self._folder / "model.onnx")
        names = (name for name in weights if name.endswith(".weight") and weights[name].ndim == 2)
        return 2.0 * sum(weights[name].size for name in names)

    def _open(self, folder: Path) -> WindowRunner:
        """What runs the model on windows."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        # The graph is as it should run. Beyond this level, sums and norms would be joined into a slower node.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )

        def forward(ids: Ints, mask: Ints) -> Floats:
            vectors: Floats = session.run(["vectors"], {"input_ids": ids, "attention_mask": mask})[0]
            return vectors

        return WindowRunner(
            forward,
            pad=0,
            tokens=BATCH_TOKENS,
            is_full=_memory_is_full,
            padding=PADDING_TOKENS,
            lanes=self._threads or default_threads(),
        )


def checked_facts(folder: Path) -> dict[str, Any]:
    """What `model.json` says, once the other files are known to be the ones it speaks of."""
    bundled = folder.parent == Path(__file__).parents[1] / "models"
    again = "install wordalign again." if bundled else "export or copy the model again."
    try:
        facts: dict[str, Any] = json.loads((folder / "model.json").read_text("utf-8"))
        hashes = dict(facts["sha256"])
        for name, expected in hashes.items():
            if hashlib.sha256((folder / name).read_bytes()).hexdigest() != expected:
                raise ModelError(
                    f"The model file {folder / name} is damaged or was changed (its checksum is wrong): "
                    f"{again}"
                )
    except OSError as error:
        raise ModelError(
            f"The model file {error.filename} cannot be read ({error.strerror}): {again}"
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise ModelError(f"{folder / 'model.json'} is damaged: {again}") from error
    return facts


def readable(word: str) -> str:
    """A word as the bundled models' tokenizer is given it."""
    return encodable(without_controls(word))


def _memory_is_full(error: Exception) -> bool:
    said = str(error).lower()
    return isinstance(error, MemoryError) or "failed to allocate memory" in said or "bad_alloc" in said
