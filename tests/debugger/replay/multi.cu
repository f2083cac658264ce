#include <cstdio> // SPDX-License-Identifier: Apache-2.0
__device__ int seen;
__global__ void many(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i * 2;
  if (threadIdx.x >= 48) v += 5;
  else v -= 1;
  for (int k = 0; k < 2; k++) {
    v += k;
    atomicAdd(&seen, 1);
  }
  __syncthreads();
  v = v + p[i % 4];
  p[i] = v;
}
int main() { int *d; cudaMalloc(&d, 4096); cudaMemset(d, 0, 4096); many<<<3, 64>>>(d, 192); many<<<1, 32>>>(d, 32); cudaDeviceSynchronize(); printf("done\n"); }
