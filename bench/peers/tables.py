# SPDX-License-Identifier: Apache-2.0
"""What measure.py measured as Markdown: the table of medians, ratios, and the goals."""

import math

import measure

BOUND_BY_MEMORY = {"vector add", "saxpy", "transpose", "5-point stencil", "7-point stencil"}
POCL = ["PoCL", "PoCL loops", "PoCL repl"]


def figure(ns):
    if 0 < ns < 0.01:
        return f"{ns:.5f}"
    return f"{ns:.2f}" if ns < 10 else f"{ns:.1f}" if ns < 100 else f"{ns:,.0f}"


def ns(data, row, peer, key="cpu"):
    """A figure, or None where there is none."""
    cell = data["cells"].get(row, {}).get(peer)
    return cell[key] if isinstance(cell, dict) else None


def best_pocl(data, row):
    found = [(ns(data, row, p), p) for p in POCL if ns(data, row, p)]
    return min(found) if found else (None, None)


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def ratios(data):
    """row -> {against: ratio}. Above 1 the peer is faster for C and PoCL; times faster than
    the peer for the others; two cores' gain by wall time."""
    out = {}
    for row in data["cells"]:
        ours, here = ns(data, row, "cudasim"), {}
        if not ours:
            continue
        if ns(data, row, "C"):
            here["C"] = ours / ns(data, row, "C")
        if best_pocl(data, row)[0]:
            here["PoCL"] = ours / best_pocl(data, row)[0]
        for peer in "HIP-CPU", "Oclgrind", "Numba", "pthreads", "fibers":
            if ns(data, row, peer):
                here[peer] = ns(data, row, peer) / ours
        for name, peer in ("2 cores", "cudasim, 2 cores"), ("fibers, 2 cores", "fibers, 2 cores"):
            one = ns(data, row, "cudasim" if name == "2 cores" else "fibers", "wall_least")
            if one and ns(data, row, peer, "wall_least"):
                here[name] = one / ns(data, row, peer, "wall_least")
        one, two = (ns(data, row, p, "wall_least") for p in ("C, OpenMP, 1 core", "C, OpenMP, 2 cores"))
        if one and two:
            here["C, 2 cores"] = one / two
        out[row] = here
    return out


def is_busy(data):
    return data["load"] > data["n_processors"]


def names(rows):
    return ", ".join(rows) if rows else "none"


def goals(data):
    """(goal, what was measured, "met", "not met" or "not measured")."""
    all_ratios = ratios(data)
    full = {r: v for r, v in all_ratios.items() if not r.startswith("empty")}

    def column(peer):
        return {r: v[peer] for r, v in full.items() if peer in v}

    def judge(goal, values, text, is_met, is_measured=True):
        if not values or not is_measured:
            return goal, "", "not measured"
        return goal, text(), "met" if is_met() else "not met"
    pocl, c = column("PoCL"), column("C")
    ahead = [r for r, v in pocl.items() if v < 1]
    yield judge("ahead of PoCL's best method on four kernels in five", pocl,
                lambda: f"{len(ahead)} of {len(pocl)}; behind: {names([r for r in pocl if r not in ahead])}",
                lambda: len(ahead) >= 0.8 * len(pocl))
    yield judge("geometric mean of time against PoCL's best method at most 0.7", pocl,
                lambda: f"{mean(list(pocl.values())):.2f}", lambda: mean(list(pocl.values())) <= 0.7)
    yield judge("geometric mean of time against plain C at most 2", c,
                lambda: f"{mean(list(c.values())):.2f}; beyond 4: "
                        f"{names([f'{r} {v:.1f}' for r, v in c.items() if v > 4])}",
                lambda: mean(list(c.values())) <= 2)
    for peer, least, average in ("Oclgrind", 150, 2000), ("Numba", 1000, None):
        values = column(peer)
        under = [f"{r} {v:.0f}" for r, v in values.items() if v < least]
        yield judge(f"at least {least:,} times {peer}'s speed a thread on every kernel", values,
                    lambda: f"least {min(values.values()):,.0f}; under: {names(under)}", lambda: not under)
        if average:
            yield judge(f"geometric mean against {peer} at least {average:,} times", values,
                        lambda: f"{mean(list(values.values())):,.0f}",
                        lambda: mean(list(values.values())) >= average)
    cores = {r: v for r, v in column("2 cores").items() if r not in BOUND_BY_MEMORY}
    # Memory, and lines that both cores write, bound what C gains from two cores with one code, too:
    # what they do not bound gains 1.95 and more.
    under = {r: v for r, v in cores.items() if v < 1.8}
    bound = {r: full[r]["C, 2 cores"] for r in under if full[r].get("C, 2 cores", 2) < 1.9}
    yield judge("two cores at least 1.8 times one, on kernels that memory does not bound", cores,
                lambda: f"least {min(cores.values()):.2f}; under: {names([f'{r} {v:.2f}' for r, v in under.items()])}; "
                        f"bound by memory, as C's own loop with OpenMP gains less than 1.9: {names([f'{r} {v:.2f}' for r, v in bound.items()])}",
                lambda: under.keys() == bound.keys(), is_measured=not is_busy(data))
    checked = {}
    for row, cell in data["checked"].items():
        if all(isinstance(v, dict) for v in cell.values()):
            checked[row] = cell["Oclgrind"]["cpu"] / cell["cudasim check"]["cpu"]
    yield judge("all checkers at least 50 times as fast as Oclgrind's races and uninitialised values", checked,
                lambda: ", ".join(f"{r} {v:.0f}" for r, v in checked.items()),
                lambda: len(checked) == len(data["checked"]) and min(checked.values()) >= 50)


def row_of(cells):
    return "| " + " | ".join(cells) + " |"


def cell_text(cell, key):
    return figure(cell[key]) if isinstance(cell, dict) else "" if cell is None else str(cell)


def figures_table(data, peers, key_of):
    lines = [row_of(["kernel"] + [p["name"] for p in peers]), "|---" * (len(peers) + 1) + "|"]
    for row, cells in data["cells"].items():
        lines.append(row_of([row] + [cell_text(cells.get(p["name"]), key_of(p)) for p in peers]))
    return lines + [""]


def report(data):
    one = [p for p in data["peers"] if p["cores"] == 1 and p["name"] != "C, OpenMP, 1 core"]
    two = [p for p in data["peers"] if p["cores"] > 1]
    lines = [
        "# Beside the peers", "", "Written by `bench/peers/run`; [PERFORMANCE.md](../docs/PERFORMANCE.md#beside-the-peers) "
        "says how each was built and run and what limits each kernel.", "",
        f"{data['machine']}, load {data['load']:.1f} when the run began and {data['load_after']:.1f} when it "
        f"ended, {data['seconds']:.0f} s, {data['date']}."
        + (" The machine was busy with other work: figures of two cores mean little." if is_busy(data) else ""), "",
        "## One core", "",
        "Medians, ns of processor time a CUDA thread (of all threads of the process, pinned to one core). Each result was "
        "compared with the reference before it was timed. `too long`: beyond "
        f"{measure.CPU_SECONDS} s of processor time in all, with compiling. pthreads and Oclgrind on fewer threads, Numba on fewer still, each with the same work; plain C "
        "has nothing to do for empty kernels.", ""]
    lines += figures_table(data, one, lambda p: "cpu")
    lines += ["![ns a thread](PEERS.svg)", "", "## The least of the repetitions", "",
              "One core, ns of processor time a CUDA thread.", ""]
    lines += figures_table(data, one, lambda p: "cpu_least")
    lines += ["## Two cores", "",
              "The least of the repetitions in "
              f"{measure.ROUNDS} processes, ns of wall time a CUDA thread; the gain is over the least on one core, for C over the "
              "same program on one thread. (Fibers and PoCL: one process.)", ""]
    all_ratios = ratios(data)
    lines += [row_of(["kernel"] + [p["name"] for p in two] + ["cudasim's gain", "fibers' gain", "C's gain"]),
              "|---" * (len(two) + 4) + "|"]
    for row, cells in data["cells"].items():
        gains = [all_ratios.get(row, {}).get(k) for k in ("2 cores", "fibers, 2 cores", "C, 2 cores")]
        lines.append(row_of([row] + [cell_text(cells.get(p["name"]), "wall_least") for p in two] +
                            [f"{g:.2f}" if g else "" for g in gains]))
    lines += ["", "## Ratios", "",
              "cudasim's time over plain C's and over PoCL's best method's; how many times faster than the others it is.", "",
              row_of(["kernel", "/ C", "/ PoCL", "PoCL's best", "HIP-CPU", "Oclgrind", "Numba", "pthreads", "fibers"]),
              "|---" * 9 + "|"]
    for row, v in all_ratios.items():
        times = [f"{v[p]:,.0f}" if v.get(p, 0) >= 10 else f"{v[p]:.1f}" if p in v else ""
                 for p in ("HIP-CPU", "Oclgrind", "Numba", "pthreads", "fibers")]
        lines.append(row_of([row, f"{v['C']:.2f}" if "C" in v else "", f"{v['PoCL']:.2f}" if "PoCL" in v else "",
                             best_pocl(data, row)[1] or "", *times]))
    full = [v for r, v in all_ratios.items() if not r.startswith("empty")]
    means = [mean([v[k] for v in full if k in v]) for k in
             ("C", "PoCL", "HIP-CPU", "Oclgrind", "Numba", "pthreads", "fibers")]
    text = [f"{m:.2f}" if m and i < 2 else f"{m:,.1f}" if m else "" for i, m in enumerate(means)]
    lines.append(row_of(["geometric mean, without the empty ones", text[0], text[1], "", *text[2:]]))
    if data["checked"]:
        lines += ["", "## Checkers", "",
                  "ns of processor time a CUDA thread on one core, `cudasim check` with all its tools and `oclgrind --data-races "
                  "--uninitialized`.", "", row_of(["kernel", "cudasim check", "Oclgrind", "times"]), "|---|---|---|---|"]
        for row, cell in data["checked"].items():
            both = [cell["cudasim check"], cell["Oclgrind"]]
            times = f"{both[1]['cpu'] / both[0]['cpu']:.0f}" if all(isinstance(b, dict) for b in both) else ""
            lines.append(row_of([row] + [cell_text(b, "cpu") for b in both] + [times]))
    lines += ["", "## Goals", "", row_of(["goal", "measured", ""]), "|---|---|---|"]
    lines += [row_of(goal) for goal in goals(data)]
    lines += ["", "## Peers", "", row_of(["peer", "version and options", "s"]), "|---|---|---|"]
    lines += [row_of([p["name"], p["about"] + (f"; {p['size']} size" if p["size"] != "full" else ""),
                      f"{p['took']:.0f}"])
              for p in data["peers"]]
    lines += [row_of([name, f"missing: {m['why']} (install {m['packages']})", ""])
              for name, m in data["missing"].items()]
    return "\n".join(lines) + "\n"
