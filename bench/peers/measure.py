# SPDX-License-Identifier: Apache-2.0
"""Builds the peers that are there, and runs every row on each: data for tables.py.

Rows go round the peers, so that a load that comes and goes troubles all alike. A row on a
peer is one process with a bound on its processor time: what goes beyond is a figure missing
from the table, with its reason, and never one that was made up. What two cores gain is
measured in several processes, in turns: a virtual machine's two processors may be one core's
two threads for a second, and two cores in the next."""

import datetime
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CC, CXX = os.environ.get("CC", "cc"), os.environ.get("CXX", "c++")
CPU_SECONDS, WALL_SECONDS = 20, 200 # of one row on one peer, with its checks and compiling
ROUNDS = 4                          # processes of a row for the peers that gains are told of
CHECKED = ["vector add", "block reduction", "tiled product"]  # rows for the checkers
PYTHONS = [sys.executable, "/usr/bin/python3"]


def say(text):
    print(text, file=sys.stderr, flush=True)


class Missing(Exception):
    """A peer that cannot be built or run here, and why."""


def build_cudasim(folder):
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        subprocess.run(["meson", "setup", folder, ROOT], check=True, stdout=sys.stderr)
    subprocess.run(["ninja", "-C", folder], check=True, stdout=sys.stderr)


def compile_c(scratch, name, *words, compiler=CC):
    """An object of a source of this folder; raises Missing where it does not compile."""
    source, out = os.path.join(HERE, words[0]), os.path.join(scratch, name + ".o")
    done = subprocess.run([compiler, *words[1:], "-c", source, "-o", out], stderr=subprocess.PIPE,
                          text=True)
    if done.returncode:
        raise Missing(next((l for l in done.stderr.splitlines() if "error" in l), done.stderr.strip()))
    return out


def link(scratch, name, *words, compiler=CC):
    out = os.path.join(scratch, name)
    done = subprocess.run([compiler, *words, "-o", out], stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise Missing((done.stderr.strip().splitlines() or [f"{compiler} failed"])[0])
    return out


def first_line(command, **environment):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, **environment}, check=False)
    lines = (done.stdout + done.stderr).strip().splitlines()
    if done.returncode or not lines:
        raise Missing(lines[-1] if lines else f"{command[0]} failed")
    return lines[0]


class Peer:
    """A column: how to run it (command, environment, cores) and on which size."""

    def __init__(self, name, command, about, cores=1, size=None, rounds=1, **environment):
        self.name, self.command, self.about = name, command, about
        self.cores, self.size, self.environment = cores, size, environment
        self.rounds = rounds

    def run(self, rows, seconds):
        """(figures by row, error) of one process."""
        words = [*self.command, *(["--" + self.size] if self.size else []), "--seconds", str(seconds)]
        for row in rows:
            words += ["--only", row]
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("CUDASIM", "POCL"))}
        environment.update(self.environment)

        def confine():
            chosen = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, chosen[-self.cores:])

        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment, preexec_fn=confine, start_new_session=True) as process:
            out, errors, is_over = watch(process)
        figures = {}
        for line in out.splitlines():
            cells = line.split("\t")
            if len(cells) == 7:
                keys = "threads", "repetitions", "wall_least", "wall", "cpu_least", "cpu"
                figures[cells[0]] = dict(zip(keys, map(float, cells[1:])))
        if is_over:
            return figures, "too long"
        if process.returncode:
            last = (errors.strip().splitlines() or [f"status {process.returncode}"])[-1]
            return figures, "differs" if re.search(r"element \d+ is ", errors) else last
        return figures, None


def processor_seconds(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0


def watch(process):
    """Its output, and whether it took too long and was ended. (RLIMIT_CPU would do that, but
    with it Linux tells a process its processor time in whole ticks.)"""
    begin = time.monotonic()
    while True:
        try:
            return *process.communicate(timeout=0.5), False
        except subprocess.TimeoutExpired:
            if processor_seconds(process.pid) > CPU_SECONDS or time.monotonic() - begin > WALL_SECONDS:
                os.killpg(process.pid, signal.SIGKILL)
                return *process.communicate(), True


def plain_peers(scratch, common):
    version = first_line([CC, "--version"])
    flags = ["-O3", "-march=native"]
    yield Peer("C", [link(scratch, "plain", *common, compile_c(
        scratch, "plain", "plain.c", *flags, "-Wno-unknown-pragmas"), "-lm")],
        f"{version}, -O3 -march=native")
    binary = link(scratch, "openmp", "-fopenmp", *common, compile_c(
        scratch, "openmp", "plain.c", *flags, "-fopenmp"), "-lm")
    for cores, name in (1, "C, OpenMP, 1 core"), (2, "C, OpenMP, 2 cores"):
        yield Peer(name, [binary], f"{version}, -O3 -march=native -fopenmp, OMP_NUM_THREADS={cores}",
                   cores, rounds=ROUNDS, OMP_NUM_THREADS=str(cores))


def cudasim_peers(scratch, common, folder):
    driver, binary = os.path.join(folder, "cudasim"), os.path.join(scratch, "cudasim")
    subprocess.run([driver, "cc", "-O3", os.path.join(HERE, "cuda.cu"), *common, "-lm", "-o", binary],
                   check=True, stdout=sys.stderr)
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], text=True, check=False,
                            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.strip()
    about = f"cudasim cc -O3, commit {commit or 'unknown'}, CUDASIM_WORKERS="

    def peer(name, cores, engine, size=None):
        engines = {"CUDASIM_ENGINE": engine} if engine != "loops" else {}
        return Peer(name, [binary], about + str(cores) + (f", CUDASIM_ENGINE={engine}" if engines else ""),
                    cores, size, 1 if engines else ROUNDS, CUDASIM="1", CUDASIM_WORKERS=str(cores), **engines)
    yield peer("cudasim", 1, "loops")
    yield peer("cudasim, 2 cores", 2, "loops")
    yield peer("fibers", 1, "fibers")
    yield peer("fibers, 2 cores", 2, "fibers")
    yield peer("pthreads", 1, "pthreads", "small")


def opencl_binary(scratch, common):
    kernels = os.path.join(HERE, "kernels.cl")
    return link(scratch, "opencl", *common, compile_c(
        scratch, "opencl", "opencl.c", "-O2", f'-DKERNELS_CL="{kernels}"'), "-lOpenCL", "-lm")


def pocl_peers(scratch, common):
    binary = opencl_binary(scratch, common)
    icd = "/etc/OpenCL/vendors/pocl.icd"
    if not os.path.exists(icd):
        raise Missing(f"there is no {icd}")
    about = first_line([binary, "--about"], OCL_ICD_VENDORS=icd)
    about = "; ".join(re.findall(r"PoCL \S+|LLVM \S+(?=,)", about)) or about
    if "PoCL" not in about:
        raise Missing(f"{icd} brings {about}")
    for name, method, cores in [("PoCL", None, 1), ("PoCL loops", "loops", 1), ("PoCL repl", "repl", 1),
                                ("PoCL, 2 cores", None, 2)]:
        cache = os.path.join(scratch, "pocl-" + (method or "default"))
        os.makedirs(cache, exist_ok=True)
        words = f"{about}, POCL_MAX_PTHREAD_COUNT={cores}" + (f", POCL_WORK_GROUP_METHOD={method}" if method else "")
        yield Peer(name, [binary], words, cores, OCL_ICD_VENDORS=icd, POCL_CACHE_DIR=cache,
                   POCL_MAX_PTHREAD_COUNT=str(cores),
                   **({"POCL_WORK_GROUP_METHOD": method} if method else {}))


def hip_peers(scratch, common):
    home = os.environ.get("HIPCPU_HOME")
    if not home:
        raise Missing("HIPCPU_HOME is not set")
    headers = [f"-isystem{home}/include", f"-isystem{home}/src/include"]
    made = compile_c(scratch, "hip", "hip.cpp", "-std=c++17", "-O3", "-march=native", "-fopenmp-simd",
                     *headers, compiler=CXX)
    binary = link(scratch, "hip", *common, made, "-ltbb", "-lpthread", "-ldl", "-lm", compiler=CXX)
    with open(os.path.join(home, "CMakeLists.txt"), encoding="utf-8") as file:
        version = re.search(r"VERSION (\d+\.\d+\.\d+)", file.read())
    yield Peer("HIP-CPU", [binary], f"HIP-CPU {version.group(1) if version else ''}, "
               f"{first_line([CXX, '--version'])}, -O3 -march=native -fopenmp-simd")


def oclgrind_peers(scratch, common):
    tool = shutil.which("oclgrind")
    if not tool:
        raise Missing("there is no oclgrind")
    about = f"{first_line([tool, '--version'])}"
    about = about if "Oclgrind" in about else f"Oclgrind {about}"
    yield Peer("Oclgrind", [tool, "--num-threads", "1", opencl_binary(scratch, common)],
               about + ", --num-threads 1", size="small")


def numba_peers(scratch, common):
    library = os.path.join(scratch, "libnumba-rows.so")
    sources = [os.path.join(HERE, name) for name in ("numba.c", "main.c", "rows.c", "plain.c")]
    link(scratch, "libnumba-rows.so", "-shared", "-fPIC", "-O2", "-ffp-contract=off", "-DREFERENCE",
         "-Dmain=peer_main", "-Wno-unknown-pragmas", *sources, "-lm")
    script = os.path.join(HERE, "numba_kernels.py")
    for python in PYTHONS:
        done = subprocess.run([python, script, library, "--about"], text=True, check=False,
                              env={**os.environ, "NUMBA_ENABLE_CUDASIM": "1"},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if not done.returncode:
            yield Peer("Numba", [python, script, library], done.stdout.strip() + ", NUMBA_ENABLE_CUDASIM=1",
                       size="tiny", NUMBA_ENABLE_CUDASIM="1")
            return
    raise Missing(done.stderr.strip().splitlines()[-1])


PEERS = [("C", plain_peers, "gcc"), ("PoCL", pocl_peers, "pocl-opencl-icd opencl-headers ocl-icd-opencl-dev"),
         ("HIP-CPU", hip_peers, "libtbb-dev, and a checkout of ROCm/HIP-CPU that HIPCPU_HOME names"),
         ("Oclgrind", oclgrind_peers, "oclgrind opencl-headers ocl-icd-opencl-dev"),
         ("Numba", numba_peers, "python3-numba")]


def checks(scratch, common, folder):
    """cudasim's checkers beside Oclgrind's, by row: ns a thread."""
    rows = {}
    oclgrind = next(oclgrind_peers(scratch, common))
    theirs = Peer("", [oclgrind.command[0], "--num-threads", "1", "--data-races", "--uninitialized",
                       oclgrind.command[-1]], "", size="small")
    ours = Peer("", [os.path.join(folder, "cudasim"), "check", "--error-exitcode", "9",
                     os.path.join(scratch, "cudasim")], "", size="small", CUDASIM="1", CUDASIM_WORKERS="1")
    for row in CHECKED:
        for name, peer in ("cudasim check", ours), ("Oclgrind", theirs):
            say(f"{row}: {name}, checking")
            figures, error = peer.run([row], 0.05)
            rows.setdefault(row, {})[name] = error or figures.get(row, "no figure")
    return rows


def joined(figures):
    """Figures of one row and peer in several processes: their least, and the median's median."""
    out = {key: sorted(f[key] for f in figures)[(len(figures) - 1) // 2] for key in figures[0]}
    for key in "wall_least", "cpu_least":
        out[key] = min(f[key] for f in figures)
    out["repetitions"] = sum(f["repetitions"] for f in figures)
    return out


def measured(rows, peers, options):
    """Each row on each peer, as often as the peer wants, each time round all rows: (cells, seconds by peer)."""
    cells, found, took = {row: {} for row in rows}, {row: {} for row in rows}, {}
    for turn, row in ((t, r) for t in range(ROUNDS) for r in rows):
        here = [p for p in peers if turn < p.rounds and p.name not in cells[row]
                and not (row.startswith("empty") and p.name.startswith("C"))]
        say(f"{row}: " + ", ".join(p.name for p in here))
        for peer in here:
            start = time.monotonic()
            figures, error = peer.run([row], options.seconds if not peer.size else 0.05)
            took[peer.name] = took.get(peer.name, 0) + time.monotonic() - start
            if error or row not in figures:
                cells[row][peer.name] = error or "no figure"
                say(f"{row}: {peer.name}: {cells[row][peer.name]}")
            else:
                found[row].setdefault(peer.name, []).append(figures[row])
    for row in rows:
        for name in found[row].keys() - cells[row].keys():
            cells[row][name] = joined(found[row][name])
    return cells, took


def everything(folder, options):
    begin, load = time.monotonic(), os.getloadavg()[0]
    build_cudasim(folder)
    missing = {}
    with tempfile.TemporaryDirectory() as scratch:
        common = [compile_c(scratch, "reference", "plain.c", "-O2", "-ffp-contract=off", "-DREFERENCE",
                            "-Wno-unknown-pragmas"),
                  compile_c(scratch, "rows", "rows.c", "-O2"), compile_c(scratch, "main", "main.c", "-O2")]
        peers = list(cudasim_peers(scratch, common, folder))
        for name, make, packages in PEERS:
            try:
                peers += list(make(scratch, common))
            except Missing as why:
                missing[name] = {"why": str(why), "packages": packages}
                say(f"{name} is missing: {why} (install {packages})")
        if options.peer:
            peers = [p for p in peers if p.name in options.peer]
        rows = subprocess.run([os.path.join(scratch, "plain"), "--rows"], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.splitlines()
        rows = [r for r in rows if not options.only or r in options.only]
        cells, took = measured(rows, peers, options)
        checked = {}
        if "Oclgrind" not in missing and not options.peer and not options.only:
            checked = checks(scratch, common, folder)
    return {"cells": cells, "checked": checked, "missing": missing,
            "peers": [{"name": p.name, "about": p.about, "cores": p.cores, "size": p.size or "full",
                       "took": took.get(p.name, 0)}
                      for p in peers],
            "machine": f"{processor()}, {os.cpu_count()} processors",
            "n_processors": os.cpu_count(), "load": load,
            "load_after": os.getloadavg()[0], "seconds": time.monotonic() - begin,
            "date": str(datetime.date.today())}


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        for line in info:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def plot(data, path):
    """The picture, by whichever Python has matplotlib."""
    for python in PYTHONS:
        if subprocess.run([python, "-c", "import matplotlib"], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0:
            subprocess.run([python, os.path.join(HERE, "plot.py"), path], input=json.dumps(data),
                           text=True, check=True)
            return
    say("no picture: matplotlib is missing (install python3-matplotlib)")
