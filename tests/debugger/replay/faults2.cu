#include <cstdio> // SPDX-License-Identifier: Apache-2.0
#include <cassert>
#include <cstring>
__global__ void asserts(int *o) { assert(threadIdx.x != 3); o[threadIdx.x] = 1; }
__global__ void oob(int *o) { o[threadIdx.x + (1ull << 34)] = 1; }
__global__ void null(int *o) { if (threadIdx.x == 2) *(volatile int *)0 = 1; o[threadIdx.x] = 1; }
__global__ void brk(int *o) { o[threadIdx.x] = 1; if (threadIdx.x == 5) __brkpt(); o[threadIdx.x] = 2; }
__device__ int deep(int n, volatile int *p) { volatile int a[256]; a[n & 255] = n; return n ? deep(n + 1, p) + a[(n + 1) & 255] : *p; }
__global__ void overflow(int *o) { o[threadIdx.x] = deep(1, o); }
__global__ void sharedfar(int *o) { extern __shared__ int s[]; s[threadIdx.x + 100000] = 1; o[0] = s[0]; }
__global__ void illegalinst(int *o) { asm volatile("trap;"); }
int main(int argc, char **argv) {
  int *a; cudaMalloc(&a, 256); const char *w = argv[1];
  if (!strcmp(w, "assert")) asserts<<<1, 32>>>(a);
  if (!strcmp(w, "oob")) oob<<<2, 32>>>(a);
  if (!strcmp(w, "null")) null<<<1, 32>>>(a);
  if (!strcmp(w, "brk")) brk<<<1, 32>>>(a);
  if (!strcmp(w, "overflow")) overflow<<<1, 32>>>(a);
  if (!strcmp(w, "sharedfar")) sharedfar<<<1, 32, 64>>>(a);
  if (!strcmp(w, "launch")) oob<<<1, 2048>>>(a);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
