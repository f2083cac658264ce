/* SPDX-License-Identifier: Apache-2.0 */
/* What CUDA's calls make of __managed__ variables. */
#include "case.cuh"

__managed__ int numbers[100] = {3};
__managed__ struct {
	double d;
	char c[5];
} record = {2.5, "four"};
static __managed__ long long alone;
__device__ int plain;

__global__ void use()
{
	numbers[1] = numbers[0] + 1;
	record.d *= 2;
	alone++;
	plain = 1;
}

static const char *answer(cudaError_t error)
{
	cudaGetLastError();
	return cudaGetErrorName(error);
}

static void attributes(const char *name, const void *p)
{
	cudaPointerAttributes a;
	cudaError_t error = cudaPointerGetAttributes(&a, p);
	say(name, "%s, type %d, device %d, %d %d", answer(error), a.type, a.device, a.devicePointer == p,
	    a.hostPointer == p);
}

int main()
{
	cudaMemLocation device = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
	attributes("before any kernel", numbers);
	use<<<1, 1>>>();
	CHECK(cudaDeviceSynchronize());
	say("values", "%d %g %lld", numbers[1], record.d, alone);
	attributes("the first element", numbers);
	attributes("another element", &numbers[57]);
	attributes("a structure's part", &record.c[2]);
	attributes("an internal one", &alone);
	void *p;
	CHECK(cudaGetSymbolAddress(&p, plain));
	attributes("a __device__ variable", p);
	CHECK(cudaGetSymbolAddress(&p, numbers));
	say("symbol", "%d", p == numbers);
	say("prefetch", "%s %s", answer(cudaMemPrefetchAsync(numbers, sizeof numbers, device, 0, 0)),
	    answer(cudaMemPrefetchAsync(numbers, sizeof numbers, host, 0, 0)));
	say("advice", "%s %s", answer(cudaMemAdvise(numbers, sizeof numbers, cudaMemAdviseSetReadMostly, device)),
	    answer(cudaMemAdvise(numbers, sizeof numbers, cudaMemAdviseUnsetReadMostly, device)));
	say("freed", "%s %s %s", answer(cudaFree(numbers)), answer(cudaFreeHost(numbers)),
	    answer(cudaHostUnregister(numbers)));
	use<<<1, 1>>>();
	CHECK(cudaDeviceSynchronize());
	say("values again", "%d %g %lld", numbers[1], record.d, alone);
}
