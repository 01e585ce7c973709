"""The web page as a folder for any web server: the model runs in the reader's browser, without a service.

    index.html annotate.html files.json offline.js worker.js
    page/       the page's own files, all but the module that speaks to the service
    aligner/    the aligner in JavaScript
    model/      model.json, model.onnx, tokenizer.json
    runtime/    what runs the model: two files of the npm package onnxruntime-web

`files.json` lists all files with their sizes. The page keeps them in the browser, and works offline from then
on.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from wordalign import __version__
from wordalign.encoders import resolve
from wordalign.errors import DownloadError, InputError, UsageError
from wordalign.io.whole import refuse_foreign_folder, whole_folder

HERE = Path(__file__).parent
RUNTIME = "onnxruntime-web"
RUNTIME_VERSION = "1.30.0"
# The files of its folder `dist`: what they are called in the page, and what they must hash to.
RUNTIME_FILES = {
    "ort.wasm.bundle.min.mjs": (
        "ort.js",
        "11e64bd8ffe11bd1a2a2f0d6275fdfbbba7262f0b76b99b53d228a8a22ef3d90",
    ),
    "ort-wasm-simd-threaded.wasm": (
        "ort.wasm",
        "3398c10d07d229bd91b364548e130e0e51a8e5704b88c7c083ebbeb78842dee2",
    ),
}
MODEL_FILES = ("model.json", "model.onnx", "tokenizer.json")
LIST = "files.json"
# Nothing is loaded from elsewhere, sent elsewhere, or run but the page's own files.
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'"
)
_CHARSET = '<meta charset="utf-8">'
_MINUTES = 10


def write_static_page(folder: str | Path, model: str = "tiny", runtime: str | Path | None = None) -> int:
    """Write the page, whole or not at all, and return its size in bytes.

    `runtime` is the folder `dist` of the npm package onnxruntime-web; without it, npm fetches the package.
    """
    refuse_foreign_folder(folder, _made_files)
    source = _model_folder(model)
    with _runtime(runtime) as found, whole_folder(folder, _made_files) as new:
        _copy_code(new)
        (new / "model").mkdir()
        for name in MODEL_FILES:
            shutil.copyfile(source / name, new / "model" / name)
        (new / "runtime").mkdir()
        for name, (short, _) in RUNTIME_FILES.items():
            shutil.copyfile(found / name, new / "runtime" / short)
        return _list_files(new)


def _model_folder(model: str) -> Path:
    from wordalign.encoders.onnx import checked_facts

    source = resolve(model)
    if source.kind != "onnx" or source.folder is None:
        raise UsageError(
            f"The model {model!r} cannot run in a browser: use tiny, base, or a folder in their format."
        )
    checked_facts(source.folder)
    return source.folder


def _copy_code(folder: Path) -> None:
    for name in ("page", "aligner"):
        shutil.copytree(HERE / name, folder / name, ignore=shutil.ignore_patterns("*.d.ts", "index.js"))
    policy = f'{_CHARSET}\n  <meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    for page in (folder / "page").glob("*.html"):
        text = page.read_text("utf-8")
        if _CHARSET not in text:
            raise InputError("The page of this installation is damaged: install wordalign again.")
        (folder / page.name).write_text(text.replace(_CHARSET, policy), "utf-8")
        page.unlink()
    shutil.copyfile(HERE / "static/transport.js", folder / "page/transport.js")
    shutil.copyfile(HERE / "static/worker.js", folder / "worker.js")


def _list_files(folder: Path) -> int:
    """Write `files.json` and `offline.js`, which knows the version of all files; return the size of all."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    everything = hashlib.sha256()
    for path in files:
        everything.update(path.relative_to(folder).as_posix().encode())
        everything.update(hashlib.sha256(path.read_bytes()).digest())
    version = f"{__version__}-{everything.hexdigest()[:16]}"
    offline = (HERE / "static/offline.js").read_text("utf-8").replace("@VERSION@", version)
    (folder / "offline.js").write_text(offline, "utf-8")
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in files}
    listed = {"made_by": f"wordalign {__version__}", "version": version, "files": sizes}
    (folder / LIST).write_text(json.dumps(listed, indent=1) + "\n", "utf-8")
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _made_files(folder: Path) -> set[str]:
    """The files that the list of a folder names."""
    try:
        return {LIST, "offline.js", *json.loads((folder / LIST).read_text("utf-8"))["files"]}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


@contextmanager
def _runtime(folder: str | Path | None) -> Iterator[Path]:
    """The folder that has the files of the runtime, checked."""
    if folder is not None:
        _check_runtime(Path(folder))
        yield Path(folder)
        return
    with TemporaryDirectory() as temporary:
        _fetch_runtime(Path(temporary))
        _check_runtime(Path(temporary))
        yield Path(temporary)


def _check_runtime(folder: Path) -> None:
    for name, (_, expected) in RUNTIME_FILES.items():
        try:
            found = hashlib.sha256((folder / name).read_bytes()).hexdigest()
        except OSError as error:
            raise InputError(
                f"{folder / name} cannot be read ({error.strerror}): give the folder `dist` of the npm "
                f"package {RUNTIME} {RUNTIME_VERSION}."
            ) from error
        if found != expected:
            raise InputError(
                f"{folder / name} is not the file of {RUNTIME} {RUNTIME_VERSION} (its checksum is another): "
                f"give the folder `dist` of that version, as `npm install {RUNTIME}@{RUNTIME_VERSION}` makes "
                "it."
            )


def _fetch_runtime(folder: Path) -> None:
    """Have npm fetch the package from its registry, and unpack the files that are needed."""
    npm = shutil.which("npm")
    if npm is None:
        raise InputError(
            f"What runs the model in a browser, the npm package {RUNTIME}, is fetched by npm, which is not "
            "on this machine: install Node.js, or give --runtime FOLDER, the package's folder `dist`."
        )
    command = [npm, "pack", "--silent", f"{RUNTIME}@{RUNTIME_VERSION}", "--pack-destination", str(folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=60 * _MINUTES)
    except subprocess.TimeoutExpired as error:
        raise DownloadError(f"npm needed more than {_MINUTES} minutes for {RUNTIME}: try again.") from error
    archives = list(folder.glob("*.tgz"))
    if done.returncode or len(archives) != 1:
        said = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise DownloadError(
            f"npm cannot fetch {RUNTIME} {RUNTIME_VERSION} ({said}): see to npm's registry, or give "
            "--runtime FOLDER."
        )
    with tarfile.open(archives[0]) as archive:
        for name in RUNTIME_FILES:
            try:
                stream = archive.extractfile(f"package/dist/{name}")
            except KeyError:
                stream = None
            if stream is None:
                raise DownloadError(f"The package {RUNTIME} that npm fetched has no dist/{name}.")
            (folder / name).write_bytes(stream.read())
