#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a CUDA program that runs the cases of ptx_h200.txt on a GPU.

    ptx_record.py CASES.txt OUT.cu     (then: nvcc -arch=sm_90 -I tests/unit/compiler OUT.cu)

Each line of the cases is HASH SIGNATURE TEXT with tabs between, as the test
reads them; the hash is ignored here and printed anew by the program, which also
writes every result to the file named by its first argument. Signature: the
letter of the result, _, those of the sources.
"""
import sys

CTYPE = {'r': 'unsigned', 'h': 'unsigned short', 'l': 'unsigned long long',
         'f': 'float', 'd': 'double'}
FROM = {'r': '{0}', 'h': '{0}', 'l': '{0}', 'f': '__int_as_float({0})',
        'd': '__longlong_as_double({0})'}
BITS = {'r': 'o', 'h': 'o', 'l': 'o', 'f': '__float_as_uint(o)',
        'd': '__double_as_longlong(o)'}
ARRAY = {'r': 'r', 'f': 'r', 'h': 'h', 'l': 'l', 'd': 'l'}
PER_KERNEL = 24


def case_body(number, signature, text):
    result, sources = signature.split('_')
    inputs = ', '.join('"%s"(%s)' % (s, FROM[s].format('in->%s[%d][i]' % (ARRAY[s], k)))
                       for k, s in enumerate(sources))
    return '\t{ %s o; asm volatile("/*CASE%d*/ %s" : "=%s"(o) : %s); out[%dull * N + i] = %s; }\n' % (
        CTYPE[result], number, text.replace('%p', '%%p').replace('%r', '%%r'), result, inputs,
        number, BITS[result])


def main():
    cases = []
    for line in open(sys.argv[1]):
        fields = line.rstrip('\n').split('\t')
        if len(fields) >= 2:
            cases.append(tuple(fields[-2:]))
    with open(sys.argv[2], 'w') as f:
        f.write('#include <cstdio>\n#include <vector>\n#include "ptx_inputs.h"\n'
                '#define N PTX_N_INPUTS\n'
                'static const struct { const char *signature, *text; } cases[] = {\n')
        for signature, text in cases:
            f.write('\t{"%s", R"(%s)"},\n' % (signature, text))
        f.write('};\n')
        kernels = range(0, len(cases), PER_KERNEL)
        for start in kernels:
            f.write('__global__ void k%d(const ptx_inputs *in, unsigned long long *out)\n{\n'
                    '\tint i = blockIdx.x * blockDim.x + threadIdx.x;\n' % start)
            for k in range(start, min(start + PER_KERNEL, len(cases))):
                f.write(case_body(k, *cases[k]))
            f.write('}\n')
        f.write('int main(int argc, char **argv)\n{\n'
                '\tstatic ptx_inputs in; ptx_inputs_fill(&in);\n'
                '\tsize_t n = sizeof(cases) / sizeof(cases[0]);\n'
                '\tptx_inputs *din; unsigned long long *dout;\n'
                '\tstd::vector<unsigned long long> out(n * N);\n'
                '\tcudaMalloc(&din, sizeof(in)); cudaMalloc(&dout, out.size() * 8);\n'
                '\tcudaMemcpy(din, &in, sizeof(in), cudaMemcpyHostToDevice);\n')
        for start in kernels:
            f.write('\tk%d<<<N / 128, 128>>>(din, dout);\n' % start)
        f.write('\tcudaMemcpy(out.data(), dout, out.size() * 8, cudaMemcpyDeviceToHost);\n'
                '\tif (cudaGetLastError() != cudaSuccess) return 1;\n'
                '\tfor (size_t k = 0; k < n; k++) {\n'
                '\t\tuint64_t hash = PTX_HASH_START;\n'
                '\t\tfor (int i = 0; i < N; i++)\n'
                '\t\t\thash = ptx_hash(hash, ptx_canonical(cases[k].signature[0], out[k * N + i]));\n'
                '\t\tprintf("%016llx\\t%s\\t%s\\n", (unsigned long long)hash, cases[k].signature, cases[k].text);\n'
                '\t}\n'
                '\tif (argc > 1) { FILE *f = fopen(argv[1], "wb"); fwrite(out.data(), 8, out.size(), f); fclose(f); }\n'
                '\treturn 0;\n}\n')


main()
