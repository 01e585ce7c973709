"""How fast the models, the service and the JavaScript package are."""

from __future__ import annotations

from typing import Any

from shown.results import load


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
            "Europarl sentences, float32 (`base` and `tiny`: int8); each ratio is to SimAlign doing the",
            "same work in the same run (`benchmarks/speed.py`, median of rounds in turn; of the long",
            f"sentences there are {long['pairs']} pairs, in one round).",
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
            "pairs of development sets.",
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
    workers = [
        f"`{model}` " + ", ".join(f"{peak} MiB for {number}" for number, peak in found.items())
        for model, found in result["peak_mib_of_workers"].items()
    ]
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
            + ". By the number of workers, what they",
            "share counted once: " + ";\n".join(workers) + ".",
        ]
    )


def limit() -> str:
    one_thread = load("benchmarks/results/cores-processor.json")
    by_processor = " and ".join(
        f"`{model}` comes to {one_thread[model]['share_of_limit']:.0%}" for model in ("base", "tiny")
    )
    profile, facts = one_thread["profile"]["base"], one_thread["models"]["base"]
    spent = profile["us_per_token"] * profile["shares"]["MatMulIntegerToFloat"] / 1e6  # seconds a token
    rate = facts["operations_per_pair"] / facts["tokens_per_pair"] / spent
    products = rate / one_thread["int8_operations_per_s"]["one_core"]
    measured = {
        "two cores of an EPYC": load("benchmarks/results/cores.json"),
        "two logical cores of a Xeon": load("benchmarks/results/cores-xeon.json"),
    }
    rows = []
    for where, result in measured.items():
        rows.append(f"| SimAlign 0.4, {where} | {result['simalign']['pairs_per_s']:g} | 1 | | | |")
        for model in ("base", "tiny"):
            shares = result["profile"][model]["shares"]
            first = ", ".join(f"{name} {share:.0%}" for name, share in list(shares.items())[:3])
            ways = (model, f"`{model}`, there", first), (f"{model}_processes", "a process for each core", "")
            rows += [
                f"| {label} | {result[way]['pairs_per_s']:.0f} | {result[way]['ratio']:.0f} | "
                f"{result[way]['limit_pairs_per_s']:,.0f} | {result[way]['share_of_limit']:.0%} | "
                f"{said}{' ' if said else ''}|"
                for way, label, said in ways
                if way in result
            ]
    return "\n".join(
        [
            "Raw text in, links out, by the clock, in one process if nothing else is said "
            "(`benchmarks/cores.py`). SimAlign has an mBERT-shaped model.",
            "The limit is the model's matrix products alone, at the rate of one large int8 product.",
            "",
            "| | pairs/s | times SimAlign | the limit | of the limit | where the encoder's time goes |",
            "|---|---|---|---|---|---|",
            *rows,
            "",
            "In the processor time of one thread, which hardly depends on what else a machine does",
            f"(`--processor`), {by_processor} of the limit.",
            f"The matrix products of `base` come to {products:.0%} of the rate of a large one: the limit",
            "itself is out of reach.",
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


def _load(machine: dict[str, Any]) -> str:
    found = f"a load of {machine['load_before']:.0f} on {machine['cores']} cores before"
    if machine["load_before"] > machine["cores"]:
        return f"the machine was busy, with {found}, so the ratios say more than the rates"
    return found


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
            f"median of rounds in turn; {_load(machine)}):",
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
