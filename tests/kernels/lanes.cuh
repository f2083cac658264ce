/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.cuh - kernels of one warp whose lanes take steps together, beside a host that takes each
 * step for all lanes. */
#include <cstring>

#include "case.cuh"

enum { LANES = 32 };

static int *in, *out; /* one number for each lane */

static void make_lanes()
{
	CHECK(cudaMallocManaged(&in, LANES * sizeof *in));
	CHECK(cudaMallocManaged(&out, LANES * sizeof *out));
	for (int i = 0; i < LANES; i++)
		in[i] = (i * 7 % 32) << 8 | (i * 37 + 11) % 251; /* a permutation, and noise */
}

/* Prints the number of lanes that have not come to what the host has, and clears them. */
static void check(const char *name, int (*wanted)(int lane))
{
	int wrong = 0;
	CHECK(cudaDeviceSynchronize());
	for (int lane = 0; lane < LANES; lane++)
		wrong += out[lane] != wanted(lane);
	memset(out, 0, LANES * sizeof *out);
	say(name, "%d wrong", wrong);
}
