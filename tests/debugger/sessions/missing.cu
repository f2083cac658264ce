// SPDX-License-Identifier: Apache-2.0
// A cuda::barrier that half of the threads have not come to.
#include <cuda/barrier>

__global__ void meets(int *out)
{
	#pragma nv_diag_suppress static_var_with_dynamic_init
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	int t = threadIdx.x;
	if (t == 0)
		init(&bar, blockDim.x);
	__syncthreads();
	if (t >= 32)
		out[t] = 1;
	bar.arrive_and_wait();
	out[t] = 2;
}

int main()
{
	int *out;
	cudaMalloc(&out, 64 * sizeof *out);
	meets<<<1, 64>>>(out);
	cudaDeviceSynchronize();
	cudaFree(out);
	return 0;
}
