"""One tuning from checked material to learned weights: labels, vocabulary, stages, export."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import torch
from tokenizers import Tokenizer

from wordalign.tuning.examples import Example, UsedPieces, batches_of_a_pass, numbered
from wordalign.tuning.export import export_model, score_facts
from wordalign.tuning.gold import GoldPair, gold_pairs
from wordalign.tuning.keep import Keeper
from wordalign.tuning.labels import (
    OWN_PART,
    StatisticalLinks,
    blended,
    entry_links,
    own_part,
    statistical_links,
)
from wordalign.tuning.learn import TOKENS, Checked, Learner, Stage
from wordalign.tuning.material import Linked, Material
from wordalign.tuning.measure import opinions
from wordalign.tuning.shipped import shipped_pairs
from wordalign.tuning.start import start_from_translations, start_module
from wordalign.tuning.teacher import PairEncoder
from wordalign.tuning.vocabulary import extend_tokenizer
from wordalign.types import Pair

if TYPE_CHECKING:
    from wordalign.tuning.run import TuneSettings

MOST_PASSES = 10
# How fast is learned from text, by the embeddings and by all other weights: in languages that the parent
# knows, and in new ones. If all weights learned a new language fast, others would be lost. Bulgarian in
# Glagolitic letters had an F1 of .837, .834 and .801 from 5,000 pairs with 3e-4, 1e-4 and 3e-5 for the other
# weights; 17 other sets lost .017 and .006 and gained .003 on average. Of a language that is known, nothing
# more is learned so slowly: Hungarian technical text gained .006 of AER with 1e-4, and nothing with 3e-5.
KNOWN = (1e-4, 1e-4)
NEW = (3e-4, 3e-5)
ASKED = 500  # pairs that show how far the parent agrees with the statistical aligner
SAMPLED = 400  # sentences of each side that show how far values spread


# A pair, its links by the statistical aligner, and its subwords.
Labelled: TypeAlias = tuple[Pair, StatisticalLinks, GoldPair]


class Lesson:
    """What is learned from the material, from the labels to the weights."""

    def __init__(
        self,
        material: Material,
        parent: Path,
        settings: TuneSettings,
        state: Path,
        *,
        resume: bool,
        report: Callable[[str], object],
    ) -> None:
        self.material, self.parent, self.settings, self.report = material, parent, settings, report
        self.device = torch.device(settings.device or ("cuda" if torch.cuda.is_available() else "cpu"))
        self.keeper = Keeper(state, {**asdict(settings), "material": self._fingerprint()}, resume)
        old = Tokenizer.from_file(str(parent / "tokenizer.json"))
        learned = [*material.text, *(one.pair for one in material.gold), *material.entries]
        self.tokenizer = extend_tokenizer(
            old, [[pair.source.words for pair in learned], [pair.target.words for pair in learned]]
        )
        self.new_pieces = self.tokenizer.get_vocab_size() - old.get_vocab_size()
        if self.new_pieces:
            report(f"{self.new_pieces:,} pieces are added to the vocabulary for words that it cuts up.")
        torch.manual_seed(settings.seed)
        self.module = start_module(parent, self.tokenizer)
        self.known: float | None = None
        self.part = 1.0
        self.stopped = False
        self.held_out: list[Linked] = list(material.held_out)
        self.weights: dict[str, Any] = {}

    def learn(self, progress: Callable[[Checked], object]) -> None:
        """Label the text and learn all stages. Ctrl-C while it learns keeps the best so far."""
        text = self._labelled_text()
        gold = self._gold(self.material.gold)
        held_out = self._gold(self.held_out)
        rehearsed = [pair for part in shipped_pairs("rehearse").values() for pair in part]
        rehearsal = [pair for pair in numbered(rehearsed, self.tokenizer) if pair is not None]
        used = UsedPieces.of([*(one.pair for one in text), *gold, *held_out, *rehearsal])
        text = [Example(used.renumbered(one.pair), one.links, one.weights) for one in text]
        gold, held_out, rehearsal = (
            [used.renumbered(pair) for pair in part] for part in (gold, held_out, rehearsal)
        )
        net = PairEncoder(used.narrowed(self.module)).to(self.device)
        thought = opinions(net, rehearsal, self.device, competing=False, least=0.02)
        learner = Learner(
            net,
            held_out,
            [Example.of(pair, labels) for pair, labels in zip(rehearsal, thought, strict=True)],
            used.plain(self.tokenizer),
            seed=self.settings.seed,
            checks=self.settings.checks,
            keeper=self.keeper,
            report=progress,
        )
        learner.learn(self._stages(text, gold))
        self.stopped = learner.stopped
        self.part = learner.mix()
        # The masked-word head does not ship.
        names = [name for name, _ in net.encoder.named_parameters() if not name.startswith("predict.")]
        best = {name: learner.best[f"encoder.{name}"] for name in names}
        self.weights = used.widened(best, self.module)

    def export(self, folder: Path, name: str, languages: Sequence[str]) -> dict[str, Any]:
        """Write the learned weights as a model folder; returns what its model.json says."""
        facts = self.parent_facts()
        curve = {key: value for key, value in facts["calibration"].items() if key not in ("scale", "bias")}
        known = [*facts["languages"], *(code for code in languages if code not in facts["languages"])]
        pairs = [*self.material.text[:SAMPLED], *(one.pair for one in self.material.gold[:SAMPLED])]
        pairs += [pair for part in shipped_pairs("rehearse").values() for pair in part]
        export_model(
            folder,
            self.weights,
            replace(self.module.shape, name=name),
            self.tokenizer,
            {
                "version": f"{facts['name']}-{facts['version']}-{self._digest()}",
                "languages": known,
                **({"coverage": self._coverage(facts, languages)} if "coverage" in facts else {}),
                "calibration": {**curve, **score_facts(self.weights)},
                "thresholds": facts["thresholds"],
            },
            [side.words for pair in pairs for side in (pair.source, pair.target)],
        )
        made: dict[str, Any] = json.loads((folder / "model.json").read_text("utf-8"))
        return made

    def parent_facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = json.loads((self.parent / "model.json").read_text("utf-8"))
        facts.pop("tuned", None)
        return facts

    def _coverage(self, facts: dict[str, Any], languages: Sequence[str]) -> list[dict[str, Any]]:
        """The parent's languages, and those that the user names; figures of the parent are not ours."""
        rows = [{key: value for key, value in row.items() if key != "measured"} for row in facts["coverage"]]
        known = {row["language"] for row in rows} | {"eng"}
        pairs = len(self.material.text) + len(self.material.gold)
        return [*rows, *({"language": code, "pairs": pairs} for code in languages if code not in known)]

    def _stages(self, text: Sequence[Example], gold: Sequence[GoldPair]) -> list[Stage]:
        stages = []
        if text:
            tokens = sum(example.tokens for example in text)
            once = batches_of_a_pass([one.pair.length for one in text], TOKENS, self.settings.seed)
            steps = max(1, round(once * min(MOST_PASSES, self.settings.text_tokens / tokens)))
            known = own_part(self.known or 0.0) / OWN_PART
            embeddings, others = (
                self.settings.text_rate or known * one + (1 - known) * other
                for one, other in zip(KNOWN, NEW, strict=True)
            )
            stages.append(Stage("text", steps, others, embeddings, text=text))
        if gold:
            stages.append(Stage("gold", self.settings.gold_steps, self.settings.gold_rate, gold=gold))
        return stages

    def _labelled_text(self) -> list[Example]:
        """The text and the dictionary with soft links; and links for held-out text."""
        material = self.material
        pairs = [*material.text, *material.held_out_text, *material.entries]
        if not pairs:
            return []
        self.report(f"{self.settings.aligner} links {len(pairs):,} pairs.")
        found = statistical_links(
            pairs,
            [one.pair for one in (*material.gold, *material.held_out)],
            aligner=self.settings.aligner,
            seed=self.settings.seed,
            normalise=self.tokenizer.normalizer.normalize_str,
        )
        texts, judged = len(material.text), len(material.text) + len(material.held_out_text)
        self.held_out += [
            Linked(pair, links.as_gold())
            for pair, links in zip(pairs[texts:judged], found[texts:judged], strict=True)
            if links.sure
        ]
        taught = [(pairs[place], found[place]) for place in (*range(texts), *range(judged, len(pairs)))]
        known = numbered([pair for pair, _ in taught], self.tokenizer)
        usable = [(*both, pair) for both, pair in zip(taught, known, strict=True) if pair is not None]
        self._ask_parent(usable)
        if self.new_pieces:
            start_from_translations(
                self.module,
                self.tokenizer.get_vocab_size() - self.new_pieces,
                [pair for _, _, pair in usable],
                [links.sure for _, links, _ in usable],
            )
        return self._blended(self._affordable(usable))

    def _affordable(self, usable: list[Labelled]) -> list[Labelled]:
        """As many pairs as are learned from, drawn by chance: the parent need not be asked about others."""
        random.Random(self.settings.seed).shuffle(usable)
        left, count = self.settings.text_tokens, 0
        while count < len(usable) and left > 0:
            left -= sum(map(len, usable[count][2].ids))
            count += 1
        return usable[:count]

    def _ask_parent(self, usable: Sequence[Labelled]) -> None:
        """Find out how many of the statistical aligner's sure links the parent has."""
        net = PairEncoder(self.module).to(self.device)
        asked = [one for one in usable if one[1].sure][:ASKED]
        thought = opinions(net, [pair for _, _, pair in asked], self.device, competing=False, least=0.5)
        self.module = self.module.cpu()
        shared = sum(len(links.sure & own.keys()) for (_, links, _), own in zip(asked, thought, strict=True))
        self.known = shared / max(1, sum(len(links.sure) for _, links, _ in asked))
        self.report(f"The parent has {self.known:.0%} of the links that {self.settings.aligner} is sure of.")

    def _blended(self, usable: Sequence[Labelled]) -> list[Example]:
        """The statistical aligner's links, blended with the parent's as far as it knows the languages."""
        part = own_part(self.known or 0.0)
        own_opinions: list[dict[tuple[int, int], float]] = [{} for _ in usable]
        if part:
            net = PairEncoder(self.module).to(self.device)
            own_opinions = opinions(net, [pair for _, _, pair in usable], self.device, competing=True)
            self.module = self.module.cpu()
        examples = []
        for (pair, links, known), own in zip(usable, own_opinions, strict=True):
            labels = blended(links.labels(), own, part)
            if len(pair.source) == len(pair.target) == 1:
                labels = entry_links(pair) or labels
            if labels:
                examples.append(Example.of(known, labels))
        return examples

    def _gold(self, examples: Sequence[Linked]) -> list[GoldPair]:
        return gold_pairs(
            [one.pair.source.words for one in examples],
            [one.pair.target.words for one in examples],
            [one.links for one in examples],
            self.tokenizer,
        )

    def _fingerprint(self) -> str:
        """What the material and the parent are, in a few letters."""
        digest = hashlib.sha256((self.parent / "model.json").read_bytes())
        material = self.material
        for pair in (*material.text, *material.held_out_text, *material.entries):
            digest.update(repr((pair.source.words, pair.target.words)).encode())
        for one in (*material.gold, *material.held_out):
            digest.update(repr((one.pair.source.words, one.pair.target.words)).encode())
            digest.update(repr((sorted(one.links.sure), sorted(one.links.possible))).encode())
        return digest.hexdigest()

    def _digest(self) -> str:
        digest = hashlib.sha256()
        for name in sorted(self.weights):
            digest.update(self.weights[name].tobytes())
        return digest.hexdigest()[:8]
