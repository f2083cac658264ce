/* SPDX-License-Identifier: Apache-2.0 */
/* printf in kernels: formats, what it returns, its order within a thread, when it
 * is flushed. One thread prints, except where order cannot matter. */
#include "case.cuh"

__global__ void formats(const char *text)
{
	printf("integers: %d %i %5d|%-5d|%05d|%+d|% d\n", -7, 8, 42, 42, 42, 42, 42);
	printf("unsigned: %u %o %x %X %#x %#o\n", 4000000000u, 8, 255, 255, 255, 8);
	printf("long: %ld %lu %lx %lld %llu %llx\n", -1L, 1ul << 40, 0xabcdefL, -(1ll << 50), ~0ull, 0x123456789abcdefull);
	printf("short: %hd %hu\n", (short)-3, (unsigned short)65535);
	printf("float: %f %.3f %10.2f|%-10.2f|%e %E %g %G\n", 3.14159, 2.0f / 3, -1.5, -1.5, 12345.678, 0.00012, 1e10, 1e-10);
	printf("float, more: %a %.0f %#.0f %+.1e %010.3f\n", 1.5, 2.5, 3.0, -123.456, 3.14159);
	printf("odd reals: %f %f %f %e\n", __int_as_float(0x7f800000), -__int_as_float(0x7f800000),
	       __int_as_float(0x7fffffff), 1e300);
	printf("characters: %c%c%c|%5c|%-3c|\n", 'a', 'b', 'c', 'd', 'e');
	printf("strings: %s|%10s|%-10s|%.3s|%s\n", "word", "right", "left", "truncated", text);
	printf("star: %*d|%-*d|\n", 6, 42, 6, 42);
	printf("percent: 100%%\n");
	printf("size, which is not known there: %zu\n", sizeof(int));
	printf("null pointer: %p\n", (void *)nullptr);
	printf("pointer: %p\n", (void *)0x1234abcd);
	printf("nothing\n");
	printf("no newline");
	printf("... and its end\n");
}

struct pair {
	int a;
	double b;
};

__global__ void mixed(pair p, char c, float f, long long l)
{
	printf("mixed: %d %f %c %f %lld %d %s\n", p.a, p.b, c, f, l, (int)sizeof(pair), "end");
	printf("many: %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
	       12, 13, 14, 15, 16, 17, 18, 19, 20);
}

__global__ void returned(int *out)
{
	out[0] = printf("returned: two arguments %d %d\n", 1, 2);
	out[1] = printf("returned, none: text only\n");
	out[2] = printf("");
}

__global__ void in_order(int n)
{
	for (int i = 0; i < n; i++)
		printf("in order %d: %d\n", i, i * i);
}

__global__ void divergent()
{
	if (threadIdx.x == 3)
		printf("lane 3: odd\n");
	else if (threadIdx.x == 8)
		printf("lane 8: even\n");
}

__device__ __noinline__ void print_from_a_function(const char *format, int value)
{
	printf("from a function: ");
	printf("%d\n", value);
	printf("format in a variable: ");
	printf(format, value);
}

__global__ void functions()
{
	print_from_a_function("<%d>\n", 17);
}

int main()
{
	memory<char> text(std::vector<char>{'d', 'e', 'v', 'i', 'c', 'e', 0});
	formats<<<1, 1>>>(text.there);
	CHECK(cudaDeviceSynchronize());
	mixed<<<1, 1>>>(pair{5, 2.5}, 'x', 1.25f, 1ll << 40);
	CHECK(cudaDeviceSynchronize());
	memory<int> out(3);
	returned<<<1, 1>>>(out.there);
	CHECK(cudaDeviceSynchronize());
	std::vector<int> v = out.fetch();
	say("returned values", "%d %d %d", v[0], v[1], v[2]);
	in_order<<<1, 1>>>(5);
	CHECK(cudaStreamSynchronize(0));
	divergent<<<1, 32>>>();
	functions<<<1, 1>>>();
	CHECK(cudaDeviceSynchronize());

	/* Flushed by a copy, before the host goes on. */
	in_order<<<1, 1>>>(1);
	cudaEvent_t event;
	CHECK(cudaEventCreate(&event));
	CHECK(cudaEventRecord(event));
	CHECK(cudaEventSynchronize(event));
	out.fetch();
	say("after an event", "host");

	size_t size;
	CHECK(cudaDeviceGetLimit(&size, cudaLimitPrintfFifoSize));
	say("buffer size", "%zu", size);
	return 0;
}
