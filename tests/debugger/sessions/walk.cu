// Stores whose values and order can be worked out by hand: for watchpoints.
#include <cstdio>
__device__ int total;
__device__ int *cursor;
struct Flags { unsigned a : 3, b : 5; int c; };
struct Pair { int x, y; };
__device__ int twice(int v) {
  int local = v;
  local *= 2;
  return local;
}
__global__ void walk(int *data) {
  __shared__ Pair pairs[32];
  __shared__ Flags flags;
  int i = threadIdx.x;
  pairs[i].x = 0;
  if (i == 0) { flags.a = 1; flags.b = 2; flags.c = 3; cursor = data; }
  int r = i;
  __syncthreads();
  for (int k = 0; k < 3; k++) {
    if (i == 7) flags.b = k;
    if (i == 5) cursor++;
    __syncthreads();
    if (i == 6) *cursor = k + 10;
    __syncthreads();
  }
  r += twice(i);
  pairs[i].x = r;
  if (i == 31) total += pairs[31].x;
}
int main() {
  int *d;
  cudaMalloc(&d, 4096);
  cudaMemset(d, 0, 4096);
  walk<<<1, 32>>>(d);
  walk<<<2, 32>>>(d);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 3;
}
