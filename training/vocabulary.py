"""Stage 3, vocabulary: tokenised pairs -> `tokenizer.json`, one unigram vocabulary for all languages.

    python -m training.vocabulary --work WORK [--extend tokenizer.json]

With `--extend`, the pieces of an earlier vocabulary keep their ids, and new ones are added after them until
the
size is reached: pieces of words that the old vocabulary cuts up, so that weights can be carried over.

Reads `WORK/prepared/*.tsv`; writes `WORK/vocabulary/tokenizer.json` (all normalisation inside, so
that the runtime needs no other code) and `WORK/vocabulary/unigram.model`, the same pieces with the
same ids for sampling segmentations. Characters outside the vocabulary fall back to bytes.

The sample is a table of word counts, not of sentences: each language's counts are scaled to the
share the temperature gives it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from training.normalise import FOLDED, STRIPPED, normalise
from training.recipe import load_recipe
from wordalign.tuning.vocabulary import PAD, UNKNOWN

SCALE = 50_000_000  # total of the scaled counts: large enough to keep rare words of small languages
FREQUENT = 30  # scaled count from which a whole word is a candidate
NEVER = "\ue000"  # a private character that text does not hold


def count_words(path: Path) -> tuple[Counter[str], Counter[str]]:
    """Counts of the normalised words of one prepared file: English, other language."""
    english: Counter[str] = Counter()
    other: Counter[str] = Counter()
    with path.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            ours, theirs, _ = line.split("\t")
            english.update(ours.split(" "))
            other.update(theirs.split(" "))
    return _normalised(english), _normalised(other)


def _normalised(counts: Counter[str]) -> Counter[str]:
    result: Counter[str] = Counter()
    for word, count in counts.items():
        for part in normalise(word).split():
            result[part] += count
    return result


def balanced(tables: dict[str, Counter[str]], temperature: float, least: int) -> Counter[str]:
    """Merge the languages' counts, each scaled to its share."""
    totals = {language: table.total() for language, table in tables.items()}
    mass = sum(total**temperature for total in totals.values())
    merged: Counter[str] = Counter()
    for language, table in tables.items():
        factor = SCALE * totals[language] ** temperature / mass / totals[language]
        for word, count in table.items():
            if count >= least:
                merged[word] += max(1, round(count * factor))
    return merged


def train_pieces(counts: Counter[str], folder: Path, options: dict[str, Any], threads: int) -> Path:
    """Train the unigram pieces with sentencepiece; returns the model's path."""
    import sentencepiece

    table = folder / "words.tsv"
    with table.open("w", encoding="utf-8") as file:
        file.writelines(f"{word}\t{count}\n" for word, count in counts.most_common())
        # The trainer takes its first candidates from what repeats inside the list of distinct words,
        # so a word that starts no other one ("," or a Chinese character) would never become a piece.
        file.writelines(f"{word}{NEVER}\t1\n" for word, count in counts.items() if count >= FREQUENT)
    sentencepiece.SentencePieceTrainer.train(
        input=str(table),
        input_format="tsv",
        model_prefix=str(folder / "trained"),
        model_type="unigram",
        vocab_size=options["size"],
        character_coverage=options["coverage"],
        max_sentencepiece_length=options["longest_piece"],
        normalization_rule_name="identity",
        byte_fallback=True,
        pad_id=PAD,
        unk_id=UNKNOWN,
        bos_id=-1,
        eos_id=-1,
        control_symbols=["[MASK]"],
        hard_vocab_limit=False,
        max_sentence_length=1 << 14,
        num_threads=threads,
        minloglevel=1,
    )
    return folder / "trained.model"


def refine_pieces(trained: Path, target: Path, counts: Counter[str], words: int, rounds: int = 3) -> None:
    """Make the frequent words that are cut in two pieces of their own, then estimate all scores anew.

    The trainer starts from what repeats inside distinct words, so it hardly ever keeps `▁,` or a
    single Chinese character with its space mark, although these are the commonest words of all.
    The least likely pieces make room; characters always stay. Scores are those of the best
    segmentations (hard expectation maximisation).
    """
    from sentencepiece import sentencepiece_model_pb2
    from tokenizers import Tokenizer, models, pre_tokenizers

    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(trained.read_bytes())
    spellings, weights = list(counts), np.array(list(counts.values()), dtype=np.float64)
    normal = sentencepiece_model_pb2.ModelProto.SentencePiece.NORMAL
    for number in range(rounds):
        pieces = [(piece.piece, piece.score) for piece in proto.pieces]
        tokenizer = Tokenizer(models.Unigram(pieces, unk_id=UNKNOWN, byte_fallback=True))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
        encoded = [encoding.ids for encoding in tokenizer.encode_batch(spellings, add_special_tokens=False)]
        sizes = np.array([len(ids) for ids in encoded])
        used = np.bincount(np.concatenate(encoded), np.repeat(weights, sizes), minlength=len(pieces))
        total = used.sum()
        if number == 0:
            gain = weights * (sizes - 1)
            added = [i for i in np.argsort(-gain, kind="stable")[:words] if gain[i] > 0]
            room = [
                i for i, piece in enumerate(proto.pieces) if piece.type == normal and len(piece.piece) > 1
            ]
            room = sorted(room, key=lambda i: used[i])[: len(added)]
            for place, word in zip(room, added, strict=True):
                proto.pieces[place].piece = "▁" + spellings[word]
                used[place] = weights[word]
        for piece, count in zip(proto.pieces, used, strict=True):
            if piece.type == normal:
                piece.score = float(np.log((count + 0.5) / total))
        print(f"round {number}: {total / weights.sum():.3f} pieces a word", flush=True)
    target.write_bytes(proto.SerializeToString())


def extend_pieces(
    old: Path, target: Path, counts: Counter[str], options: dict[str, Any], threads: int
) -> None:
    """Old pieces with their ids, then as many new ones as there is room for; all scores estimated anew.

    Candidates are trained on the words that the old pieces cut up. They compete with the old ones for two
    rounds
    of hard expectation maximisation; the least used of the new ones then make room.
    """
    from sentencepiece import sentencepiece_model_pb2

    vocabulary = json.loads(old.read_text("utf-8"))["model"]["vocab"]
    spellings, weights = list(counts), np.array(list(counts.values()), dtype=np.float64)
    sizes = np.array([len(found.ids) for found in _encode(_unigram(vocabulary), spellings)])
    cut_up = Counter(
        {word: count for word, count, size in zip(spellings, counts.values(), sizes, strict=True) if size > 1}
    )
    print(f"{len(cut_up)} words are cut up, {weights @ sizes / weights.sum():.3f} pieces a word", flush=True)
    room = options["size"] - len(vocabulary)
    trained = train_pieces(cut_up, target.parent, {**options, "size": FIRST_NORMAL + 2 * room}, threads)
    proto = sentencepiece_model_pb2.ModelProto()
    proto.ParseFromString(trained.read_bytes())
    known = {piece for piece, _ in vocabulary}
    normal = sentencepiece_model_pb2.ModelProto.SentencePiece.NORMAL
    shift = np.log(sum(cut_up.values()) / weights.sum())
    new = [
        [piece.piece, piece.score + shift]
        for piece in proto.pieces
        if piece.type == normal and piece.piece not in known and NEVER not in piece.piece
    ]
    # Frequent words that are still cut up, as in `refine_pieces`.
    offered = known | {piece for piece, _ in new}
    gain = weights * (sizes - 1)
    whole = [i for i in np.argsort(-gain, kind="stable")[: 2 * room] if "▁" + spellings[i] not in offered]
    new += [["▁" + spellings[i], float(np.log(weights[i] / weights.sum()))] for i in whole]
    pieces = [*vocabulary, *new]
    for number in range(4):
        found = _encode(_unigram(pieces), spellings)
        lengths = np.array([len(encoding.ids) for encoding in found])
        ids = np.concatenate([encoding.ids for encoding in found])
        used = np.bincount(ids, np.repeat(weights, lengths), minlength=len(pieces))
        print(
            f"round {number}: {len(pieces)} pieces, {weights @ lengths / weights.sum():.3f} a word",
            flush=True,
        )
        if number == 1:
            # Single characters stay: without them words fall back to bytes.
            worth = np.where([len(piece.strip("▁")) < 2 for piece, _ in pieces], np.inf, used)
            best = len(vocabulary) + np.argsort(-worth[len(vocabulary) :], kind="stable")[:room]
            kept = [*range(len(vocabulary)), *sorted(best.tolist())]
            pieces, used = [pieces[i] for i in kept], used[kept]
        total = used.sum()
        pieces = [
            [piece, float(np.log((count + 0.5) / total))] if number_ >= FIRST_NORMAL else [piece, score]
            for number_, ((piece, score), count) in enumerate(zip(pieces, used, strict=True))
        ]
    _write_pieces(proto, pieces, vocabulary, target)


FIRST_NORMAL = 3 + 256  # after padding, unknown, mask and the bytes


def _unigram(pieces: list[list[Any]]) -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(
        models.Unigram([tuple(piece) for piece in pieces], unk_id=UNKNOWN, byte_fallback=True)
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    return tokenizer


def _encode(tokenizer: Any, spellings: list[str]) -> list[Any]:
    return tokenizer.encode_batch(spellings, add_special_tokens=False)


def _write_pieces(proto: Any, pieces: list[list[Any]], vocabulary: list[list[Any]], target: Path) -> None:
    """The pieces as a sentencepiece model; what is no plain piece keeps its kind."""
    kinds = {piece.piece: piece.type for piece in proto.pieces}
    template = proto.pieces[-1]
    del proto.pieces[:]
    for number, (piece, score) in enumerate(pieces):
        made = proto.pieces.add()
        made.CopyFrom(template)
        made.piece, made.score = piece, score
        if number < FIRST_NORMAL:
            made.type = kinds[piece]
    proto.trainer_spec.vocab_size = len(pieces)
    target.write_bytes(proto.SerializeToString())


def build_tokenizer(model: Path) -> Any:
    """The same pieces as a `tokenizers.Tokenizer`, with the normalisation of `normalise.py` inside."""
    import sentencepiece
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    pieces = sentencepiece.SentencePieceProcessor(model_file=str(model))
    vocabulary = [(pieces.id_to_piece(i), pieces.get_score(i)) for i in range(pieces.get_piece_size())]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=UNKNOWN, byte_fallback=True))
    steps = [normalizers.NFKC(), normalizers.Lowercase(), normalizers.NFD()]
    steps += [normalizers.Replace(Regex(pattern), "") for pattern in STRIPPED]
    steps.append(normalizers.NFC())
    for target in sorted(set(FOLDED.values())):
        sources = "".join(source for source, folded in FOLDED.items() if folded == target)
        steps.append(normalizers.Replace(Regex(f"[{sources}]"), target))
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    return tokenizer


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--recipe", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--extend", type=Path, help="the tokenizer.json whose pieces keep their ids")
    arguments = parser.parse_args()
    options = load_recipe(arguments.recipe)["vocabulary"]
    folder = arguments.work / "vocabulary"
    folder.mkdir(exist_ok=True)
    model = folder / "unigram.model"
    if not model.exists():
        files = sorted((arguments.work / "prepared").glob("*.tsv"))
        with multiprocessing.Pool(arguments.jobs) as pool:
            counted = pool.map(count_words, files, chunksize=1)
        tables = {file.stem: other for file, (_, other) in zip(files, counted, strict=True)}
        tables["eng"] = sum((english for english, _ in counted), Counter())
        counts = balanced(tables, options["temperature"], options["least"])
        print(f"{len(counts)} words in the sample", flush=True)
        if arguments.extend:
            extend_pieces(arguments.extend, model, counts, options, arguments.jobs)
        else:
            trained = folder / "trained.model"
            if not trained.exists():
                train_pieces(counts, folder, options, arguments.jobs)
            refine_pieces(trained, model, counts, options["whole_words"])
    tokenizer = build_tokenizer(model)
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    size = (folder / "tokenizer.json").stat().st_size
    print(json.dumps({"pieces": tokenizer.get_vocab_size(), "tokenizer.json": size}))


if __name__ == "__main__":
    main()
