/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of memory pools that cudaMemPoolCreate() and cuMemPoolCreate() refuse as wrong. The
 * answers are an H200's.
 *
 * Flags: -std=c++17 -lcuda
 * Schedules: free */
#include "driver.cuh"

/* What a machine with one GPU and one node of memory can make; managed memory is a matter of its own. */
static bool is_left_out(int allocation, int type, int id)
{
	if (allocation == cudaMemAllocationTypePinned)
		return type == 2 || ((type == 1 || type == 3) && id == 0);
	return allocation == cudaMemAllocationTypeManaged;
}

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
				if (is_left_out(allocation, type, id))
					continue;
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
