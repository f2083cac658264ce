/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools of the device, of the host, and of managed memory: which properties make one, what its
 * attributes are, who has access, and which pool is a location's. The answers are an H200's.
 *
 * Flags: -std=c++17 -lcuda
 * Schedules: free */
#include "apart.cuh"
#include "pools.cuh"

static void properties(const pool_kind &k)
{
	cudaFree(0);
	auto create = [&](const char *name, auto change) {
		cudaMemPoolProps p = props_of(k);
		cudaMemPool_t pool = NULL;
		CUmemPoolProps q;
		CUmemoryPool theirs = NULL;
		change(p);
		memcpy(&q, &p, sizeof q);
		int created = cudaMemPoolCreate(&pool, &p), last = cudaGetLastError();
		say(named(k, "%s", name), "%d %d, driver %d", created, last, cuMemPoolCreate(&theirs, &q));
		if (pool)
			TRY(named(k, "%s, destroy", name), cudaMemPoolDestroy(pool));
	};
	for (unsigned handles : {1, 2, 3, 4, 8, 9, 16}) {
		char name[64];
		snprintf(name, sizeof name, "handles %u", handles);
		create(name, [&](cudaMemPoolProps &p) { p.handleTypes = (cudaMemAllocationHandleType)handles; });
	}
	for (unsigned usage : {1, 2, 3, 4, 0x8000}) {
		char name[64];
		snprintf(name, sizeof name, "usage %u", usage);
		create(name, [&](cudaMemPoolProps &p) { p.usage = (unsigned short)usage; });
	}
	for (int shift : {0, 12, 21, 30, 40, 50, 63}) {
		char name[64];
		if (shift > 30 && k.allocation == cudaMemAllocationTypeManaged)
			break;
		snprintf(name, sizeof name, "size 2^%d", shift);
		create(name, [&](cudaMemPoolProps &p) { p.maxSize = (size_t)1 << shift; });
	}
	create("reserved", [](cudaMemPoolProps &p) { p.reserved[0] = 1; });
	create("security", [](cudaMemPoolProps &p) { p.win32SecurityAttributes = &p; });
}


static void attributes_of(const pool_kind &k, cudaMemPool_t pool, const char *when)
{
	for (int which = 0; which < 14; which++) {
		unsigned long long value = 0;
		int error = cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)which, &value), last = cudaGetLastError();
		if (error)
			say(named(k, "%s, get %d", when, which), "%d %d", error, last);
		else
			say(named(k, "%s, get %d", when, which), "%llu", value);
	}
}

/* How much is in use, in bytes. */
static void use_of(const pool_kind &k, cudaMemPool_t pool, const char *when)
{
	unsigned long long used = 77, used_high = 77, reserved = 77, reserved_high = 77;
	DO(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
	DO(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &used_high));
	DO(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
	DO(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &reserved_high));
	say(named(k, "%s, use", when), "%llu, high %llu", used, used_high);
	say(named(k, "%s, reserved", when), "%llu, high %llu", reserved, reserved_high);
}

static void numbers(const pool_kind &k)
{
	cudaFree(0);
	cudaMemPool_t pool = make_pool(k);
	if (!pool)
		return;
	attributes_of(k, pool, "new");
	for (int which = 0; which < 10; which++)
		for (unsigned long long value : {0ull, 1ull, 2ull, 1ull << 40}) {
			unsigned long long v = value;
			TRY(named(k, "set %d to %llu", which, value), cudaMemPoolSetAttribute(pool, (cudaMemPoolAttr)which, &v));
			v = 0;
			cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)which, &v);
			cudaGetLastError();
			say(named(k, "%d set to %llu", which, value), "%llu", v);
		}
	void *p[3] = {};
	TRY(named(k, "1000"), cudaMallocFromPoolAsync(&p[0], 1000, pool, 0));
	use_of(k, pool, "1000");
	TRY(named(k, "1 MiB"), cudaMallocFromPoolAsync(&p[1], 1 << 20, pool, 0));
	use_of(k, pool, "1 MiB");
	TRY(named(k, "1 byte"), cudaMallocFromPoolAsync(&p[2], 1, pool, 0));
	use_of(k, pool, "1 byte");
	TRY(named(k, "free 1 MiB"), cudaFreeAsync(p[1], 0));
	cudaDeviceSynchronize();
	use_of(k, pool, "freed");
	unsigned long long zero = 0;
	TRY(named(k, "reset high"), cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
	use_of(k, pool, "reset");
	TRY(named(k, "reset reserved"), cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReservedMemHigh, &zero));
	TRY(named(k, "trim"), cudaMemPoolTrimTo(pool, 0));
	use_of(k, pool, "trimmed");
	TRY(named(k, "free 1000"), cudaFreeAsync(p[0], 0));
	TRY(named(k, "free 1 byte"), cudaFreeAsync(p[2], 0));
	cudaDeviceSynchronize();
	TRY(named(k, "trim all"), cudaMemPoolTrimTo(pool, 0));
	attributes_of(k, pool, "at last");
	TRY(named(k, "destroy"), cudaMemPoolDestroy(pool));
}

static const struct {
	const char *name;
	int type, id;
} places[] = {{"none", 0, 0}, {"device 0", 1, 0}, {"device -1", 1, -1}, {"device 1", 1, 1}, {"host", 2, 0}, {"host 7", 2, 7},
	{"node 0", 3, 0}, {"node -1", 3, -1}, {"node 1", 3, 1}, {"this node", 4, 0}, {"wrong", 5, 0}};

static void get_access(const pool_kind &k, cudaMemPool_t pool, const char *when)
{
	for (auto &place : places) {
		cudaMemLocation l = location_of(place.type, place.id);
		cudaMemAccessFlags flags = (cudaMemAccessFlags)77;
		int error = cudaMemPoolGetAccess(&flags, pool, &l), last = cudaGetLastError();
		say(named(k, "%s, access of %s", when, place.name), "%d %d, %d", error, last, error ? -1 : (int)flags);
	}
}

static void access(const pool_kind &k)
{
	cudaFree(0);
	cudaMemPool_t pool = make_pool(k);
	if (!pool)
		return;
	get_access(k, pool, "new");
	for (auto &place : places)
		for (int flags : {0, 1, 2, 3, 4}) {
			cudaMemAccessDesc desc = {};
			desc.location = location_of(place.type, place.id);
			desc.flags = (cudaMemAccessFlags)flags;
			TRY(named(k, "set access of %s to %d", place.name, flags), cudaMemPoolSetAccess(pool, &desc, 1));
			cudaMemAccessFlags seen = (cudaMemAccessFlags)77;
			int error = cudaMemPoolGetAccess(&seen, pool, &desc.location);
			cudaGetLastError();
			say(named(k, "access of %s set to %d", place.name, flags), "%d, %d", error, error ? -1 : (int)seen);
		}
	cudaMemAccessDesc two[2] = {};
	two[0].location = two[1].location = location_of(1, 0);
	two[0].flags = two[1].flags = cudaMemAccessFlagsProtReadWrite;
	TRY(named(k, "twice"), cudaMemPoolSetAccess(pool, two, 2));
	two[0].location = location_of(2, 0);
	TRY(named(k, "host and device"), cudaMemPoolSetAccess(pool, two, 2));
	TRY(named(k, "nothing"), cudaMemPoolSetAccess(pool, NULL, 0));
	TRY(named(k, "empty list"), cudaMemPoolSetAccess(pool, two, 0));
	get_access(k, pool, "then");
	cudaMemPoolDestroy(pool);
}

/* Which pool is a location's. Names of pools: in the order in which they were first seen. */
static int number_of(cudaMemPool_t pool)
{
	static cudaMemPool_t seen[64];
	static int n;
	if (!pool)
		return -1;
	for (int i = 0; i < n; i++)
		if (seen[i] == pool)
			return i;
	seen[n] = pool;
	return n++;
}

static void defaults()
{
	cudaFree(0);
	cudaMemPool_t device = NULL;
	cudaDeviceGetDefaultMemPool(&device, 0);
	number_of(device);
	for (int allocation = 0; allocation < 4; allocation++)
		for (int type = -1; type < 6; type++)
			for (int id : {-1, 0, 1}) {
				cudaMemLocation l = location_of(type, id);
				cudaMemPool_t pool = NULL, current = NULL;
				CUmemoryPool theirs = NULL;
				char name[96];
				snprintf(name, sizeof name, "default of type %d at %d %d", allocation, type, id);
				int e1 = cudaMemGetDefaultMemPool(&pool, &l, (cudaMemAllocationType)allocation), l1 = cudaGetLastError();
				int e2 = cuMemGetDefaultMemPool(&theirs, (CUmemLocation *)&l, (CUmemAllocationType)allocation);
				int e3 = cudaMemGetMemPool(&current, &l, (cudaMemAllocationType)allocation), l3 = cudaGetLastError();
				say(name, "%d %d %d, %d %d, %d %d %d", e1, l1, e1 ? -1 : number_of(pool), e2, e2 ? -1 : number_of(theirs), e3,
				    l3, e3 ? -1 : number_of(current));
				if (!e1) {
					snprintf(name, sizeof name, "destroy default of type %d at %d %d", allocation, type, id);
					TRY(name, cudaMemPoolDestroy(pool));
				}
			}
	cudaMemLocation l = location_of(2, 0);
	TRY("default into null", cudaMemGetDefaultMemPool(NULL, &l, cudaMemAllocationTypePinned));
	TRY("current into null", cudaMemGetMemPool(NULL, &l, cudaMemAllocationTypePinned));
	TRY("default of no location", cudaMemGetDefaultMemPool(&device, NULL, cudaMemAllocationTypePinned));
	TRY("set at no location", cudaMemSetMemPool(NULL, cudaMemAllocationTypePinned, device));
	TRY("set no pool", cudaMemSetMemPool(&l, cudaMemAllocationTypePinned, NULL));
	for (const pool_kind &k : pool_kinds) {
		cudaMemPool_t pool = NULL;
		l = location_of(k.type, k.id);
		if (cudaMemGetDefaultMemPool(&pool, &l, (cudaMemAllocationType)k.allocation))
			continue;
		attributes_of(k, pool, "default");
		get_access(k, pool, "default");
	}
}

/* A pool made for one location, set at every other. */
static void setting(const pool_kind &k)
{
	cudaFree(0);
	for (int allocation = 1; allocation < 3; allocation++)
		for (auto &place : places) {
			cudaMemPool_t pool = make_pool(k), seen = NULL;
			cudaMemLocation l = location_of(place.type, place.id);
			auto type = (cudaMemAllocationType)allocation;
			if (!pool)
				return;
			int error = cudaMemSetMemPool(&l, type, pool), last = cudaGetLastError();
			int get = cudaMemGetMemPool(&seen, &l, type);
			cudaGetLastError();
			say(named(k, "set as type %d of %s", allocation, place.name), "%d %d, %d %d", error, last, get, get ? -1 : seen == pool);
			if (!error) {
				void *p = NULL;
				cudaPointerAttributes a = {};
				TRY(named(k, "cudaMallocAsync, type %d of %s", allocation, place.name), cudaMallocAsync(&p, 64, 0));
				if (p) {
					CUmemoryPool its = NULL;
					cuPointerGetAttribute(&its, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, (CUdeviceptr)p);
					cudaPointerGetAttributes(&a, p);
					say(named(k, "type, type %d of %s", allocation, place.name), "%d %d", (int)a.type, its == pool);
					cudaFreeAsync(p, 0);
				}
			}
			cudaDeviceSynchronize();
			TRY(named(k, "destroy, type %d of %s", allocation, place.name), cudaMemPoolDestroy(pool));
		}
	cudaMemPool_t pool = make_pool(k), seen = NULL;
	TRY(named(k, "cudaDeviceSetMemPool"), cudaDeviceSetMemPool(0, pool));
	TRY(named(k, "cudaDeviceGetMemPool"), cudaDeviceGetMemPool(&seen, 0));
	say(named(k, "is the device's"), "%d", seen == pool);
}

/* Whether a location has the default pool before somebody asked for that one, and behind another. */
static void order(const pool_kind &k)
{
	cudaFree(0);
	cudaMemLocation l = location_of(k.type, k.id);
	auto type = (cudaMemAllocationType)k.allocation;
	auto current = [&] {
		cudaMemPool_t pool = NULL;
		DO(cudaMemGetMemPool(&pool, &l, type));
		return number_of(pool);
	};
	auto standard = [&] {
		cudaMemPool_t pool = NULL;
		DO(cudaMemGetDefaultMemPool(&pool, &l, type));
		return number_of(pool);
	};
	int first = current(), second = standard(), third = current();
	say(named(k, "order"), "%d %d %d", first, second, third);
	cudaMemPool_t pool = make_pool(k);
	DO(cudaMemSetMemPool(&l, type, pool));
	first = current(), second = standard();
	say(named(k, "order, set"), "%d %d", first, second);
	DO(cudaMemPoolDestroy(pool));
	first = current(), second = standard();
	say(named(k, "order, destroyed"), "%d %d", first, second);
	pool = NULL;
	DO(cudaMemGetDefaultMemPool(&pool, &l, type));
	DO(cudaMemSetMemPool(&l, type, pool));
	say(named(k, "order, default set"), "%d", current());
}

/* What a pool of at most so many bytes gives. */
static void limits(const pool_kind &k)
{
	cudaFree(0);
	for (size_t most : {(size_t)1, (size_t)4 << 20, (size_t)32 << 20, (size_t)40 << 20, (size_t)64 << 20}) {
		cudaMemPoolProps p = props_of(k);
		cudaMemPool_t pool = NULL;
		p.maxSize = most;
		if (cudaMemPoolCreate(&pool, &p))
			return;
		char line[200] = "";
		for (size_t mib : {1, 4, 8, 16, 31, 32, 33, 40, 64, 65, 96, 128}) {
			void *q = NULL;
			int error = cudaMallocFromPoolAsync(&q, mib << 20, pool, 0);
			cudaGetLastError();
			if (q)
				cudaFreeAsync(q, 0);
			cudaDeviceSynchronize();
			cudaMemPoolTrimTo(pool, 0);
			snprintf(line + strlen(line), sizeof line - strlen(line), " %d", error);
		}
		say(named(k, "at most %zu", most), "%s", line);
		line[0] = 0;
		for (int i = 0; i < 20; i++) {
			void *q = NULL;
			int error = cudaMallocFromPoolAsync(&q, 7 << 20, pool, 0);
			cudaGetLastError();
			snprintf(line + strlen(line), sizeof line - strlen(line), " %d", error);
		}
		say(named(k, "at most %zu, pieces", most), "%s", line);
	}
}

int main()
{
	for (const pool_kind &k : pool_kinds) {
		if (k.allowed)
			continue;
		apart("properties", [&] { properties(k); });
		apart("limits", [&] { limits(k); });
		apart("numbers", [&] { numbers(k); });
		apart("access", [&] { access(k); });
		apart("setting", [&] { setting(k); });
	}
	apart("defaults", defaults);
	for (const pool_kind &k : pool_kinds)
		apart("order", [&] { order(k); });
	apart_wait(0);
	return 0;
}
