// SPDX-License-Identifier: Apache-2.0
// Objects with virtual functions: own, inherited, overridden, of a second base.
#include <cstdio>
struct Animal {
  __device__ virtual int legs() const { return 4; }
  __device__ virtual int age() const { return 1; }
};
struct Winged {
  __device__ virtual int wings() const { return 2; }
};
struct Bird : Animal, Winged {
  __device__ int legs() const override { return 2; }
};
__device__ int sum(const Animal &animal, const Winged &winged, int plain) {
  return animal.legs() + animal.age() + winged.wings() + plain;
}
__global__ void fly(int *out) {
  Bird bird;
  *out = sum(bird, bird, 3);
}
int main() {
  int *d, sum = 0;
  cudaMalloc(&d, 4);
  fly<<<1, 1>>>(d);
  cudaMemcpy(&sum, d, 4, cudaMemcpyDefault);
  printf("%d\n", sum);
}
