/* SPDX-License-Identifier: Apache-2.0 */
/* What looking.session and stack.session look at: two blocks of 4 x 2 threads. */
#include <cstdio>

struct Point {
	float x, y;
};
struct Item {
	int id;
	Point at;
	short tags[3];
};

__device__ int total = 7;
__constant__ float scale[2] = {0.5f, 4.0f};

__device__ int deep(int n, const Item &item)
{
	int twice = 2 * n;
	if (n == 0)
		return item.id;
	return twice + deep(n - 1, item);
}

__global__ void look(Item *items, int n)
{
	__shared__ int counts[8];
	int t = threadIdx.x + blockDim.x * threadIdx.y;
	int i = blockIdx.x * 8 + t;
	Item mine = items[i];
	float v = mine.at.x * scale[1], w = t == 6 ? __int_as_float(0x7fffffff) : v;
	char text[] = "ab\tc";
	unsigned char byte = 200;
	bool odd = i % 2 == 1;
	counts[t] = i == 11 ? -1 : 3;
	__syncthreads();
	int sum = deep(2, mine);
	{
		int i = 50;
		sum += i;
	}
	atomicAdd(&total, sum);
	if (text[0] == 'x' || byte == 1)
		items[i].id = (int)w;
}

int main()
{
	Item host[16];
	for (int i = 0; i < 16; i++)
		host[i] = {100 + i, {i * 0.25f, -1}, {1, 2, (short)i}};
	Item *items;
	cudaMalloc(&items, sizeof host);
	cudaMemcpy(items, host, sizeof host, cudaMemcpyHostToDevice);
	look<<<2, dim3(4, 2)>>>(items, 16);
	cudaDeviceSynchronize();
	printf("done\n");
	return 0;
}
