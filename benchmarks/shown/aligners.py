"""The figures of docs/statistical.md and docs/cluster.md: other aligners, and other machines."""

from __future__ import annotations

from shown.results import load


def statistical() -> str:
    """How right the statistical aligners are, and how long they take beside their engines."""
    stored = load("benchmarks/results/statistical.json")
    rows = [
        "| aligner | pairs | F1 | AER | processor s | the engine by itself | overhead | by the clock "
        "| one core of |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for found in sorted(stored["results"], key=lambda found: (found["aligner"], found["pairs"])):
        scores, machine = found["scores"], found.get("machine", stored["machine"])
        raw = f"{found['raw']['processor_s']:.1f}" if "raw" in found else "–"
        over = " | ".join(
            f"{found[key]:+.1%}" if key in found else "–" for key in ("overhead", "overhead_wall")
        )
        rows.append(
            f"| `{found['aligner']}` | {found['pairs']:,} | {scores['f1']:.3f} | {scores['aer']:.3f} "
            f"| {found['ours']['processor_s']:.1f} | {raw} | {over} "
            f"| {machine['processor'].replace('(R)', '')} |"
        )
    return "\n".join(
        [
            *rows,
            "",
            "Seconds compare within a row; between rows they do so on the same processor only. They are",
            "medians of several rounds, and the overhead is the median of each round's own.",
        ]
    )


def cluster() -> str:
    """What is lost when workers and machines die, and what a cluster costs."""
    stored = load("benchmarks/results/cluster.json")
    faults, cost, machine = stored["faults"], stored["overhead"], stored["machine"]
    killed = f"{faults['workers_killed']} workers, {faults['nodes_killed']} nodes"
    row = [killed, *(f"{faults[key]:,}" for key in ("lines", "shards", "lost", "twice", "mismatches"))]
    ratios = f"{cost['ray_to_local']:.2f} ({cost['ray_to_local_without_start']:.2f} without the start)"
    start = f"{cost['start_s']['ray']:.0f} s with Ray, {cost['start_s']['local']:.0f} s without"
    return "\n".join(
        [
            "| killed in the middle of a shard | lines | parts | lost | twice | not as on one machine |",
            "|---|---|---|---|---|---|",
            f"| {' | '.join(row)} |",
            "",
            f"Where nothing is killed, `--engine ray` takes the time of `wordalign align` times {ratios},",
            f"for {cost['lines']:,} pairs on {cost['cores']} cores; starting takes {start}",
            f"({machine['processor']}, {machine['cores']} cores, load {machine['load_before']:.0f} before).",
        ]
    )
