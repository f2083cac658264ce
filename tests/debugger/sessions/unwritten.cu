/* SPDX-License-Identifier: Apache-2.0 */
/* Local variables before anybody has written them. */
#include <cstdio>

struct particle {
	float x, y;
	char kind;
	int tags[2];
};

__device__ __noinline__ void fill(int &to) { to = 5; }

__global__ void look(int *out, int n)
{
	int sum;
	float many[12];
	particle p;
	char text[4];
	sum = n;
	many[2] = 1.5f;
	p.x = 2;
	p.tags[1] = 7;
	for (int i = 0; i < 2; i++) {
		int turn;
		fill(turn);
		sum += turn;
	}
	text[0] = 'a';
	out[threadIdx.x] = sum + (int)many[2] + (int)p.x + p.tags[1] + text[0];
}

int main()
{
	int *d;
	cudaMalloc(&d, 128);
	look<<<1, 2>>>(d, 3);
	return cudaDeviceSynchronize();
}
