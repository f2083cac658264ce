/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory management of the driver API: address ranges, memory without an address, the
 * one shown in the other, and the errors of each call.
 *
 * Flags: -std=c++17 -lcuda */
#include <cuda.h>
#include <cuda_runtime.h>
#include <unistd.h>

#include "case.cuh"

#define CALL(call) say(#call, "%d", (int)(call))
#define AS(name, call) say(name, "%d", (int)(call))

__global__ void fill(unsigned *p, unsigned first, size_t n)
{
	for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		p[i] = first + (unsigned)i;
}

__global__ void sum(const unsigned *p, size_t n, unsigned long long *ret)
{
	for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		atomicAdd(ret, (unsigned long long)p[i]);
}

static unsigned long long sum_of(CUdeviceptr p, size_t bytes)
{
	memory<unsigned long long> ret(1);
	sum<<<16, 256>>>((const unsigned *)p, bytes / 4, ret.there);
	CHECK(cudaDeviceSynchronize());
	return ret.fetch()[0];
}

int main()
{
	size_t grain = 0, recommended = 0;
	CUdeviceptr range = 0, other = 0, odd = 0;
	CUmemGenericAllocationHandle a = 0, b = 0, again = 0, imported = 0;
	unsigned long long access = 99;
	CHECK(cudaFree(0));
	CUmemAllocationProp prop = {}, wrong = {}, got = {};
	prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	CALL(cuMemGetAllocationGranularity(&grain, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	CALL(cuMemGetAllocationGranularity(&recommended, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
	say("granularity", "%zu %zu", grain, recommended);
	AS("granularity of nothing", cuMemGetAllocationGranularity(&grain, &wrong, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	AS("granularity to nowhere", cuMemGetAllocationGranularity(NULL, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	grain = 2 << 20;

	AS("create a part", cuMemCreate(&a, grain / 2, &prop, 0));
	AS("create nothing", cuMemCreate(&a, 0, &prop, 0));
	AS("create without a kind", cuMemCreate(&a, grain, &wrong, 0));
	AS("create with flags", cuMemCreate(&a, grain, &prop, 1));
	wrong = prop;
	wrong.location.id = 999;
	AS("create on no device", cuMemCreate(&a, grain, &wrong, 0));
	AS("create too much", cuMemCreate(&a, (size_t)1 << 45, &prop, 0));
	AS("create", cuMemCreate(&a, 2 * grain, &prop, 0));
	AS("create another", cuMemCreate(&b, grain, &prop, 0));
	AS("properties", cuMemGetAllocationPropertiesFromHandle(&got, a));
	say("properties told", "%d %d %d", got.type, got.location.type, got.location.id);

	AS("reserve a part", cuMemAddressReserve(&odd, grain / 2, 0, 0, 0));
	AS("reserve nothing", cuMemAddressReserve(&odd, 0, 0, 0, 0));
	AS("reserve at 3", cuMemAddressReserve(&odd, grain, 3, 0, 0));
	AS("reserve", cuMemAddressReserve(&range, 8 * grain, 0, 0, 0));
	say("at whole grains", "%d", range % grain == 0);
	AS("reserve more aligned", cuMemAddressReserve(&other, 2 * grain, 8 * grain, 0, 0));
	say("more aligned", "%d", other % (8 * grain) == 0);

	AS("map unaligned", cuMemMap(range + 4096, grain, 0, a, 0));
	AS("map a part", cuMemMap(range, grain / 2, 0, a, 0));
	AS("map beyond the memory", cuMemMap(range, 4 * grain, 0, a, 0));
	AS("map where nothing is reserved", cuMemMap(range + 1024 * grain, grain, 0, a, 0));
	AS("map no memory", cuMemMap(range, grain, 0, 0, 0));
	AS("map with flags", cuMemMap(range, grain, 0, a, 1));
	AS("map from within a grain", cuMemMap(range, grain, 4096, a, 0));
	AS("map", cuMemMap(range, 2 * grain, 0, a, 0));
	AS("map over it", cuMemMap(range + grain, grain, 0, b, 0));
	AS("map behind", cuMemMap(range + 2 * grain, grain, 0, b, 0));
	AS("access not given", cuMemGetAccess(&access, &prop.location, range));
	say("access before", "%llu", access);

	CUmemAccessDesc desc = {};
	desc.location = prop.location;
	desc.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	AS("give access to nothing", cuMemSetAccess(range + 4 * grain, grain, &desc, 1));
	AS("give access to a part", cuMemSetAccess(range, grain, &desc, 1));
	AS("give access without a word", cuMemSetAccess(range, 2 * grain, NULL, 1));
	AS("give access", cuMemSetAccess(range, 3 * grain, &desc, 1));
	AS("access given", cuMemGetAccess(&access, &prop.location, range));
	say("access after", "%llu", access);

	fill<<<16, 256>>>((unsigned *)range, 1, 3 * grain / 4);
	CHECK(cudaDeviceSynchronize());
	say("two as one", "%llu", sum_of(range, 3 * grain));

	/* The same memory in a second place. */
	AS("map from an offset", cuMemMap(other, grain, grain, a, 0));
	AS("map again", cuMemMap(other, grain, 0, b, 0));
	AS("access again", cuMemSetAccess(other, grain, &desc, 1));
	say("the same memory", "%d", sum_of(other, grain) == sum_of(range + 2 * grain, grain));
	fill<<<16, 256>>>((unsigned *)other, 7, grain / 4);
	CHECK(cudaDeviceSynchronize());
	say("written there", "%d", sum_of(other, grain) == sum_of(range + 2 * grain, grain));
	std::vector<unsigned> host(3 * grain / 4);
	CHECK(cudaMemcpy(host.data(), (void *)range, 3 * grain, cudaMemcpyDeviceToHost));
	say("copied across", "%u %u %u %u", host[0], host[grain / 4], host[2 * grain / 4], host.back());
	CHECK(cudaMemset((void *)(range + grain), 0, 2 * grain));
	say("set across", "%llu", sum_of(range + grain, 2 * grain));
	CHECK(cudaMemset((void *)range, 1, grain));
	cudaPointerAttributes about;
	CHECK(cudaPointerGetAttributes(&about, (void *)range));
	say("what it is", "%d %d", about.type, about.device);
	AS("cudaFree", cudaFree((void *)range));
	cudaGetLastError();

	AS("handle of an address", cuMemRetainAllocationHandle(&again, (void *)(range + grain)));
	say("the same handle", "%d", again == a);
	AS("release it", cuMemRelease(again));
	AS("handle of no address", cuMemRetainAllocationHandle(&again, (void *)(range + 5 * grain)));

	int fd = -1;
	AS("export", cuMemExportToShareableHandle(&fd, a, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	AS("import", cuMemImportFromShareableHandle(&imported, (void *)(uintptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	close(fd);
	AS("map what was imported", cuMemMap(range + 4 * grain, 2 * grain, 0, imported, 0));
	AS("its access", cuMemSetAccess(range + 4 * grain, 2 * grain, &desc, 1));
	say("is the same", "%d", sum_of(range + 4 * grain, 2 * grain) == sum_of(range, 2 * grain));
	AS("release what was imported", cuMemRelease(imported));

	AS("release a mapped one", cuMemRelease(a));
	say("it stays", "%llu", sum_of(range, grain));
	AS("unmap a part", cuMemUnmap(range, grain));
	AS("free a mapped range", cuMemAddressFree(range, 8 * grain));
	AS("unmap", cuMemUnmap(range, 3 * grain));
	AS("unmap nothing", cuMemUnmap(range, 3 * grain));
	AS("unmap the others", cuMemUnmap(range + 4 * grain, 2 * grain));
	AS("unmap the last", cuMemUnmap(other, grain));
	AS("release the other", cuMemRelease(b));
	AS("unmap where nothing is reserved", cuMemUnmap(range + 1024 * grain, grain));
	AS("free a part", cuMemAddressFree(range, grain));
	AS("free", cuMemAddressFree(range, 8 * grain));
	AS("free twice", cuMemAddressFree(range, 8 * grain));
	AS("free the other range", cuMemAddressFree(other, 2 * grain));
	return 0;
}
