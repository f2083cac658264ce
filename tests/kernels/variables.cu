/* SPDX-License-Identifier: Apache-2.0 */
/* __device__, __constant__ and __managed__ variables and the symbol calls. */
#include "case.cuh"

__device__ int number = 42;
__device__ int zeroed;
__device__ float array[8] = {1, 2, 3, 4};
__device__ struct {
	char c;
	double d;
	int v[3];
} record = {'x', 2.5, {1, 2, 3}};
__constant__ int fixed[4] = {10, 20, 30, 40};
__constant__ float scale;
__constant__ double *where;
__managed__ int shared_with_host = 5;
__managed__ double managed_array[4] = {0.5, 1.5};
__device__ const int read_only[3] = {7, 8, 9};
static __device__ int internal = 3;
namespace space {
__device__ long long named = -1;
}
__device__ int *pointer_to_other = &number;
__device__ float *pointer_into = &array[2];
__device__ const char *text = "text on the device";
__constant__ char constant_text[] = "constant";
template <typename T> __device__ T per_type = T(1.5);
constexpr int shared_constant = 77;
static const float host_constant = 2.5f;

__global__ void read(int *out)
{
	out[0] = number;
	out[1] = zeroed;
	out[2] = (int)(array[0] + 10 * array[3] + 100 * array[7]);
	out[3] = record.c;
	out[4] = (int)(record.d * 2);
	out[5] = record.v[2];
	out[6] = fixed[0] + fixed[3];
	out[7] = (int)scale;
	out[8] = shared_with_host;
	out[9] = (int)(managed_array[1] * 2);
	out[10] = read_only[threadIdx.x + 1];
	out[11] = internal;
	out[12] = (int)space::named;
	out[13] = *pointer_to_other;
	out[14] = (int)*pointer_into;
	out[15] = text[3] + constant_text[2];
	out[16] = per_type<int> + 10 * (int)(per_type<double> * 2);
	out[17] = shared_constant + (int)(2 * host_constant);
}

__global__ void write()
{
	number += 1;
	zeroed = 9;
	array[7] = 5;
	record.v[2] = 33;
	shared_with_host *= 2;
	managed_array[3] = 9.5;
	internal++;
	per_type<int>++;
	pointer_to_other = &zeroed;
}

__global__ void through_constant(double *out)
{
	out[threadIdx.x] = where[threadIdx.x] * scale;
}

/* String literals lie in global memory, from where the host may copy them. */
__device__ const char *const word_table[] = {"none", "one", "two"};

__global__ void literals(const char **out, int i)
{
	out[0] = "a literal";
	out[1] = word_table[i];
	out[2] = i > 1 ? "many" : "few";
}

static void copy_literals()
{
	memory<const char *> out(3);
	literals<<<1, 1>>>(out.there, 2);
	const char *p[3] = {};
	CHECK(cudaMemcpy(p, out.there, sizeof p, cudaMemcpyDeviceToHost));
	char text[3][16] = {};
	CHECK(cudaMemcpy(text[0], p[0], sizeof "a literal", cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(text[1], p[1], sizeof "two", cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(text[2], p[2], sizeof "many", cudaMemcpyDefault));
	say("literals", "%s, %s, %s", text[0], text[1], text[2]);
	cudaPointerAttributes attributes;
	CHECK(cudaPointerGetAttributes(&attributes, p[0]));
	say("attributes of a literal", "%d %d", attributes.type, attributes.device);
}

int main()
{
	run("initial", 18, 1, 1, read);
	write<<<1, 1>>>();
	CHECK(cudaDeviceSynchronize());
	run("after writing", 18, 1, 1, read);
	say("managed, on the host", "%d %g", shared_with_host, managed_array[3]);
	shared_with_host = 1234;
	managed_array[1] = 50;

	int value = 1000;
	CHECK(cudaMemcpyToSymbol(number, &value, sizeof value));
	float one = 2.75f;
	CHECK(cudaMemcpyToSymbol(scale, &one, sizeof one));
	int part[2] = {-3, -4};
	CHECK(cudaMemcpyToSymbol(fixed, part, sizeof part, 2 * sizeof(int)));
	float element = 6;
	CHECK(cudaMemcpyToSymbolAsync(array, &element, sizeof element, 4 * 3, cudaMemcpyHostToDevice, 0));
	run("after copies to symbols", 18, 1, 1, read);

	int back[4];
	CHECK(cudaMemcpyFromSymbol(back, fixed, sizeof back));
	show("from a symbol", back, 4);
	float some[3];
	CHECK(cudaMemcpyFromSymbol(some, array, sizeof some, 4));
	show("from a symbol with an offset", some, 3);

	void *address;
	CHECK(cudaGetSymbolAddress(&address, record));
	struct {
		char c;
		double d;
		int v[3];
	} copy;
	CHECK(cudaMemcpy(&copy, address, sizeof copy, cudaMemcpyDeviceToHost));
	say("through the address", "%c %g %d", copy.c, copy.d, copy.v[2]);
	size_t size;
	CHECK(cudaGetSymbolSize(&size, record));
	say("size of a record", "%zu", size);
	CHECK(cudaGetSymbolSize(&size, fixed));
	say("size of an array", "%zu", size);
	cudaPointerAttributes attributes;
	CHECK(cudaPointerGetAttributes(&attributes, address));
	say("attributes of a symbol", "%d %d", attributes.type, attributes.device);
	CHECK(cudaPointerGetAttributes(&attributes, &shared_with_host));
	say("attributes of a managed variable", "%d", attributes.type);

	memory<double> values(std::vector<double>{1, 2, 3, 4});
	double *p = values.there;
	CHECK(cudaMemcpyToSymbol(where, &p, sizeof p));
	run("pointer in constant memory", 4, 1, 4, through_constant);

	copy_literals();

	say("too many bytes", "%s", cudaGetErrorName(cudaMemcpyToSymbol(scale, back, sizeof back)));
	say("offset too large", "%s", cudaGetErrorName(cudaMemcpyFromSymbol(back, fixed, 4, 16)));
	int not_a_symbol;
	say("no symbol", "%s", cudaGetErrorName(cudaMemcpyToSymbol(&not_a_symbol, back, 4)));
	say("last error", "%s", cudaGetErrorName(cudaGetLastError()));
	return 0;
}
