// Host and device code, templates, values returned: for running and breakpoints.
#include <cstdio>
#include <cstdlib>
__host__ __device__ int both(int x) {
  int y = x + 1;
  return y * 2;
}
struct P { int a; double b; };
__device__ P make(int v) {
  P p = {v, v * 0.5};
  return p;
}
__device__ float half_of(int v) {
  return v * 0.5f;
}
__device__ void put(int *o, int v) {
  *o = v;
}
template <typename T> __global__ void kern(T *o) {
  int i = threadIdx.x;
  P p = make(i);
  float f = half_of(i);
  put((int *)&o[i], p.a);
  o[i] = (T)(both(i) + (int)f + p.a);
}
static int add(int a, int b) {
  int c = a + b;
  return c;
}
int main(int argc, char **argv) {
  int sum = 0;
  for (int i = 0; i < 10; i++)
    sum = add(sum, both(i));
  int *d; float *f;
  cudaMalloc(&d, 4096); cudaMalloc(&f, 4096);
  kern<<<1, 32>>>(d);
  kern<<<1, 32>>>(f);
  cudaDeviceSynchronize();
  printf("%d %d\n", sum, argc);
  return argc > 1 ? atoi(argv[1]) : 0;
}
