/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses whose index is counted on from one to the next, 512 times. */
#define __global__ __attribute__((global))
#define EIGHT(x) x x x x x x x x

extern "C" __global__ void accesses(const unsigned char *block, unsigned *out)
{
	unsigned i = 0;
	EIGHT(EIGHT(EIGHT(out[i] = block[4 * i] << 8 | block[4 * i + 1]; i += block[i];)))
}
