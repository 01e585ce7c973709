"""Fetching and opening a Hugging Face model, with its failures explained."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import transformers
from huggingface_hub import constants, errors, get_hf_file_metadata, hf_hub_url
from transformers.utils.hub import cached_file, extract_commit_hash

from wordalign.errors import DownloadError, ModelError


def load_model(name: str, revision: str | None, dtype: Any) -> tuple[Any, Any, str | None]:
    """The tokenizer, the model and its commit (none in a plain folder), from a folder, the cache or the hub.

    Weights come from safetensors only and no code of the model's repository runs: nothing is unpickled,
    nothing downloaded is executed.
    """
    with _quiet_transformers(), _explained(name):
        # The config first: a hub that cannot be reached is waited for once, not again for each file. All
        # else then comes from that very commit, even when the repository changes in the meantime.
        found = cached_file(name, "config.json", revision=revision)
        commit = extract_commit_hash(found, None)
        # Found in the cache only: look nowhere else, or each further look waits for the hub again.
        cache_only = commit is not None and not _hub_answers(name, commit)
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            name,
            revision=commit or revision,
            local_files_only=cache_only,
            trust_remote_code=False,
            # Byte-level tokenizers (RoBERTa, GPT-2) take words one by one only with this set.
            add_prefix_space=True,
            # Windows are cut from left to right, also for models that prefer to keep a text's end.
            truncation_side="right",
        )
        model = transformers.AutoModel.from_pretrained(
            name,
            revision=commit or revision,
            local_files_only=cache_only,
            dtype=dtype,
            use_safetensors=True,
            trust_remote_code=False,
        )
    if not tokenizer.is_fast:
        raise ModelError(
            f"The tokenizer of {name!r} cannot say which word a subword belongs to (it is not a 'fast' one); "
            "convert it to a tokenizer.json, or use another model."
        )
    return tokenizer, model, commit


def _hub_answers(name: str, commit: str) -> bool:
    try:
        get_hf_file_metadata(hf_hub_url(name, "config.json", revision=commit))
    except Exception:  # refused, timed out, offline by choice, 500: each library version has its own classes
        return False
    return True


@contextmanager
def _quiet_transformers() -> Iterator[None]:
    """The loading report lists heads that an aligner never uses; it only worries people."""
    log: Any = transformers.utils.logging
    level, bars = log.get_verbosity(), log.is_progress_bar_enabled()
    log.set_verbosity_error()
    log.disable_progress_bar()
    try:
        yield
    finally:
        log.set_verbosity(level)
        if bars:
            log.enable_progress_bar()


@contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        chain = list(_chain(error))
        reason = str(chain[-1]).strip().splitlines()
        short = reason[0] if reason else type(error).__name__
        hub = constants.ENDPOINT
        if "file named model.safetensors" in str(error):
            raise ModelError(
                f"The model {name!r} has no model.safetensors. Other weights, like pytorch_model.bin, can "
                "hold code and are never opened: use another model, or save this one again with transformers "
                "(save_pretrained writes safetensors) where you trust it, and give that folder."
            ) from error
        if Path(name).is_dir():
            raise ModelError(
                f"The folder {name} does not hold a usable model in Hugging Face format "
                f"(config.json, tokenizer.json, model.safetensors): {short}"
            ) from error
        if _any(chain, errors.GatedRepoError):
            raise DownloadError(
                f"The model {name!r} is gated: ask for access on its page, then `hf auth login`."
            ) from error
        if _any(chain, errors.RevisionNotFoundError):
            raise DownloadError(f"The model {name!r} has no such revision on {hub}.") from error
        if _any(chain, errors.RepositoryNotFoundError):
            raise DownloadError(
                f"There is no model {name!r} on {hub} (or it is private): check the spelling; "
                "`wordalign models` lists names that work."
            ) from error
        if isinstance(error, (ValueError, KeyError, ImportError)):
            raise ModelError(f"The model {name!r} cannot be used: {short}") from error
        raise DownloadError(
            f"The model {name!r} could not be fetched from {hub} ({type(chain[-1]).__name__}: {short}). "
            "Check the network and try again (files that have arrived are kept), or give a folder."
        ) from error


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _any(chain: list[BaseException], kind: type[BaseException]) -> bool:
    return any(isinstance(error, kind) for error in chain)
