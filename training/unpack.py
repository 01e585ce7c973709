"""Shards -> flat arrays in memory, with several segmentations of the same text.

Copy 0 is the segmentation of `tokenizer.json`; in the other copies some words are segmented anew by
sampling, so that the encoder does not depend on one way to cut a word. Shards are worked on in
parallel; the result is kept in a folder, so that a later leg of the training only reads it.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import time
import zlib
from functools import partial
from pathlib import Path

import numpy as np

from training.shards import Shard, read_shard

ARRAYS = ("tokens", "words", "starts", "lengths", "language", "counts", "links", "weight")


def ragged(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Indices of consecutive runs: starts [5, 0], lengths [2, 3] -> [5, 6, 0, 1, 2]."""
    ends = np.cumsum(lengths, dtype=np.int64)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(starts - (ends - lengths), lengths)


def distinct_words(
    tokens: np.ndarray, first: np.ndarray, sizes: np.ndarray
) -> tuple[list[np.ndarray], np.ndarray]:
    """All different words (as arrays of ids), and which of them each word is, shape (words,)."""
    types: list[np.ndarray] = []
    kind = np.empty(len(first), np.int64)
    for size in np.unique(sizes):
        where = np.flatnonzero(sizes == size)
        rows = tokens[first[where][:, None] + np.arange(size)]
        keys = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.dtype.itemsize * int(size)))).ravel()
        _, chosen, inverse = np.unique(keys, return_index=True, return_inverse=True)
        kind[where] = len(types) + inverse.reshape(-1)
        types.extend(rows[chosen])
    return types, kind


def resegment(
    shard: Shard, starting: np.ndarray, model: Path, copies: int, seed: int, share: float, alpha: float
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Each copy's tokens and subwords a word, (tokens,) uint16 and (words,) uint8."""
    import sentencepiece

    pieces = sentencepiece.SentencePieceProcessor(model_file=str(model))
    sentencepiece.set_random_generator_seed(seed)
    generator = np.random.default_rng(seed)
    tokens = np.asarray(shard.tokens)
    first = np.flatnonzero(starting[tokens])
    sizes = np.diff(np.append(first, len(tokens)))
    types, kind = distinct_words(tokens, first, sizes)
    texts = ["".join(pieces.id_to_piece(row.tolist())).removeprefix("▁") for row in types]
    result = [(tokens, sizes.astype(np.uint8))]
    for _ in range(1, copies):
        drawn = generator.random(len(types)) < share
        cut = list(types)
        for number in np.flatnonzero(drawn):
            ids = pieces.encode(texts[number], enable_sampling=True, alpha=alpha, nbest_size=-1)
            # A sample that is much longer, or not one word, teaches nothing useful.
            if 0 < len(ids) <= len(types[number]) + 3 and starting[ids[0]] and not starting[ids[1:]].any():
                cut[number] = np.array(ids, dtype=np.uint16)
        lengths = np.array([len(row) for row in cut])
        begins = np.cumsum(lengths) - lengths
        flat = np.concatenate(cut)
        result.append((flat[ragged(begins[kind], lengths[kind])], lengths[kind].astype(np.uint8)))
    return result


def expand(
    path: Path, starting: np.ndarray, model: Path, copies: int, share: float, alpha: float
) -> dict[str, np.ndarray]:
    """One shard -> its arrays; `starts` and `lengths` (copies, pairs, 2) count inside the shard."""
    shard = read_shard(path)
    seed = zlib.crc32(path.name.encode())
    firsts = starting[shard.tokens]
    sentence_ends = np.cumsum(shard.lengths.reshape(-1), dtype=np.int64)
    words_before = np.concatenate(([0], np.cumsum(firsts, dtype=np.int64)))
    word_ends = words_before[sentence_ends]  # number of words up to the end of each sentence
    tokens, words, starts, lengths, done = [], [], [], [], 0
    for ids, sizes in resegment(shard, starting, model, copies, seed, share, alpha):
        ends = np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))[word_ends]
        begins = np.concatenate(([0], ends[:-1]))
        numbers = np.arange(len(sizes)) - np.repeat(
            np.concatenate(([0], word_ends[:-1])), np.diff(np.concatenate(([0], word_ends)))
        )
        tokens.append(ids)
        words.append(np.repeat(numbers, sizes).astype(np.uint8))
        starts.append((begins + done).reshape(-1, 2))
        lengths.append((ends - begins).reshape(-1, 2))
        done += len(ids)
    return {
        "tokens": np.concatenate(tokens),
        "words": np.concatenate(words),
        "starts": np.stack(starts),
        "lengths": np.stack(lengths).astype(np.int16),
        "counts": shard.counts.astype(np.int16),
        "links": shard.links,
        "weight": shard.weight,
    }


def unpack(
    shards: list[Path],
    starting: np.ndarray,
    model: Path,
    cache: Path,
    copies: int = 4,
    share: float = 0.35,
    alpha: float = 0.3,
    jobs: int = 16,
) -> tuple[dict[str, np.ndarray], list[str]]:
    """All shards together: `tokens`, `words` (tokens,), `starts`, `lengths` (copies, pairs, 2),
    `language`, `counts` (pairs,), `links` (links, 2), `weight` (links,); and the languages' names.
    """
    shards = sorted(shards, key=lambda file: file.name)
    languages = sorted({file.name.split("-")[0] for file in shards})
    names = " ".join(f"{file.name}:{file.stat().st_size}" for file in shards)
    key = hashlib.sha256(f"{names} {copies} {share} {alpha}".encode()).hexdigest()[:16]
    folder = cache / f"unpacked-{key}"
    if not (folder / "done").exists():
        start = time.time()
        folder.mkdir(parents=True, exist_ok=True)
        job = partial(expand, starting=starting, model=model, copies=copies, share=share, alpha=alpha)
        order = sorted(range(len(shards)), key=lambda i: -shards[i].stat().st_size)
        parts: list[dict[str, np.ndarray]] = [{}] * len(shards)
        # Forked workers need not import anything again; they touch no device.
        method = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
        with multiprocessing.get_context(method).Pool(min(jobs, len(shards))) as pool:
            for i, part in zip(order, pool.imap(job, [shards[i] for i in order], chunksize=1), strict=True):
                parts[i] = part
        before = 0
        for file, part in zip(shards, parts, strict=True):
            part["starts"] += before
            before += len(part["tokens"])
            part["language"] = np.full(
                len(part["counts"]), languages.index(file.name.split("-")[0]), np.int16
            )
        for name in ARRAYS:
            axis = 1 if name in ("starts", "lengths") else 0
            np.save(folder / f"{name}.npy", np.concatenate([part[name] for part in parts], axis=axis))
        (folder / "done").touch()
        print(f"unpacked {len(shards)} shards in {time.time() - start:.0f} s", flush=True)
    return {name: np.load(folder / f"{name}.npy") for name in ARRAYS}, languages
