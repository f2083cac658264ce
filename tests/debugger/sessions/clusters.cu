// Two clusters of two blocks each that meet at their barrier.
#include <cstdio>
__global__ void __cluster_dims__(2, 1, 1) pairs(int *out) {
  int t = threadIdx.x;
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("barrier.cluster.arrive;\n barrier.cluster.wait;");
  out[blockIdx.x * blockDim.x + t] = rank;
}
int main() {
  int *out, back[128];
  cudaMalloc(&out, sizeof back);
  pairs<<<4, 32>>>(out);
  cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
  printf("%d %d %d %d\n", back[0], back[32], back[64], back[96]);
}
