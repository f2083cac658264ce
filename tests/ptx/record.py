#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a CUDA program that runs cases of PTX and prints their hashes.

    record.py [--every N] CASES.txt... OUT.cu      (then: nvcc -arch=sm_90 -I tests/ptx OUT.cu)

A case is a line of tab-separated fields, of which the last two are the signature
and the text (cases.py explains them); N of the cases whose number is a multiple of
N stay. The program prints HASH:WARPS SIGNATURE TEXT: a hash of what all threads
got, and a digit for each warp's, so that a difference can be found. With a file's
name as argument it writes every word there, too (of PTX_DUMP_THREADS threads).
"""
import argparse
import re

CTYPE = {"r": "unsigned", "h": "unsigned short", "l": "unsigned long long", "f": "float", "d": "double"}
FROM = {"r": "{0}", "h": "{0}", "l": "{0}", "f": "__int_as_float({0})", "d": "__longlong_as_double({0})"}
BITS = {"r": "{0}", "h": "{0}", "l": "{0}", "f": "__float_as_uint({0})", "d": "__double_as_longlong({0})"}
ARRAY = {"r": "r", "f": "r", "h": "h", "l": "l", "d": "l"}
CELL = {"G": '"l"(g)', "A": '"l"(g)', "S": '"r"(s)', "C": '"l"(c)', "L": '"l"(local)'}
PER_KERNEL = 24
CELL_WORDS = 8


def words(signature):
    """What a case writes, a letter for each word: its results, then its memory."""
    results, _, sources = signature.partition("_")
    return results + "l" * CELL_WORDS * sum(c in "GASL" for c in sources)


def operand(letter, k):
    if letter in CELL:
        return CELL[letter]
    at = "i" if k < 4 else "(i + 61) %% N" % ()
    return '"%s"(%s)' % (letter, FROM[letter].format("in->%s[%d][%s]" % (ARRAY[letter], k & 3, at)))


def escape(text):
    return re.sub(r"%(?![0-9=])", "%%", text).replace('"', '\\"')


def case_body(number, first, signature, text):
    results, _, sources = signature.partition("_")
    out = "\t{"
    cells = [c for c in sources if c in "GASL"]
    for c in cells:
        out += " fill(%s, in, i);" % {"G": "g", "A": "g", "S": "mine", "L": "local"}[c]
    for k, letter in enumerate(results):
        out += " %s o%d;" % (CTYPE[letter], k)
    outputs = ", ".join('"=%s%s"(o%d)' % ("&" if len(results) > 1 else "", letter, k) for k, letter in enumerate(results))
    inputs = ", ".join(operand(letter, k) for k, letter in enumerate(sources))
    if not results:
        outputs = ""
    clobber = ' : "memory"' if cells or "bar" in text else ""
    out += ' asm volatile("%s" : %s : %s%s);' % (escape(text), outputs, inputs, clobber)
    for k, letter in enumerate(results):
        out += " out[%dull * N + i] = %s;" % (first + k, BITS[letter].format("o%d" % k))
    k = first + len(results)
    for c in cells:
        out += " keep(%s, out + %dull * N + i);" % ({"G": "g", "A": "g", "S": "mine", "L": "local"}[c], k)
        k += CELL_WORDS
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
#define PTX_DUMP_THREADS N
static const struct { const char *words, *signature, *text; } cases[] = {
%s};
__constant__ unsigned long long constants[CELL_WORDS] = { 0x8182838485868788ull, 0x3ff0000040490fdbull, 3, 0x7c00bc003c000001ull,
	0xfedcba9876543210ull, 0xffffffff80000000ull, 0x0123456789abcdefull, 0x7f800000ff7fffffull };
#define RUN(kernel)                                                            \\
	if (argc < 3 || !strstr(argv[2], #kernel ",")) {                       \\
		kernel<<<N / 128, 128>>>(din, dout, cells);                    \\
		if (cudaError_t error = cudaDeviceSynchronize()) {             \\
			printf(#kernel ": %%s\\n", cudaGetErrorString(error)); \\
			return 1;                                              \\
		}                                                              \\
	}
static __device__ void fill(unsigned long long *cell, const ptx_inputs *in, int i)
{
	for (int k = 0; k < CELL_WORDS; k++)
		cell[k] = in->l[k & 3][(i + 37 * k) %% N];
}
static __device__ void keep(const unsigned long long *cell, unsigned long long *out)
{
	for (int k = 0; k < CELL_WORDS; k++)
		out[k * N] = cell[k];
}
"""

PROLOGUE = """\
__global__ %svoid k%d(const ptx_inputs *in, unsigned long long *out, unsigned long long *cells)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	[[maybe_unused]] unsigned long long *g = cells + CELL_WORDS * i;
"""
SHARED = """\
	__shared__ __align__(64) unsigned long long shared[CELL_WORDS * 128];
	unsigned long long *mine = shared + CELL_WORDS * threadIdx.x;
	[[maybe_unused]] unsigned s = (unsigned)__cvta_generic_to_shared(mine);
"""
LOCAL = """\
	__align__(64) unsigned long long local[CELL_WORDS];
"""
CONST = """\
	const void *c = constants;
"""

MAIN = """\
int main(int argc, char **argv)
{
	static ptx_inputs in;
	ptx_inputs_fill(&in);
	size_t n = sizeof(cases) / sizeof(cases[0]), n_words = 0;
	for (size_t k = 0; k < n; k++)
		n_words += strlen(cases[k].words);
	ptx_inputs *din;
	unsigned long long *dout, *cells;
	std::vector<unsigned long long> out(n_words * N);
	cudaMalloc(&din, sizeof(in));
	cudaMalloc(&dout, out.size() * 8);
	cudaMalloc(&cells, N * CELL_WORDS * 8);
	cudaMemset(dout, 0, out.size() * 8);
	cudaMemcpy(din, &in, sizeof(in), cudaMemcpyHostToDevice);
%s\
	cudaMemcpy(out.data(), dout, out.size() * 8, cudaMemcpyDeviceToHost);
	if (cudaError_t error = cudaGetLastError()) {
		fprintf(stderr, "%%s\\n", cudaGetErrorString(error));
		return 1;
	}
	FILE *dump = argc > 1 ? fopen(argv[1], "wb") : nullptr;
	const unsigned long long *word = out.data();
	for (size_t k = 0; k < n; k++) {
		uint64_t hash = PTX_HASH_START;
		char warps[N / 32 + 1] = "";
		for (int warp = 0; warp < N / 32; warp++) {
			uint64_t part = PTX_HASH_START;
			for (int i = 32 * warp; i < 32 * warp + 32; i++)
				for (int w = 0; cases[k].words[w]; w++) {
					uint64_t value = ptx_canonical(cases[k].words[w], word[(size_t)w * N + i]);
					hash = ptx_hash(hash, value);
					part = ptx_hash(part, value);
				}
			snprintf(warps + warp, 2, "%%x", (unsigned)(part >> 32 & 15));
		}
		printf("%%016llx:%%s\\t%%s\\t%%s\\n", (unsigned long long)hash, warps, cases[k].signature, cases[k].text);
		for (int w = 0; cases[k].words[w]; w++, word += N)
			if (dump)
				fwrite(word, 8, PTX_DUMP_THREADS, dump);
	}
	if (dump)
		fclose(dump);
	return 0;
}
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--alone", action="store_true", help="a kernel for each case")
    parser.add_argument("paths", nargs="+")
    args = parser.parse_args()
    cases = read_cases(args.paths[:-1], args.every)
    per_kernel = 1 if args.alone else PER_KERNEL
    names = "".join('\t{"%s", "%s", R"(%s)"},\n' % (words(s), s, t) for s, t in cases)
    with open(args.paths[-1], "w") as f:
        f.write(HEAD % (CELL_WORDS, names))
        launches, first = "", 0
        for start in range(0, len(cases), per_kernel):
            part = cases[start:start + per_kernel]
            spaces = "".join(s.partition("_")[2] for s, _ in part)
            # These are illegal where no cluster was asked for.
            cluster = any(re.search(r"(st|red)\.async|reduce\.async\.bulk\.shared", t) for _, t in part)
            f.write(PROLOGUE % ("__cluster_dims__(1, 1, 1) " if cluster else "", start))
            f.write((SHARED if "S" in spaces else "") + (LOCAL if "L" in spaces else "") + (CONST if "C" in spaces else ""))
            for k, (signature, text) in enumerate(part):
                f.write(case_body(start + k, first, signature, text))
                first += len(words(signature))
            f.write("}\n")
            launches += "\tRUN(k%d);\n" % start
        f.write(MAIN % launches)


main()
