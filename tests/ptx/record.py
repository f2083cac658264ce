#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a CUDA program that runs cases of PTX and prints their hashes.

    record.py [--every N] [--part K/M] CASES.txt... OUT.cu
    (then: nvcc -arch=sm_90 -I tests/ptx OUT.cu; M programs compile side by side)

A case is a line of tab-separated fields, of which the last two are the signature
and the text (cases.py explains them); N of the cases whose number is a multiple of
N stay, and of these the K-th of M parts. The program prints HASH:WARPS SIGNATURE TEXT:
a hash of what all threads got, and a digit for each warp's, so that a difference can
be found. With a file's name as argument it writes every word there, too. A second
argument names kernels to leave out, "k0,k24,"; stderr says which kernel runs.
"""
import argparse
import re

import wraps

CTYPE = {"r": "unsigned", "h": "unsigned short", "l": "unsigned long long", "f": "float", "d": "double"}
FROM = {"r": "{0}", "h": "{0}", "l": "{0}", "f": "__int_as_float({0})", "d": "__longlong_as_double({0})"}
BITS = {"r": "{0}", "h": "{0}", "l": "{0}", "f": "__float_as_uint({0})", "d": "__double_as_longlong({0})"}
ARRAY = {"r": "r", "f": "r", "h": "h", "l": "l", "d": "l"}
# The cell of each space: one that is filled before each case, one that no case changes.
CELL = {"G": ("l", "g", "gfix"), "A": ("l", "g", "gfix"), "S": ("r", "s", "sfix"), "L": ("l", "local", "lfix"),
        "C": ("l", "c", "c"), "Q": ("l", "&q", "&q")}
MINE = {"G": "g", "A": "g", "S": "mine", "L": "local"}
PER_KERNEL = 24
CELL_WORDS = 8


def tokens(sources):
    """r, h, ..., or a cell with the number of its words that the case may write."""
    for one in re.findall(r"[a-z]|[A-Z]\d?", sources):
        words = 0 if one[0] in "CQ" else int(one[1:] or CELL_WORDS) if one[0].isupper() else None
        yield one[0], words


def words(signature):
    """What a case writes, a letter for each word: its results, then its memory."""
    results, _, sources = signature.partition("_")
    return results + "".join("l" * n for _, n in tokens(sources) if n)


def operand(letter, size, k):
    if size is not None:
        constraint, cell, fixed = CELL[letter]
        return '"%s"(%s)' % (constraint, cell if size else fixed)
    at = "i" if k < 4 else "(i + 61) % N"
    return '"%s"(%s)' % (letter, FROM[letter].format("in->%s[%d][%s]" % (ARRAY[letter], k & 3, at)))


def escape(text):
    return re.sub(r"%(?![0-9=])", "%%", text).replace('"', '\\"')


def case_body(first, signature, text):
    results, _, sources = signature.partition("_")
    sources = list(tokens(sources))
    cells = [(c, n) for c, n in sources if n]
    out = "\t{"
    for c, n in cells:
        out += " fill<%d>(%s, in, i);" % (n, MINE[c])
    for k, letter in enumerate(results):
        out += " %s o%d;" % (CTYPE[letter], k)
    outputs = ", ".join('"=%s%s"(o%d)' % ("&" if len(results) > 1 else "", letter, k) for k, letter in enumerate(results))
    inputs = ", ".join(operand(letter, n, k) for k, (letter, n) in enumerate(sources))
    clobber = ' : "memory"' if any(n is not None for _, n in sources) or "bar" in text else ""
    out += ' asm volatile("%s" : %s : %s%s);' % (escape(text), outputs, inputs, clobber)
    for k, letter in enumerate(results):
        out += " out[%d * N + i] = %s;" % (first + k, BITS[letter].format("o%d" % k))
    k = first + len(results)
    for c, n in cells:
        out += " keep<%d>(%s, out + %d * N + i);" % (n, MINE[c], k)
        k += n
    return out + " }\n"


def read_cases(paths, every):
    cases = []
    for path in paths:
        for line in open(path):
            fields = line.rstrip("\n").split("\t")
            if len(fields) >= 2 and not line.startswith("#"):
                cases.append(tuple(fields[-2:]))
    return cases[::every]


HEAD = """\
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "ptx_inputs.h"
#define N PTX_N_INPUTS
#define CELL_WORDS %d
#define MAX_WORDS %d
static const struct { const char *words, *signature, *text; } cases[] = {
%s};
struct parameter { unsigned long long words[CELL_WORDS]; };
#define EIGHT_WORDS 0x8182838485868788ull, 0x3ff0000040490fdbull, 3, 0x7c00bc003c000001ull,               \\
	0xfedcba9876543210ull, 0xffffffff80000000ull, 0x0123456789abcdefull, 0x7f800000ff7fffffull
__constant__ unsigned long long constants[CELL_WORDS] = { EIGHT_WORDS };
static ptx_inputs in, *din;
static unsigned long long *dout, *cells, out[MAX_WORDS * N];
static FILE *dump;
#define CELL(in, k, i) (in)->l[(k) & 3][((i) + 37 * (k)) %% N]
template <int n> static __device__ void fill(unsigned long long *cell, const ptx_inputs *in, int i)
{
#pragma unroll
	for (int k = 0; k < n; k++)
		cell[k] = CELL(in, k, i);
}
template <int n> static __device__ void keep(const unsigned long long *cell, unsigned long long *out)
{
#pragma unroll
	for (int k = 0; k < n; k++)
		out[k * N] = cell[k];
}
"""

PROLOGUE = """\
__global__ %svoid k%d(const ptx_inputs *in, unsigned long long *out, unsigned long long *cells%s)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	[[maybe_unused]] unsigned long long *g = cells + CELL_WORDS * i, *gfix = g + CELL_WORDS * N;
"""
PARAMETER = ", const __grid_constant__ parameter q"
SHARED = """\
	__shared__ __align__(64) unsigned long long shared[CELL_WORDS * 128];
	unsigned long long *mine = shared + CELL_WORDS * threadIdx.x;
	[[maybe_unused]] unsigned s = (unsigned)__cvta_generic_to_shared(mine);
"""
SHARED_FIX = """\
	__shared__ __align__(64) unsigned long long fixed[CELL_WORDS * 128];
	fill<CELL_WORDS>(fixed + CELL_WORDS * threadIdx.x, in, i);
	unsigned sfix = (unsigned)__cvta_generic_to_shared(fixed + CELL_WORDS * threadIdx.x);
"""
LOCAL = """\
	__align__(64) unsigned long long local[CELL_WORDS];
"""
LOCAL_FIX = """\
	__align__(64) unsigned long long lfix[CELL_WORDS];
	fill<CELL_WORDS>(lfix, in, i);
"""
CONST = """\
	const void *c = constants;
"""

MAIN = """\
/* What the kernel of cases first to end - 1 wrote; true unless it failed. */
static bool report(const char *kernel, size_t first, size_t end)
{
	cudaError_t error = cudaDeviceSynchronize();

	if (error == cudaSuccess)
		error = cudaMemcpy(out, dout, sizeof(out), cudaMemcpyDeviceToHost);
	if (error) {
		printf("%s: %s\\n", kernel, cudaGetErrorString(error));
		return false;
	}
	const unsigned long long *word = out;
	for (size_t k = first; k < end; k++) {
		unsigned long long hash = PTX_HASH_START;
		char warps[N / 32 + 1];

		for (int warp = 0; warp < N / 32; warp++) {
			unsigned long long part = PTX_HASH_START;

			for (int i = 32 * warp; i < 32 * warp + 32; i++)
				for (int w = 0; cases[k].words[w]; w++) {
					unsigned long long value = ptx_canonical(cases[k].words[w], word[w * N + i]);

					hash = ptx_hash(hash, value);
					part = ptx_hash(part, value);
				}
			snprintf(warps + warp, 2, "%x", (unsigned)(part >> 32 & 15));
		}
		printf("%016llx:%s\\t%s\\t%s\\n", hash, warps, cases[k].signature, cases[k].text);
		for (int w = 0; cases[k].words[w]; w++, word += N)
			if (dump)
				fwrite(word, 8, N, dump);
	}
	return true;
}

#define RUN(first, end, ...)                                                            \\
	if (argc < 3 || !strstr(argv[2], "k" #first ",")) {                             \\
		fprintf(stderr, "k%d\\n", first);                                              \
		k##first<<<N / 128, 128>>>(din, dout, cells __VA_ARGS__);               \\
		if (!report("k" #first, first, end))                                    \\
			return 1;                                                       \\
	}

int main(int argc, char **argv)
{
	[[maybe_unused]] static const parameter q = { { EIGHT_WORDS } };
	std::vector<unsigned long long> fixed(CELL_WORDS * N);

	ptx_inputs_fill(&in);
	for (int i = 0; i < N; i++)
		for (int k = 0; k < CELL_WORDS; k++)
			fixed[i * CELL_WORDS + k] = CELL(&in, k, i);
	cudaMalloc(&din, sizeof(in));
	cudaMalloc(&dout, sizeof(out));
	cudaMalloc(&cells, 2 * CELL_WORDS * N * 8);
	cudaMemcpy(din, &in, sizeof(in), cudaMemcpyHostToDevice);
	cudaMemcpy(cells + CELL_WORDS * N, fixed.data(), CELL_WORDS * N * 8, cudaMemcpyHostToDevice);
	dump = argc > 1 && argv[1][0] ? fopen(argv[1], "wb") : NULL;
"""


def kernel(start, part):
    """The kernel's text and how many words it writes."""
    out, first = "", 0
    for signature, text in part:
        out += case_body(first, signature, text)
        first += len(words(signature))
    cells = {(c, bool(n)) for s, _ in part for c, n in tokens(s.partition("_")[2]) if n is not None}
    cluster = any(wraps.needs_cluster(text) for _, text in part)
    head = PROLOGUE % ("__cluster_dims__(1, 1, 1) " if cluster else "", start, PARAMETER if ("Q", False) in cells else "")
    for key, text in ((("S", True), SHARED), (("S", False), SHARED_FIX), (("L", True), LOCAL), (("L", False), LOCAL_FIX),
                      (("C", False), CONST)):
        head += text if key in cells else ""
    return head + out + "}\n", first, ("Q", False) in cells


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--part", default="0/1")
    parser.add_argument("--alone", action="store_true", help="a kernel for each case")
    parser.add_argument("paths", nargs="+")
    args = parser.parse_args()
    all_cases = read_cases(args.paths[:-1], args.every)
    part, n_parts = (int(one) for one in args.part.split("/"))
    all_cases = all_cases[len(all_cases) * part // n_parts:len(all_cases) * (part + 1) // n_parts]
    per_kernel = 1 if args.alone else PER_KERNEL
    names = "".join('\t{"%s", "%s", R"(%s)"},\n' % (words(s), s, t) for s, t in all_cases)
    kernels, launches, most = "", "", 1
    for start in range(0, len(all_cases), per_kernel):
        chosen = all_cases[start:start + per_kernel]
        text, n_words, parameter = kernel(start, chosen)
        kernels += text
        launches += "\tRUN(%d, %d%s);\n" % (start, start + len(chosen), ", , q" if parameter else "")
        most = max(most, n_words)
    with open(args.paths[-1], "w") as f:
        f.write(HEAD % (CELL_WORDS, most, names) + kernels + MAIN + launches)
        f.write("\tif (dump)\n\t\tfclose(dump);\n\treturn 0;\n}\n")


main()
