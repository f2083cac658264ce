// SPDX-License-Identifier: Apache-2.0
// A program that knows the toolkit's headers and libraries only, compiled by the host's compiler.
#include <cstdio>
#include <cstring>
#include <cuda_runtime_api.h>

int main()
{
	void *p;
	int where = -77;
	cudaMallocManaged(&p, 4096, cudaMemAttachGlobal);
	cudaMemAdvise(p, 4096, cudaMemAdviseSetPreferredLocation, cudaCpuDeviceId);
	cudaMemRangeGetAttribute(&where, sizeof where, cudaMemRangeAttributePreferredLocation, p,
				 4096);
	struct {
		cudaPointerAttributes about;
		unsigned char guard[128];
	} room;
	memset(&room, 0xa5, sizeof room);
	cudaPointerGetAttributes(&room.about, p);
	printf("advice %d, guard %d\n", where, room.guard[0] == 0xa5 && room.guard[63] == 0xa5);
}
