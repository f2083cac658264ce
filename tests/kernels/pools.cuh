/* SPDX-License-Identifier: Apache-2.0 */
/* pools.cuh - memory pools of every kind, for the tests about them. */
#ifndef POOLS_CUH
#define POOLS_CUH

#include "driver.cuh"

/* What cudaMemPoolCreate() is asked for. */
struct pool_kind {
	const char *name;
	int allocation; /* enum cudaMemAllocationType */
	int type, id;   /* the location */
	bool allowed;   /* device 0 is given access */
};

static const pool_kind pool_kinds[] = {
	{"device", cudaMemAllocationTypePinned, 1, 0},
	{"host", cudaMemAllocationTypePinned, 2, 0},
	{"node", cudaMemAllocationTypePinned, 3, 0},
	{"managed", cudaMemAllocationTypeManaged, 0, 0},
	{"managed, device", cudaMemAllocationTypeManaged, 1, 0},
	{"managed, host", cudaMemAllocationTypeManaged, 2, 0},
	{"managed, node", cudaMemAllocationTypeManaged, 3, 0},
	{"allowed host", cudaMemAllocationTypePinned, 2, 0, true},
	{"allowed node", cudaMemAllocationTypePinned, 3, 0, true},
};

static cudaMemLocation location_of(int type, int id)
{
	cudaMemLocation l = {};
	l.type = (cudaMemLocationType)type;
	l.id = id;
	return l;
}

static cudaMemPoolProps props_of(const pool_kind &k)
{
	cudaMemPoolProps p = {};
	p.allocType = (cudaMemAllocationType)k.allocation;
	p.location = location_of(k.type, k.id);
	return p;
}

static int allow(cudaMemPool_t pool, int flags)
{
	cudaMemAccessDesc desc = {};
	desc.location = location_of(1, 0);
	desc.flags = (cudaMemAccessFlags)flags;
	return (int)cudaMemPoolSetAccess(pool, &desc, 1);
}

/* NULL where there is none. */
static cudaMemPool_t make_pool(const pool_kind &k)
{
	cudaMemPoolProps p = props_of(k);
	cudaMemPool_t pool = NULL;
	cudaMemPoolCreate(&pool, &p);
	if (pool && k.allowed)
		DO(allow(pool, cudaMemAccessFlagsProtReadWrite));
	cudaGetLastError();
	return pool;
}

/* "KIND, WHAT", good until the fourth call from here. */
static const char *named(const pool_kind &k, const char *format, ...)
{
	static char names[4][160];
	static unsigned next;
	char *name = names[next++ % 4];
	int n = snprintf(name, 160, "%s, ", k.name);
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(name + n, 160 - n, format, arguments);
	va_end(arguments);
	return name;
}

/* The same of the memory of a pool: an answer of the runtime and what it leaves behind. */
#define TRY(name, call)                                             \
	do {                                                        \
		int error_ = (int)(call), last_ = cudaGetLastError(); \
		say(name, "%d %d", error_, last_);                  \
	} while (0)

#endif
