/* SPDX-License-Identifier: Apache-2.0 */
/* A misaligned access ends the launch. Watched bodies find it; in plain bodies it
 * does what the host's processor does, as the manual says.
 *
 * Environment: CUDASIM_BODY=watched */
#include "case.cuh"

__global__ void misaligned(char *p)
{
	*(int *)(p + 1) = 5;
}

int main()
{
	char *p;
	CHECK(cudaMalloc(&p, 64));
	misaligned<<<1, 1>>>(p);
	say("misaligned", "sync %d", cudaDeviceSynchronize());
	return 0;
}
