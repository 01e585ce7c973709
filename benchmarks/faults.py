"""Things that go wrong around a run, made to go wrong: each must end in a sentence and a clean state.

A clean state is: nothing under the final name of the output, and whole lines only in what is left beside it.
What needs a right that this user lacks, or a package that is not installed, is left out and said to be.
"""

from __future__ import annotations

import gzip
import importlib.util
import os
import pickle
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from command import Finished, children, command, knows, limited, run, start, wait, with_environment
from hostile import giants

import wordalign

PATIENCE = 180.0
_LINE = (
    "The museum in street {0} is closed on Mondays . ||| Das Museum in Straße {0} ist montags geschlossen .\n"
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """`good`: the exit code, the sentence and the state are what they should be."""

    fault: str
    good: bool
    code: int | None = None
    said: str = ""
    note: str = ""
    tried: bool = True


Fault: TypeAlias = Callable[[Path], Iterator[Outcome]]


class NotPossibleError(Exception):
    """This machine cannot make that fault."""


def try_faults(folder: Path, faults: Sequence[Fault] | None = None) -> dict[str, Any]:
    folder.mkdir(exist_ok=True)
    outcomes: list[Outcome] = []
    for fault in FAULTS if faults is None else faults:
        place = folder / fault.__name__
        place.mkdir()
        try:
            outcomes += fault(place)
        except NotPossibleError as why:
            outcomes.append(Outcome(fault.__name__.replace("_", " "), True, note=str(why), tried=False))
    return {
        "tried": sum(outcome.tried for outcome in outcomes),
        "not_tried": sum(not outcome.tried for outcome in outcomes),
        "bad": sum(not outcome.good for outcome in outcomes),
        "outcomes": [_fields(outcome, folder) for outcome in outcomes],
        "good": all(outcome.good for outcome in outcomes),
    }


def _fields(outcome: Outcome, folder: Path) -> dict[str, Any]:
    """Without the name of a folder that is gone by the time anybody reads this."""
    return {**asdict(outcome), "said": outcome.said.replace(f"{folder}/", "")}


def judged(
    fault: str, done: Finished, says: str, *, output: Path | None = None, code: int = 1, note: str = ""
) -> Outcome:
    good = (
        done.code == code and says in done.sentence and bool(done.sentence or code == 0) and not done.crashed
    )
    if output is not None:
        partial = output.with_name(output.name + ".partial")
        good = good and not output.exists()
        good = good and (not partial.exists() or partial.read_bytes().endswith(b"\n"))
    said = done.sentence or done.stderr[-300:]
    return Outcome(fault, good, done.code, said, note)


def corpus(folder: Path, lines: int) -> Path:
    path = folder / "pairs.txt"
    path.write_text("".join(_LINE.format(number) for number in range(lines)), "utf-8")
    return path


def align(*arguments: object, **options: Any) -> Finished:
    return run("align", "--model", "tiny", *arguments, patience=PATIENCE, **options)


def disk_full(folder: Path) -> Iterator[Outcome]:
    pairs = corpus(folder, 4_000)
    with _small_disk(folder / "disk", "size=256k") as disk:
        output = disk / "links.jsonl"
        done = align(pairs, "--format", "jsonl", "-o", output)
        yield judged("the disk is full while writing", done, "No space left", output=output)
        if knows("--resume"):
            subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
            again = align(pairs, "--format", "jsonl", "-o", output, "--resume")
            align(pairs, "--format", "jsonl", "-o", folder / "undisturbed.jsonl")
            same = output.exists() and output.read_bytes() == (folder / "undisturbed.jsonl").read_bytes()
            yield Outcome("… and --resume once there is room", again.code == 0 and same, again.code)
    with Path("/dev/full").open("wb") as full:
        yield judged("standard output is full", align(pairs, stdout=full), "No space left")


def read_only_disk(folder: Path) -> Iterator[Outcome]:
    pairs = corpus(folder, 3)
    with _small_disk(folder / "disk", "size=256k,ro") as disk:
        output = disk / "links.txt"
        yield judged(
            "the output's disk is read-only",
            align(pairs, "-o", output),
            "Read-only file system",
            output=output,
        )


def output_folder(folder: Path) -> Iterator[Outcome]:
    pairs = corpus(folder, 3)
    missing = folder / "missing" / "links.txt"
    yield judged(
        "the output's folder does not exist", align(pairs, "-o", missing), "No such file", output=missing
    )
    yield judged("the output is a folder", align(pairs, "-o", folder), "is a directory")
    going = folder / "going"
    going.mkdir()
    output = going / "links.txt"
    process = start(
        ["align", "--model", "tiny", "-", "-o", output], stdin=subprocess.PIPE, start_new_session=True
    )
    text = corpus(folder, 3_000).read_bytes()
    assert process.stdin is not None
    process.stdin.write(text[: len(text) // 2])
    process.stdin.flush()
    _until(lambda: output.with_name("links.txt.partial").exists())
    shutil.rmtree(going)
    done = wait(process, text[len(text) // 2 :], PATIENCE)
    yield judged("the output's folder is removed while running", done, "Cannot write", output=output)
    yield _nobody_left(process)


def without_rights(folder: Path) -> Iterator[Outcome]:
    pairs = corpus(folder, 3)
    closed = folder / "closed"
    closed.mkdir(mode=0o555)
    output = closed / "links.txt"

    def powerless(*arguments: object) -> Finished:
        """Root may do anything, unless it gives that up."""
        root = os.geteuid() == 0
        if root and shutil.which("setpriv") is None:
            raise NotPossibleError("root has every right, and there is no setpriv")
        give_up = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if root else []
        return align(*arguments, before=give_up)

    yield judged(
        "no right to write there", powerless(pairs, "-o", output), "Permission denied", output=output
    )
    pairs.chmod(0o000)
    yield judged("no right to read the input", powerless(pairs), "Permission denied")


def input_files(folder: Path) -> Iterator[Outcome]:
    output = folder / "links.txt"
    yield judged(
        "the input does not exist", align(folder / "none.txt", "-o", output), "no file", output=output
    )
    yield judged("the input is a folder", align(folder, "-o", output), "directory", output=output)
    pairs = corpus(folder, 4_000)
    with _running(folder, pairs, output) as process:
        pairs.unlink()
        done = wait(process, patience=PATIENCE)
    lines = output.read_bytes().count(b"\n") if output.exists() else 0
    yield Outcome(
        "the input is removed while it is read", done.code == 0 and lines == 4_000, done.code, done.sentence,
        note="an open file stays readable: the run ends as if nothing had happened",
    )  # fmt: skip
    output.unlink(missing_ok=True)
    pairs = corpus(folder, 12_000)
    sides = [folder / "source.txt", folder / "target.txt"]
    for place, side in enumerate(sides):
        lines_of_side = (line.split(" ||| ")[place].strip() for line in pairs.read_text("utf-8").splitlines())
        side.write_text("\n".join(lines_of_side) + "\n", "utf-8")
    with _running(folder, sides[0], sides[1], output) as process:
        os.truncate(sides[1], sides[1].stat().st_size // 2)
        done = wait(process, patience=PATIENCE)
    yield judged("one of two inputs is cut off while it is read", done, "not parallel", output=output)
    output.with_name("links.txt.partial").unlink(missing_ok=True)
    if knows("--resume"):
        whole = gzip.compress(corpus(folder, 500).read_bytes())
        (folder / "cut.txt.gz").write_bytes(whole[: len(whole) // 2])
        done = align(folder / "cut.txt.gz", "-o", output)
        yield judged("a compressed input is cut off", done, "cut.txt.gz", output=output)
        (folder / "not.txt.gz").write_bytes(b"this is not gzip\n" * 9)
        done = align(folder / "not.txt.gz", "-o", output)
        yield judged("a compressed input is none", done, "not.txt.gz", output=output)


def streams(folder: Path) -> Iterator[Outcome]:
    pairs = corpus(folder, 2_000)
    yield judged("standard input is closed", _shell("{} align --model tiny - <&-"), "tandard input")
    closed = _shell("{} align --model tiny " + f"'{pairs}' >&-")
    yield judged("standard output is closed", closed, "tandard output")
    head = _shell("set -o pipefail; {} align --model tiny " + f"'{pairs}' | head -1")
    yield Outcome(
        "the reader of the output stops (head -1)", head.code == 0 and not head.stderr, head.code, head.stderr
    )


def damaged_models(folder: Path) -> Iterator[Outcome]:
    """The bundled model, in a copy of the package."""
    package = folder / "wordalign"
    own = Path(wordalign.__file__).parent
    shutil.copytree(own, package, ignore=shutil.ignore_patterns("__pycache__", "base"))
    pairs = corpus(folder, 3)
    model = package / "models" / "tiny"

    def cut(file: Path) -> None:
        os.truncate(file, file.stat().st_size // 2)

    def flip(file: Path) -> None:
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)

    for name, doing, damage, says in (
        ("model.onnx", "is cut off", cut, "checksum"),
        ("model.onnx", "has one wrong bit", flip, "checksum"),
        ("tokenizer.json", "has one wrong bit", flip, "checksum"),
        ("model.onnx", "is missing", Path.unlink, "cannot be read"),
        ("model.json", "is cut off", cut, "damaged"),
    ):
        whole = (model / name).read_bytes()
        damage(model / name)
        output = folder / "links.txt"
        done = align(pairs, "-o", output, cwd=folder, env=with_environment(PYTHONPATH=str(folder)))
        yield judged(f"{name} of the model {doing}", done, says, output=output)
        (model / name).write_bytes(whole)
    good = align(pairs, cwd=folder, env=with_environment(PYTHONPATH=str(folder)))
    yield Outcome("… and the same copy undamaged works", good.code == 0, good.code, good.sentence)


def pickles(folder: Path) -> Iterator[Outcome]:
    """Files that would run a command if anything unpickled them: nothing may."""
    mark = folder / "unpickled"
    bomb = pickle.dumps(_Bomb(f"touch '{mark}'"))

    def refused(what: str, done: Finished, says: str) -> Outcome:
        outcome = judged(what, done, says)
        return Outcome(what, outcome.good and not mark.exists(), outcome.code, outcome.said, outcome.note)

    array = folder / "vectors.npy"
    with array.open("wb") as stream:
        np.lib.format.write_array_header_1_0(stream, {"descr": "|O", "fortran_order": False, "shape": (1, 2)})
        stream.write(bomb)
    (folder / "vectors.words").write_text("word\n")
    done = run("vectors", "convert", array, "-o", folder / "vectors.vec", patience=PATIENCE)
    yield refused("vectors of pickled objects", done, "")
    if importlib.util.find_spec("torch") is None or importlib.util.find_spec("transformers") is None:
        raise NotPossibleError("torch and transformers are not installed")
    model = _hugging_face_model(folder / "model")
    pairs = corpus(folder, 3)
    offline = with_environment(HF_HUB_OFFLINE="1")

    def with_model() -> Finished:
        return run("align", pairs, "--model", model, patience=PATIENCE, env=offline)

    good = with_model()
    yield Outcome("a Hugging Face model, undamaged", good.code == 0, good.code, good.sentence)
    weights = model / "model.safetensors"
    os.truncate(weights, weights.stat().st_size // 2)
    yield judged("model.safetensors is cut off", with_model(), "does not hold a usable model")
    weights.unlink()
    (model / "pytorch_model.bin").write_bytes(bomb)
    yield refused("a model with pytorch_model.bin only", with_model(), "no model.safetensors")


def memory(folder: Path) -> Iterator[Outcome]:
    """A line that is too large for the address space, between two that are not."""
    giant = giants()["10,000 words"]
    files = [folder / "source.txt", folder / "target.txt"]
    for file, side in zip(files, (giant.source, giant.target), strict=True):
        file.write_bytes(b"the museum\n" + side + b"\nthe museum\n")
    output = folder / "links.txt"

    def within(mib: int, *more: str) -> Finished:
        return align(
            *files, "--method", "itermax", "-o", output, *more, preexec_fn=limited(mib),
            env=with_environment(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1"),
        )  # fmt: skip

    done = within(1_200)
    yield judged("1,200 MiB of address space, a pair of 10,000 words", done, "emory", output=output)
    if knows("--on-error"):
        done = within(1_200, "--on-error", "skip")
        lines = output.read_text().split("\n") if output.exists() else []
        skipped = lines == ["0-0 1-1", "", "0-0 1-1", ""]
        yield Outcome("… and --on-error skip", done.code == 0 and skipped, done.code, done.sentence)


def signals(folder: Path) -> Iterator[Outcome]:
    pairs = corpus(folder, 20_000)
    for name, number, codes in (
        ("SIGINT (Ctrl-C)", signal.SIGINT, (130,)),
        ("SIGTERM", signal.SIGTERM, (143, -15)),
        ("SIGHUP", signal.SIGHUP, (129, -1)),
    ):
        output = folder / f"{number.value}.txt"
        with _running(folder, pairs, output) as process:
            process.send_signal(number)
            done = wait(process, patience=PATIENCE)
        clean = done.code in codes and "Traceback" not in done.stderr and not output.exists()
        yield Outcome(name, clean, done.code, done.sentence)
        yield _nobody_left(process)
    if knows("--workers"):
        output = folder / "worker.txt"
        with _running(folder, pairs, output, "--workers", 2) as process:
            workers = children(process.pid)
            if not workers:
                raise NotPossibleError("--workers 2 starts no process")
            os.kill(workers[-1], signal.SIGKILL)
            done = wait(process, patience=PATIENCE)
        yield judged("a worker is killed", done, "", output=output)
        yield _nobody_left(process)


FAULTS: tuple[Fault, ...] = (
    disk_full,
    read_only_disk,
    output_folder,
    without_rights,
    input_files,
    streams,
    damaged_models,
    pickles,
    memory,
    signals,
)


class _Bomb:
    def __init__(self, said: str) -> None:
        self._said = said

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, (self._said,)


@contextmanager
def _small_disk(place: Path, options: str) -> Iterator[Path]:
    place.mkdir()
    if os.geteuid() != 0 or shutil.which("mount") is None:
        raise NotPossibleError("only root can mount a small disk")
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True
    ).returncode:
        raise NotPossibleError("a small disk cannot be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


@contextmanager
def _running(folder: Path, *arguments: object) -> Iterator[subprocess.Popen[bytes]]:
    """A run that has begun to write its output, the last path given."""
    output = next(path for path in reversed(arguments) if isinstance(path, Path))
    inputs = [argument for argument in arguments if argument is not output]
    process = start(["align", "--model", "tiny", *inputs, "-o", output], start_new_session=True)
    try:
        partial = output.with_name(output.name + ".partial")
        _until(lambda: process.poll() is not None or (partial.exists() and partial.stat().st_size > 0))
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _nobody_left(process: subprocess.Popen[bytes]) -> Outcome:
    """No process of the run's session lives on; a moment is allowed for the last to go."""
    deadline = time.monotonic() + 10
    while (left := _session(process.pid)) and time.monotonic() < deadline:
        time.sleep(0.1)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return Outcome("… and no process is left behind", not left)


def _session(session: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(status.parent.name))
    return found


def _until(true: Callable[[], bool], seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.02)


def _shell(script: str) -> Finished:
    done = subprocess.run(
        ["bash", "-c", script.replace("{}", " ".join(f"'{word}'" for word in command()))],
        capture_output=True,
        timeout=PATIENCE,
    )
    return Finished(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


def _hugging_face_model(folder: Path) -> Path:
    """A BERT of almost nothing, with random weights."""
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    tokens = {
        token: number for number, token in enumerate(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "das"))
    }
    tokenizer = Tokenizer(models.WordPiece(tokens, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", tokens["[CLS]"]), ("[SEP]", tokens["[SEP]"])]
    )
    transformers.BertTokenizerFast(tokenizer_object=tokenizer, model_max_length=64).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(tokens),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=16,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder
