"""CoNLL-U: parts of speech, features and relations from each word to the word that translates it.

Two words belong together where each is the best link of the other. Such a word of the translation takes the
UPOS and the features; the lemma, which is of the other language, goes to MISC as `SourceLemma`, and the
number as `SourceId`. The head and the relation follow where the head has such a word, too; elsewhere they are
`_`. These links are one to one, so that the heads never form a circle.

The translation is plain text, or CoNLL-U itself: then its multiword tokens, empty nodes, comments and its own
columns stay, and `_` is filled in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from wordalign.errors import InputError, MissingExtraError
from wordalign.io.lines import shown
from wordalign.project.annotated import Annotated, Carried, Dropped, Reader
from wordalign.project.conll import blocks
from wordalign.project.labels import Rules
from wordalign.project.spans import IMPROBABLE, NO_LINKS, scores_of
from wordalign.types import Alignment, Sentence

NOT_BEST = "the word it is linked with is linked better with another one"


def read_conllu(path: str | Path) -> Reader:
    for place, tokens in token_lists(path):
        yield Tree(words_of(tokens), place, tokens)


def token_lists(path: str | Path) -> Iterator[tuple[str, Any]]:
    """The sentences of a file, each with the place where it begins."""
    try:
        import conllu
    except ImportError as error:
        raise MissingExtraError("Reading CoNLL-U", "conllu") from error
    for number, block in blocks(path):
        place = f"{shown(path)}, line {number}"
        try:
            (tokens,) = conllu.parse("\n".join(block) + "\n\n")
        except (conllu.exceptions.ParseException, ValueError) as error:
            raise InputError(f"{place}: not CoNLL-U: {str(error).splitlines()[0]}") from error
        yield place, tokens


def words_of(tokens: Any) -> Sentence:
    """The syntactic words: multiword tokens and empty nodes are beside them."""
    return Sentence(tuple(token["form"] for token in tokens if isinstance(token["id"], int)))


@dataclass(slots=True)
class Tree(Annotated):
    source: Sentence
    place: str
    tokens: Any
    target_tokens: Any = None  # of a translation that is CoNLL-U itself
    raw: bool = False

    def carry(self, alignment: Alignment, rules: Rules) -> Carried:
        partner, best_of_source = _mutual_best(alignment, rules.min_probability)
        target_of = {source: target for target, source in partner.items()}
        nodes = [token for token in self.tokens if isinstance(token["id"], int)]
        tokens = self.target_tokens or _plain_tokens(alignment.target, self.tokens.metadata)
        for place, token in enumerate([token for token in tokens if isinstance(token["id"], int)]):
            if place not in partner:
                continue
            node = nodes[partner[place]]
            for name in ("upos", "feats"):
                if token[name] in (None, "_"):
                    token[name] = node[name]
            misc = {"SourceId": str(node["id"])}
            if node["lemma"] not in (None, "_"):
                misc["SourceLemma"] = node["lemma"]
            token["misc"] = {**(token["misc"] or {}), **misc}
            if token["head"] is None and node["head"] is not None:
                head = 0 if node["head"] == 0 else target_of.get(node["head"] - 1, -1) + 1
                if head or node["head"] == 0:
                    token["head"], token["deprel"] = head, node["deprel"]
        dropped = [
            Dropped(
                self.place,
                node["upos"] or "_",
                node["form"],
                *(_why(best_of_source.get(place, 0.0), rules.min_probability)),
            )
            for place, node in enumerate(nodes)
            if place not in target_of
        ]
        return Carried(lambda: tokens.serialize().removesuffix("\n"), len(nodes), dropped)


def _why(best: float, least: float) -> tuple[str, float]:
    return (NO_LINKS if not best else IMPROBABLE if best < least else NOT_BEST), best


def _mutual_best(alignment: Alignment, least: float) -> tuple[dict[int, int], dict[int, float]]:
    """From target words to source words whose links are the best of both; and the best score of source words.

    Of equal links the first counts.
    """
    forward: dict[int, tuple[float, int]] = {}
    backward: dict[int, tuple[float, int]] = {}
    for (i, j), score in zip(alignment.links, scores_of(alignment), strict=True):
        forward[i] = max(forward.get(i, (-1.0, 0)), (score, -j))
        backward[j] = max(backward.get(j, (-1.0, 0)), (score, -i))
    partner = {
        j: -i for j, (score, i) in sorted(backward.items()) if score >= least and forward[-i] == (score, -j)
    }
    return partner, {i: score for i, (score, _) in forward.items()}


def _plain_tokens(sentence: Sentence, metadata: dict[str, str]) -> Any:
    """A sentence of words alone; where it was raw, its spaces are kept."""
    import conllu

    text = sentence.text if sentence.text is not None else " ".join(sentence.words)
    columns = conllu.parser.DEFAULT_FIELDS
    tokens = conllu.TokenList(
        [
            conllu.Token(dict.fromkeys(columns) | {"id": place, "form": word, "lemma": "_", "upos": "_"})
            for place, word in enumerate(sentence.words, start=1)
        ],
        conllu.models.Metadata({**metadata, "text": text.strip()}),
    )
    for token, following in zip(tokens, _glued(sentence), strict=False):
        if following:
            token["misc"] = {"SpaceAfter": "No"}
    return tokens


def _glued(sentence: Sentence) -> list[bool]:
    """For each word but the last, whether the next one follows without a space."""
    offsets = sentence.offsets or ()
    return [one[1] == other[0] for one, other in pairwise(offsets)]
