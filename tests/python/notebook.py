# SPDX-License-Identifier: Apache-2.0
"""The notebook extension, in a kernel of its own: the sample notebook, and cells whose outputs are known.

    cudasim run PYTHON notebook.py SAMPLE.ipynb

PYTHON has ipykernel, nbclient and Matplotlib, and Numba for the sample. TAP on stdout. What cells should show was
worked out by hand."""

import re
import sys

import nbformat
from nbclient import NotebookClient

# By the beginning of a sample's cell: what its outputs contain.
SAMPLE = {
    "%%cu --summary": ["192 of 256 elements are wrong", "multiply", "cudaMallocManaged"],
    "%cudasim_show --at cell2.cu:16": ["image/png"],
    "%%cudasim_debug": ["(cudasim) break cell2.cu:16", "hit Breakpoint 1", "{0, 17, 34, 51}", "tile_b[y][x] = b[(k + x)"],
    "%%cu --check": ["Race between", "cell6.cu:7"],
    "%cudasim_show out": ["image/png"],
}

TILE = """%%cu --summary -O1 -- one 'two words'
#include <cstdio>
#include "twice.cuh"
__global__ void tile(float *out)
{
	__shared__ float t[3][8];
	int x = threadIdx.x, y = threadIdx.y;
	t[y][x] = twice(x * y);
	__syncthreads();
	out[(blockIdx.x * 3 + y) * 8 + x] = t[y][x];
}
int main(int argc, char **argv)
{
	float *p, h[48];
	cudaMalloc(&p, sizeof h);
	cudaMemset(p, 0, sizeof h);
	tile<<<2, dim3(8, 3)>>>(p);
	cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
	printf("%g %g %s\\n", h[23], h[24], argv[2]);
	fprintf(stderr, "%d words\\n", argc - 1);
}"""

OURS = 'ours = get_ipython().magics_manager.registry["CudasimMagics"]\nfrom cudasim import values\nimport numpy as np'

# (name, cell, what its outputs match, what they do not). The first cell is number 1.
CELLS = [
    ("the extension loads", "%load_ext cudasim\nimport sys", [], ["error"]),
    ("a cell is kept for others", "%%cu --save twice.cuh\n__device__ float twice(float x) { return 2 * x; }", [], ["error"]),
    ("a program with arguments", TILE, [r"28 0 two words\n", r"2 words\n", r"tile +1 ", "<td", r"\[memcpy DtoH\]"], ["error"]),
    ("the summary again", "%cudasim_summary", [r"cudaMemset +1 "], ["error"]),
    ("a session of the debugger", "%%cudasim_debug\nbreak tile\ncommands\nprint x\nend\nrun\nprint y\nnext\nfrobnicate\n",
     [r"\(cudasim\) break tile\nBreakpoint 1 at 0x\w+: file cell3.cu, line 7\.\n\(cudasim\) commands\n>print x\n>end\n"
      r"\(cudasim\) run\nStarting program: cell3 ", r"hit Breakpoint 1, tile<<<\(2,1,1\),\(8,3,1\)>>>",
      r"\(cudasim\) next\n8\t+t\[y\]\[x\] = twice", r'\(cudasim\) frobnicate\nUndefined command: "frobnicate"'], ["error"]),
    ("another program in the debugger", "%%cudasim_debug {sys.executable} -c 'print(6 * 7)'\nrun",
     [r"\(cudasim\) run\nStarting program: .*\n42\n"], ["error"]),
    ("values of shared memory", OURS + "\nt = values.value_at(ours.program, 'cell3.cu:10', 't')\n"
     "assert (t == 2 * np.outer(range(3), range(8))).all(), t", [], ["error"]),
    ("values in all threads", OURS + "\nt = values.threads_at(ours.program, 'cell3.cu:10', 'x * x + 100 * blockIdx.x + y')\n"
     "y, x = np.mgrid[:3, :16]\nassert (t == (x % 8) ** 2 + 100 * (x // 8) + y).all(), t", [], ["error"]),
    ("a picture of device memory", "%cudasim_show --at cell3.cu:10 --shape=6,8 *out@48", ["image/png"], ["error"]),
    ("a picture of an expression in all threads", "%cudasim_show --at cell3.cu:9 --threads x * y", ["image/png"], ["error"]),
    ("a picture of a Python expression", "%cudasim_show [1, 4, 9]", ["image/png"], ["error"]),
    ("no picture of three dimensions", "%cudasim_show np.zeros((2, 3, 4))", [r"error.*one or two dimensions.*\(2, 3, 4\)"], []),
    ("no such variable", "%cudasim_show --at cell3.cu:10 nosuch", [r'error.*No symbol "nosuch" in current context'], []),
    ("no such line", "%cudasim_show --at cell3.cu:99 t", ["error.*did not stop at cell3.cu:99"], []),
    ("an error of the compiler has the cell's line", "%%cu\nint main()\n{\n\treturn nothing;\n}",
     [r"\ncell15\.cu:4:9: error: use of undeclared identifier 'nothing'", "error.*not built"], ["/tmp"]),
    ("no older program after that", "%%cudasim_debug\nrun", ["error.*there is no program"], []),
    ("a cell without main()", "%%cu\n__global__ void k() {} // not main()", ["error.*no main.*--save"], []),
    ("an error of a cell that is saved", "%%cu --save wrong.cuh\n\n__device__ int f() { return nothing; }",
     [r"wrong\.cuh:3:\d+: error", "error.*not built"], ["/tmp"]),
    ("the checkers", "%%cu --check=memcheck\n__global__ void k(int *p) { p[threadIdx.x] = 1; }\nint main()\n{\n\tint *p;\n"
     "\tcudaMalloc(&p, 16);\n\tk<<<1, 5>>>(p);\n\tcudaDeviceSynchronize();\n}",
     [r"CUDASIM CHECK: memcheck", r"Invalid __global__ write of size 4 bytes", r"cell19\.cu:2"], ["Leaked"]),
    ("the status of the program", "%%cu\n#include <cstdio>\nint main() { printf(\"no newline\"); return 7; }",
     ["no newline", "error.*ended with status 7"], []),
    ("a program that a signal ends", "%%cu\n#include <cstdlib>\nint main() { abort(); }", ["error.*SIGABRT"], []),
    ("an interrupted program is ended", "import _thread, threading\nthreading.Timer(3, _thread.interrupt_main).start()\n"
     "get_ipython().run_cell_magic('cu', '', 'int main() { for (;;) __builtin_ia32_pause(); }')", ["KeyboardInterrupt"], []),
    ("and nothing is left of it", "import subprocess\nprint(subprocess.run(['pgrep', '-f', 'cudasim-[^ ]*/cell22$'],"
     " capture_output=True, text=True).stdout or 'none')", [r"\nnone"], ["error"]),
]


def shown(cell):
    """All outputs of a cell as one text; errors by their kind."""
    text = ""
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            text += f"\n{output.text}"
        elif output.output_type == "error":
            text += f"\nerror {output.ename}: {output.evalue}".replace("\n", " ")
        else:
            text += "".join(f"\n{kind}\n{'' if kind.startswith('image') else value}" for kind, value in output.data.items())
    return text


def execute(notebook, allow_errors):
    NotebookClient(notebook, timeout=240, kernel_name="python3", allow_errors=allow_errors).execute()


class Tap:
    n = failed = 0

    def result(self, passed, name, text):
        self.n += 1
        self.failed += not passed
        print(f"{'ok' if passed else 'not ok'} {self.n} - {name}")
        for line in [] if passed else text.splitlines():
            print("# " + line[:300])
        sys.stdout.flush()


def main():
    tap = Tap()
    sample = nbformat.read(sys.argv[1], as_version=4)
    stored = [cell for cell in sample.cells if cell.get("outputs")]
    tap.result(not stored, "the sample notebook has no outputs stored", "")
    execute(sample, True)
    for cell in sample.cells:
        if cell.cell_type != "code":
            continue
        wanted = next((texts for begin, texts in SAMPLE.items() if cell.source.startswith(begin)), [])
        text = shown(cell)
        passed = "\nerror " not in text and all(w in text for w in wanted)
        tap.result(passed, "sample: " + cell.source.split("\n")[0], text)
    own = nbformat.v4.new_notebook()
    own.cells = [nbformat.v4.new_code_cell(cell) for _, cell, _, _ in CELLS]
    execute(own, True)
    for cell, (name, _, wanted, unwanted) in zip(own.cells, CELLS):
        text = shown(cell)
        bad = [w for w in unwanted if re.search("\nerror " if w == "error" else w, text)]
        tap.result(not bad and all(re.search(w, text) for w in wanted), name, text)
    print(f"1..{tap.n}")
    sys.exit(1 if tap.failed else 0)


if __name__ == "__main__":
    main()
