/* SPDX-License-Identifier: Apache-2.0 */
/* For which kinds of memory and locations cudaMemPoolCreate() and cuMemPoolCreate() make a pool. The
 * answers are an H200's.
 *
 * Flags: -std=c++17 -lcuda
 * Schedules: free */
#include "driver.cuh"

int main()
{
	cudaFree(0);
	for (int allocation = 0; allocation < 4; allocation++)
		for (int type = -1; type < 6; type++)
			for (int id : {-1, 0, 1, 99}) {
				cudaMemPoolProps p = {};
				cudaMemPool_t pool = NULL;
				CUmemPoolProps q = {};
				CUmemoryPool theirs = NULL;
				p.allocType = (cudaMemAllocationType)allocation;
				p.location.type = (cudaMemLocationType)type;
				p.location.id = id;
				q.allocType = (CUmemAllocationType)allocation;
				q.location.type = (CUmemLocationType)type;
				q.location.id = id;
				char name[96];
				snprintf(name, sizeof name, "create type %d at %d %d", allocation, type, id);
				int created = cudaMemPoolCreate(&pool, &p), last = cudaGetLastError();
				say(name, "%d %d, driver %d", created, last, cuMemPoolCreate(&theirs, &q));
			}
	return 0;
}
