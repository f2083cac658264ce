// A library with a kernel, opened while the program runs.
#include <cstdio>
__global__ void late(int *p, int n) {
  int i = threadIdx.x;
  p[i] = i * n;
}
extern "C" void go_late(int n) {
  int *d;
  cudaMalloc(&d, 4096);
  late<<<1, 64>>>(d, n);
  printf("late %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
