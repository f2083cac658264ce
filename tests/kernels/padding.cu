// SPDX-License-Identifier: Apache-2.0
// What shows beside the bit fields of a local structure that is copied to memory as a
// whole: bits that the program leaves open, and nvcc makes zeros. Recorded on an H200.
#include <cstdio>

typedef unsigned long long u64;

struct pair_of_fields { // 49 of 64 bits
	u64 a : 40;
	unsigned b : 9;
	u64 c;
};

struct alignas(16) three_fields { // 45 of 64 bits
	unsigned a : 3;
	u64 b : 37;
	int c : 5;
	u64 d;
};

__device__ __noinline__ three_fields make(u64 x)
{
	three_fields s;
	s.a = x;
	s.b = x >> 3;
	s.c = x >> 9;
	s.d = x * 5;
	return s;
}

__global__ void fields(pair_of_fields *to, u64 x)
{
	pair_of_fields s;
	s.a = x;
	s.b = x >> 7;
	s.c = ~x;
	*to = s;
}

__global__ void aligned(three_fields *to, u64 x)
{
	three_fields s;
	s.a = x;
	s.b = x >> 3;
	s.c = x >> 9;
	s.d = x * 5;
	*to = s;
}

__global__ void returned(three_fields *to, u64 x)
{
	*to = make(x);
}

__global__ void listed(three_fields *to, u64 x)
{
	three_fields s{(unsigned)x, x >> 3};
	*to = s;
}

__global__ void in_loop(pair_of_fields *to, u64 x)
{
	for (int i = 0; i < 3; i++) {
		pair_of_fields s;
		s.a = x + i;
		s.b = i;
		s.c = 7;
		*to = s;
	}
}

template <class T> void run(const char *name, void (*kernel)(T *, u64))
{
	unsigned char bytes[sizeof(T)];
	T *there;
	cudaMalloc(&there, sizeof(T));
	cudaMemset(there, 0xa5, sizeof(T));
	kernel<<<1, 1>>>(there, 0xfedcba9876543210ull);
	cudaError_t error = cudaMemcpy(bytes, there, sizeof bytes, cudaMemcpyDeviceToHost);
	printf("%s: %d ", name, error);
	for (unsigned char byte : bytes)
		printf("%02x", byte);
	puts("");
}

int main()
{
	run("fields", fields);
	run("aligned", aligned);
	run("returned", returned);
	run("listed", listed);
	run("in_loop", in_loop);
}
