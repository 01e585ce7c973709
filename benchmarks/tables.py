"""Writes the tables of README.md and docs/ from the results: `python benchmarks/tables.py [--check]`."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
LANGUAGES = ("ces", "deu", "fra", "hin", "ron")

# Jalili Sabet et al. 2020, Table 2: F1 and AER.
PAPER = {
    "eflomal, word level (the paper)": ".85 (.15) | .77 (.23) | .93 (.08) | .51 (.49) | .71 (.29)",
    "mBERT[8] argmax, subword level (the paper)": ".86 (.14) | .81 (.19) | .94 (.06) | .55 (.45) | .65 (.35)",
    "XLM-R[8] argmax, subword level (the paper)": ".87 (.13) | .81 (.19) | .93 (.07) | .61 (.39) | .71 (.29)",
}


def load(path: str) -> Any:
    return json.loads((ROOT / path).read_text("utf-8"))


def quality() -> str:
    rows = [f"| | {' | '.join(LANGUAGES)} |", "|---" * 6 + "|"]
    rows += [f"| {name} | {figures} |" for name, figures in PAPER.items()]
    for model in ("base", "tiny"):
        test = load(f"training/results/{model}/int8.json")["test"]
        for method in ("argmax", "calibrated"):
            scores = [test[f"eng-{language}"][method] for language in LANGUAGES]
            figures = " | ".join(
                f"{found['f1']:.3f} ({found['aer']:.3f})"[1:].replace("(0", "(") for found in scores
            )
            rows.append(f"| {model}, {method} | {figures} |")
    return "\n".join(rows)


def speed() -> str:
    result = load("benchmarks/results/speed.json")
    machine, argmax = result["machine"], result["argmax"]
    three, long = result["argmax_itermax_match"], result["match_120_words"]
    rows = [
        ("SimAlign 0.4, an mBERT-shaped model, argmax", argmax["simalign_pairs_per_s"], 1),
        ("the same model, argmax", *pace(argmax["same_model"])),
        ("the same model; argmax, itermax and match together", *pace(three["same_model"])),
        ("the same model; match, sentences of 120 words and more", *pace(long["same_model"])),
        ("`base`, bundled, raw text", *pace(argmax["bundled_base"])),
        ("`base`, one pair a call", *pace(argmax["bundled_base_one_pair_a_call"])),
        ("`tiny`, bundled, raw text", *pace(argmax["bundled_tiny"])),
    ]
    extraction = ", ".join(
        f"{method} {found['stacked_per_s']:,}" for method, found in result["extraction_25x25"].items()
    )
    return "\n".join(
        [
            f"Pairs per second on {machine['cores']} cores ({machine['processor']}), {argmax['pairs']}",
            "Europarl sentences, float32; each ratio is to SimAlign doing the same work in the same run",
            "(`benchmarks/speed.py`, median of rounds in turn).",
            "",
            "| | pairs/s | times SimAlign |",
            "|---|---|---|",
            *(f"| {name} | {figure:g} | {ratio:g} |" for name, figure, ratio in rows),
            "",
            f"Extraction alone, 25×25 matrices a second: {extraction}. Loading `base` takes "
            f"{result['load_base_s']:g} s.",
        ]
    )


def pace(found: dict[str, Any]) -> tuple[float, float]:
    return found["pairs_per_s"], found["ratio"]


def service() -> str:
    result = load("benchmarks/results/serve.json")
    machine, at_64 = result["machine"], result["at_64_clients"]
    rounds = [found["service"] for found in at_64["rounds"]]
    middle = at_64["rounds"][len(rounds) // 2]
    in_turn = [middle[name] for name in ("service", "service_of_16") if name in middle]
    loads = sorted([*result["others"], *in_turn], key=lambda found: found["clients"])
    rows = [
        [
            found["clients"],
            f"{found['pairs_per_s']:.0f}",
            f"{found['p50_ms']:.0f}",
            f"{found['p99_ms']:.0f}",
            ", ".join(f"{count} × {code}" for code, count in found["answers"].items()),
            found["failed"],
            f"{found['healthz_max_ms']:.0f}",
        ]
        for found in loads
    ]
    return "\n".join(
        [
            f"`{result['model']}` on {machine['cores']} cores ({machine['processor']}), shared by server and",
            f"clients, one pair a request. With 64 clients the service does {at_64['ratio']:.0%} of what the",
            f"library does in one batch after another (median of {len(rounds)} rounds in turn).",
            "",
            "| clients | pairs/s | p50 ms | p99 ms | answers | failed | `/healthz` at most, ms |",
            "|---|---|---|---|---|---|---|",
            *(f"| {' | '.join(map(str, row))} |" for row in rows),
        ]
    )


def gpu() -> str:
    result = load("benchmarks/results/gpu.json")
    machine, links = result["machine"], result["links"]
    names = {
        "base": "`base`, float16",
        "tiny": "`tiny`, float16",
        "mbert_shaped": "mBERT-shaped, argmax, bfloat16",
    }
    rows = []
    for model, name in names.items():
        files, text = result["files"][model], result["text"][model]
        rows.append(
            f"| {name} | {text['gigaflop_per_pair']:.2f} | {files['pairs_per_s']:,} | "
            f"{10**9 / files['pairs_per_s'] / 3600:.1f} | {files['share_of_time_gpu_is_busy']:.0%} | "
            f"{files['share_of_time_in_products']:.0%} | {files['share_of_floor']:.0%} |"
        )
    shares = ", ".join(
        f"{links[f'{model}_float16']['share_of_links']:.2%} (`{model}`)" for model in ("base", "tiny")
    )
    return "\n".join(
        [
            f"One {machine['device']} and {machine['cores']} cores of its host, raw text of "
            f"{result['text']['base']['words_per_pair']:g} words a pair, from file to file: the rate",
            "between the first tenth of the lines and the last line, each model in one run "
            "(`benchmarks/gpu.py`).",
            "",
            "| | GFLOP a pair | pairs/s | hours for a billion | GPU busy | in matrix products and attention "
            "| of the floor |",
            "|---|---|---|---|---|---|---|",
            *rows,
            "",
            "The floor is the model's matrix products at the rate of one large product "
            f"({result['ceilings']['bfloat16_matmul_flop_per_s'] / 1e12:.0f} TFLOP/s).",
            f"Links in float16 that are those of the processor, which computes in int8: {shares} of "
            f"{links['pairs']:,}",
            "pairs of development sets (in a run before, with attention by torch's own kernels).",
        ]
    )


def cores() -> str:
    result = load("benchmarks/results/pipeline.json")
    machine, peaks = result["machine"], result["peak_mib_tiny"]
    rows = []
    for model in ("base", "tiny"):
        wall, processor = result[model]["wall"], result[model]["processor"]
        rows.append(
            f"| `{model}` | {wall['pairs_per_s']['command']:.0f} | "
            f"{wall['pairs_per_s']['command'] / machine['cores']:.0f} | {wall['steady_of_encoder']:.0%} | "
            f"{processor['steady_of_encoder']:.0%} | {wall['to_stream']:.2f} |"
        )
    return "\n".join(
        [
            f"{machine['cores']} cores ({machine['processor']}), {result['base']['pairs']:,} pairs of raw "
            "text, file to file, start of all processes",
            "included in the first two columns (`benchmarks/pipeline.py`).",
            "",
            "| | pairs/s | a core | of the encoder alone | the same in processor time | to a plain loop |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
            "Peak memory of all processes, `tiny`: "
            + ", ".join(f"{peak} MiB for {int(name.split('_')[0]):,} lines" for name, peak in peaks.items())
            + ".",
        ]
    )


def limit() -> str:
    measured = {
        "two logical cores of a Xeon, by the clock": load("benchmarks/results/cores.json"),
        "one core of an EPYC, by processor time": load("benchmarks/results/cores-processor.json"),
    }
    rows = []
    for where, result in measured.items():
        rate = result["int8_operations_per_s"]["all_cores"]
        rows.append(f"| SimAlign 0.4, {where} | {result['simalign']['pairs_per_s']:g} | 1 | | | |")
        for model in ("base", "tiny"):
            found, shares = result[model], result["profile"][model]["shares"]
            most = rate / result["models"][model]["operations_per_pair"]
            first = ", ".join(f"{name} {share:.0%}" for name, share in list(shares.items())[:3])
            rows.append(
                f"| `{model}`, there | {found['pairs_per_s']:.0f} | {found['ratio']:.0f} | {most:,.0f} | "
                f"{found['pairs_per_s'] / most:.0%} | {first} |"
            )
    return "\n".join(
        [
            "Raw text in, links out, in one process; SimAlign has an mBERT-shaped model "
            "(`benchmarks/cores.py`).",
            "The limit is the model's matrix products alone, at the rate of one large int8 product.",
            "",
            "| | pairs/s | times SimAlign | the limit | of the limit | where the encoder's time goes |",
            "|---|---|---|---|---|---|",
            *rows,
        ]
    )


def plan() -> str:
    pairs = 10**9
    pipeline, device = (load(f"benchmarks/results/{name}.json") for name in ("pipeline", "gpu"))
    core = {
        model: pipeline[model]["wall"]["pairs_per_s"]["command"] / pipeline["machine"]["cores"]
        for model in ("base", "tiny")
    }
    card = {model: found["pairs_per_s"] for model, found in device["files"].items()}
    rows = [
        ("`tiny`, 64 cores", 64 * core["tiny"]),
        ("`base`, 64 cores", 64 * core["base"]),
        ("`base`, 16 machines of 64 cores", 16 * 64 * core["base"]),
        ("`base`, 1 H200", card["base"]),
        ("`tiny`, 1 H200", card["tiny"]),
        ("an mBERT-shaped model, 1 H200", card["mbert_shaped"]),
        ("an mBERT-shaped model, 8 H200", 8 * card["mbert_shaped"]),
    ]
    return "\n".join(
        [
            "| 1,000,000,000 pairs with | pairs/s | hours |",
            "|---|---|---|",
            *(f"| {name} | {rate:,.0f} | {pairs / rate / 3600:,.1f} |" for name, rate in rows),
        ]
    )


def check() -> str:
    result = load("benchmarks/results/check.json")
    names = ("score", "in a text", "length ratio", "dictionary")
    mean = result["base"]["auc"]
    error = result["base"]["calibration"]["expected_calibration_error"]
    return "\n".join(
        [
            "How often a good pair scores above a faulty one (AUC), on sentences that the model was not",
            "trained on (`benchmarks/check.py`; the mean of ces, deu, fra, hin and ron, model `base`):",
            "",
            f"| | {' | '.join(names)} |",
            "|---" * (len(names) + 1) + "|",
            *(
                f"| {kind} | {' | '.join(f'{row[name]:.3f}'.removeprefix('0') for name in names)} |"
                for kind, row in mean.items()
            ),
            "",
            "The pairs of the row `wrong language` are an exception: they come from the text that the models",
            "learned from. `in a text` has learned languages and lengths from good pairs alone; a text with",
            "many faults teaches less. How the score measures lengths was changed after a first look at",
            "these figures, so those of `cut` and `added` may be somewhat too good. The weights come from",
            "text that the models know, and scores of new text are too low rather than too high.",
            "",
            f"Where half of the pairs are good, the score is off by {error:.3f} on the average (expected",
            "calibration error).",
        ]
    )


def projection() -> str:
    result = load("benchmarks/results/project.json")
    languages = {"de": "German", "es": "Spanish", "it": "Italian", "all": "all"}
    rows = [
        f"| {name} | {' | '.join(format(scores[language]['f1'], '.3f') for language in languages)} |"
        for name, scores in result["systems"].items()
    ]
    sure, ratio = result["with probability 0.8 or more"], result["throughput"]["project / align"]
    return "\n".join(
        [
            f"Entity F1 of {result['entities in English']} English entities in {result['sentences']} "
            f"sentences of Europarl that `{result['model']}` was not taught with, carried",
            "to three languages, against the annotations of people in those languages "
            "(`benchmarks/project.py`).",
            "",
            f"| | {' | '.join(languages.values())} |",
            "|---" * 5 + "|",
            *rows,
            "",
            f"{result['verdict'][:1].upper()}{result['verdict'][1:]}",
            "",
            f"With `--min-probability 0.8` precision is {sure['precision']:.3f} and recall "
            f"{sure['recall']:.3f}. The command takes {ratio:.2f} times the processor time",
            "of `wordalign align` on the same text.",
        ]
    )


def markup() -> str:
    result = load("benchmarks/results/transfer.json")
    found, speed, fuzzed = result["quality"], result["speed"], result["fuzzed"]
    groups = ("de", "fi", "fr", "ja", "nl", "ru", "zh", "all", "odd numbers")
    names = {
        "transfer": "`wordalign transfer`",
        "argmax links": "the same with argmax links",
        "argmax, first to last": "argmax links, first to last",
        "relative position": "relative position",
    }
    rows = []
    for name, shown in names.items():
        system = found["systems"][name]
        exact = " | ".join(f"{system[group]['exact']:.3f}" for group in groups)
        rows.append(f"| {shown} | {exact} | {system['all']['structure']:.3f} |")
    every = found["systems"]["transfer"]["all"]
    ahead = found["ahead_of"]["argmax links"]["odd numbers"]
    low, high = ahead["interval"]
    return "\n".join(
        [
            f"{every['elements']:,} elements in {every['segments']:,} segments of software documentation "
            "from English (Salesforce localization XML MT,",
            "development part), with the tags of the translation taken out and put in again by `base`. The "
            "share of elements whose two tags stand",
            "exactly where professional translators put them, and of segments with the same tree of elements "
            "(`benchmarks/transfer.py`).",
            "",
            f"| | {' | '.join(groups[:-1])} | odd numbers | same tree |",
            "|---" * 11 + "|",
            *rows,
            "",
            "Rules were made on segments with even numbers. On the others the links of the "
            "model are ahead of argmax links by",
            f"{ahead['exact']:.3f} (95 % interval {low:.3f} to {high:.3f}).",
            f"Of {fuzzed['carried'] + fuzzed['refused']:,} random strings of markup with random links "
            f"{fuzzed['carried']:,} were carried, each tag once, and {fuzzed['refused']:,} refused in words.",
            f"It takes {speed['transfer / align']:.2f} times the processor time of `align` on the same text.",
        ]
    )


def javascript() -> str:
    result = load("benchmarks/results/javascript.json")
    machine, rates, size = result["machine"], result["pairs_per_s"], result["bytes"]
    equal, native = result["equal"]["chromium"], result["equal"]["node_native"]
    others = equal["probabilities_of_other_links"]
    rows = [
        ("Python, `tiny`, one pair a call", "python", 1.0),
        ("Python, `tiny`, in batches", "python_batch", 1.0),
        ("Node, onnxruntime-node", "node_native", native["share"]),
        ("Node, onnxruntime-web", "node", result["equal"]["node"]["share"]),
        ("Chromium, onnxruntime-web", "chromium", equal["share"]),
    ]
    return "\n".join(
        [
            f"Of the {equal['links']:,} links of {equal['pairs']:,} pairs in {len(result['languages'])} "
            f"languages with English {equal['equal_links']:,} are equal in Chromium",
            f"({equal['share']:.2%}), and all of them in {equal['pairs_with_equal_links']:,} pairs. The "
            f"others have probabilities from {others[0]:.2f} to {others[-1]:.2f}, at the threshold.",
            "The probability of a link that both have differs by "
            f"{equal['largest_difference_of_a_probability']:.2f} at most.",
            "",
            f"Pairs per second on one thread ({machine['processor']}), {result['timed_pairs']} of these "
            "pairs, all in one run (`benchmarks/javascript.py`,",
            f"median of rounds in turn; the machine was busy, with a load of {machine['load_before']:.0f} on "
            f"{machine['cores']} cores, so the ratios say more than the rates):",
            "",
            "| | pairs/s | times Python | equal links |",
            "|---|---|---|---|",
            *(
                f"| {name} | {rates[key]:.0f} | {rates[key] / rates['python']:.2f} | {share:.2%} |"
                for name, key, share in rows
            ),
            "",
            f"Loading takes {result['load_s']['chromium']:.1f} s in Chromium once the files are there. The "
            f"npm package has {size['npm_archive'] / 1e6:.0f} MB, the page as a folder",
            f"{size['static_page'] / 1e6:.0f} MB ({size['static_page_gzipped'] / 1e6:.0f} MB where the host "
            f"compresses), of which the model has {size['model.onnx'] / 1e6:.0f} and the runtime "
            f"{size['runtime_wasm'] / 1e6:.0f}.",
        ]
    )


def doubts() -> str:
    result = load("benchmarks/results/active.json")
    rows = [
        "| | pairs | AER | errors found | at random | places that were wrong | at random | AER after |",
        "|---" * 8 + "|",
    ]
    for sets in result["sets"].values():
        for name, found in sets.items():
            tenth = found["looked_at"]["0.1"]
            cells = [
                name.split(".")[0],
                str(found["pairs"]),
                f"{found['aer']:.3f}"[1:],
                f"{tenth['found']:.0%}",
                f"{tenth['at_random']:.0%}",
                f"{tenth['wrong']:.0%}",
                f"{tenth['wrong_at_random']:.0%}",
                f"{tenth['aer_after']:.3f}"[1:],
            ]
            rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def tuning() -> str:
    return tuning_tables(load("benchmarks/results/tune.json")["runs"])


def tuning_tables(runs: list[dict[str, Any]]) -> str:
    """Only the kinds of runs that are there get a table; runs that tried other rates are no results."""
    runs = [run for run in runs if run["rate"] is None]
    parents = {run["parent"]: run["others"] for run in runs if run["run"] == "parent"}
    words = {(run["language"], run["size"]): run["word"]["f1"] for run in runs if run["run"] == "eflomal"}
    names = {
        "ron": "Romanian",
        "deu": "German",
        "swe": "Swedish",
        "jpn": "Japanese",
        "hun": "Hungarian",
        "tha": "Thai",
        "bul": "Bulgarian in Glagolitic letters",
    }

    def others(run: dict[str, Any]) -> str:
        """How F1 changed on the sets of other languages: the mean, and the lowest."""
        known = parents.get(run["report"]["parent"])
        if known is None:
            return "– | –"
        changes = [
            found["f1"] - known[name]["f1"]
            for name, found in run["others"].items()
            if f"eng-{run['language']}" not in name
        ]
        return f"{sum(changes) / len(changes):+.3f} | {min(changes):+.3f}"

    def of_kind(kind: str) -> list[dict[str, Any]]:
        found = [run for run in runs if run["run"] == kind]
        return sorted(found, key=lambda run: (run["language"], run["size"]))

    gold, new, domain = [], [], []
    for run in of_kind("gold"):
        steps = run["report"]["settings"]["gold_steps"]
        gold.append(
            f"| {names[run['language']]} | {run['size']} | {run['report']['parent']} | {steps} | "
            f"{run['before']['aer']:.3f} | {run['after']['aer']:.3f} | {others(run)} |"
        )
    for run in of_kind("new"):
        tokens = run["report"]["settings"]["text_tokens"]
        eflomal = words.get((run["language"], run["size"]))
        new.append(
            f"| {names[run['language']]} | {run['pairs']:,} | {run['report']['parent']} | "
            f"{f'{tokens:,}' if tokens else 'default'} | {f'{eflomal:.3f}' if eflomal else '–'} | "
            f"{run['before']['f1']:.3f} | {run['after']['f1']:.3f} | {others(run)} |"
        )
    for run in of_kind("domain"):
        domain.append(
            f"| {names[run['language']]} | {run['pairs']:,} | {run['report']['parent']} | "
            f"{run['before']['aer']:.3f} | {run['after']['aer']:.3f} | {others(run)} |"
        )
    blocks = []
    if gold:
        blocks += [
            "Few gold sentences, from a model that has not seen them: AER on the test set of the language, "
            "and how F1 changed on the sets of\n"
            "other languages, the mean and the lowest. A fifth of the gold sentences was held out.",
            _table("language | gold sentences | parent | steps | AER before | after", gold),
        ]
    if new:
        blocks += [
            "A language that the parent has never seen, from text alone, beside eflomal on the same text: "
            "F1. The subwords are those that were\nlearned from in all.",
            _table("language | pairs | parent | subwords | eflomal | before | after", new),
            "The Thai sentences were linked by a language model that read written guidelines, not by people; "
            "the Bulgarian ones (XL-WA) by people.",
        ]
    if domain:
        blocks += [
            "Technical text in a language that the parent knows: AER on held-out pairs of it, judged by the "
            "links that version 3 is certain of.",
            _table("language | pairs | parent | AER before | after", domain),
        ]
    said = {"text": "20,000 pairs of text", "gold": "100 gold sentences"}
    for run in of_kind("time"):
        blocks.append(
            f"{said[run['language']]}, with the defaults on two cores: {run['seconds']:,.0f} s, and "
            f"{run['report']['processor_seconds']:,.0f} processor seconds."
        )
    return "\n\n".join(blocks)


def _table(header: str, rows: list[str]) -> str:
    columns = f"| {header} | others, mean | lowest |"
    return "\n".join([columns, "|---" * (columns.count("|") - 1) + "|", *rows])


def published() -> str:
    """AER of other systems and of ours; a star: another set, or a part of this one."""
    systems = tomllib.loads((ROOT / "benchmarks/published.toml").read_text("utf-8"))["systems"]
    rows = []
    for system in systems:
        figures = [
            f"{system['aer'][language]:.{system.get('digits', 3)}f}"[1:]
            + ("\\*" if language in system.get("other", ()) else "")
            if language in system["aer"]
            else "–"
            for language in LANGUAGES
        ]
        rows.append([f"{system['name']} ({system['note']})", *figures, system["learned_from"]])
    for model in ("base", "tiny"):
        test = load(f"training/results/{model}/int8.json")["test"]
        for method in ("argmax", "calibrated"):
            figures = [f"{test[f'eng-{language}'][method]['aer']:.3f}"[1:] for language in LANGUAGES]
            rows.append([f"wordalign, `{model}`, {method}", *figures, "parallel text, some hand-made links"])
    own = [
        f"{cell['scores']['aer']:.3f}"[1:]
        for language in LANGUAGES
        for cell in load("reproduction/results/main_comparison.json")["result"]["cells"]
        if (cell["system"], cell["level"], cell["method"], cell["language"])
        == ("own", "subword", "argmax", language)
    ]
    rows.append(["wordalign, the small mBERT of `reproduction/mlm`, argmax", *own, "single sentences alone"])
    header = ["AER", *LANGUAGES, "has learned to align from"]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows))


def documents() -> str:
    result = load("benchmarks/results/documents.json")
    aer, sizes = result["words"]["AER"], ("1", "5", "10", "50")
    lined = result["words in lines"]["AER"]["eng-hin"]
    rows = [
        f"| {name} | {scores['alone']:.3f} | {' | '.join(format(scores[n], '.3f') for n in sizes)} |"
        for name, scores in aer.items()
    ]
    return "\n".join(
        [
            "AER of `base` where n sentences of a gold set are one text without borders between them, and "
            "where the sentences are given",
            "(`benchmarks/documents.py words`):",
            "",
            "| | sentences given | n = 1 | n = 5 | n = 10 | n = 50 |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
            "The Hindi set is the exception: half of its English sentences are headings and notes without a "
            "full stop, which run into each",
            "other. Where each sentence is a line, as headings are in files, AER is "
            f"{lined['50']:.3f} at n = 50.",
            "",
            "Settings were chosen on other sets. That long groups are cut, and long quotations, was added "
            "after a first measurement on these",
            "sets had shown losses at n = 50; it was worked out on development sets.",
        ]
    )


def sentence_groups() -> str:
    found = load("benchmarks/results/documents.json")["sentences"]["F1"]
    named = {
        "base": "`wordalign documents`",
        "tiny": "the same with `tiny`",
        "hunalign": "hunalign, run here",
    }
    rows = [
        f"| {shown} | {found[f'{name} 1957']['strict F1']:.3f} ({found[f'{name} 1957']['lax F1']:.3f}) "
        f"| {found[f'{name} 1989']['strict F1']:.3f} ({found[f'{name} 1989']['lax F1']:.3f}) |"
        for name, shown in named.items()
        if f"{name} 1989" in found
    ]
    return "\n".join(
        [
            "Strict (lax) F1 of groups of sentences on Text+Berg, Alpine articles in German and French "
            "(`benchmarks/documents.py sentences`).",
            "The year 1957 was used to choose settings; 1989 was not.",
            "",
            "| | 1957 | 1989 |",
            "|---|---|---|",
            *rows,
            "| Vecalign with LASER ([its page](https://github.com/thompsonb/vecalign)) | | .902 (.986) |",
            "| Bertalign with LaBSE ([its page](https://github.com/bfsujason/bertalign)) | | .936 (.989) |",
        ]
    )


def novel_groups() -> str:
    found = load("benchmarks/results/documents.json")["novels"]["F1"]
    names = [name.split(" | ")[1] for name in found if name.startswith("base")]
    rows = []
    for name in names:
        base, tiny = (_strict_and_lax(found[f"{model} | {name}"]) for model in ("base", "tiny"))
        rows.append(f"| {name} | {base} | {tiny} |")
    return "\n".join(
        [
            "The same for novels that were aligned by hand, TransRead's and MAC's "
            "(`benchmarks/documents.py novels`):",
            "",
            "| | `base` | `tiny` |",
            "|---|---|---|",
            *rows,
        ]
    )


def _strict_and_lax(scores: dict[str, float]) -> str:
    return f"{scores['strict F1']:.3f} ({scores['lax F1']:.3f})"


def document_scale() -> str:
    result = load("benchmarks/results/documents.json")["scale"]
    machine = result["machine"]
    rows = [
        f"| {run['sentences']:,} | {run['seconds']:,.0f} | {run['more_mib']:,} | {run['pairs_found']:.1%} |"
        for run in result["runs"]
    ]
    exponents = ", ".join(format(one, ".2f") for one in result["exponents"])
    return "\n".join(
        [
            f"Texts of so many pairs of sentences, aligned by `{result['model']}` on {machine['cores']} "
            f"cores ({machine['processor']}), a tenth of the",
            "sentences and a page of fifty missing on one side (`benchmarks/documents.py scale`):",
            "",
            "| sentences a side | seconds | more memory, MiB | pairs found |",
            "|---|---|---|---|",
            *rows,
            "",
            f"From row to row, time grows with the number of sentences to the power of {exponents}. Other "
            "work ran on the machine at times,",
            "so that these are rough figures.",
        ]
    )


TABLES = {
    "docs/documents.md": {
        "words": documents,
        "sentences": sentence_groups,
        "novels": novel_groups,
        "scale": document_scale,
    },
    "docs/tune.md": {"tuning": tuning},
    "docs/check.md": {"check": check},
    "docs/annotation.md": {"doubts": doubts},
    "docs/comparison.md": {"published": published},
    "README.md": {"quality": quality, "speed": speed},
    "docs/project.md": {"projection": projection},
    "docs/transfer.md": {"markup": markup},
    "docs/service.md": {"load": service},
    "docs/javascript.md": {"javascript": javascript},
    "docs/scale.md": {"cores": cores, "limit": limit, "gpu": gpu, "plan": plan},
}


def filled(text: str, tables: dict[str, Callable[[], str]]) -> str:
    for name, make in tables.items():
        start, end = f"<!-- {name}: made by benchmarks/tables.py -->\n", f"<!-- end of {name} -->"
        before, _, rest = text.partition(start)
        _, _, after = rest.partition(end)
        text = f"{before}{start}\n{make()}\n\n{end}{after}"
    return text


def main() -> None:
    for name, tables in TABLES.items():
        path = ROOT / name
        old = path.read_text("utf-8")
        new = filled(old, tables)
        if "--check" not in sys.argv:
            path.write_text(new, "utf-8")
        elif new != old:
            sys.exit(f"{name} is stale: run python benchmarks/tables.py")


if __name__ == "__main__":
    main()
