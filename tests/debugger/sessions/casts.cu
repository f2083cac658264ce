// SPDX-License-Identifier: Apache-2.0
// Memory that is watched through a cast: global, shared and local.
struct Pair {
	float a, b;
};

__global__ void casts(Pair *p)
{
	__shared__ int tile[4];
	int t = threadIdx.x, own = 7;
	tile[t] = t;
	own += t;
	p[t].b = own;
	tile[t] += 10;
	p[t].a = tile[t];
}

int main()
{
	Pair *p;
	cudaMalloc(&p, 4 * sizeof *p);
	cudaMemset(p, 0, 4 * sizeof *p);
	casts<<<1, 4>>>(p);
	return cudaDeviceSynchronize() != cudaSuccess;
}
