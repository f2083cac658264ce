// SPDX-License-Identifier: Apache-2.0
// What pipeline.session looks at: variables in shared memory, static and dynamic, and mbarriers of
// several kinds in different states.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>

#include <cstdint>
#include <cstdio>

struct Queue {
	int head;
	uint64_t slots[3];
};

__device__ int add(int value)
{
	__shared__ int partial[4];
	partial[threadIdx.x % 4] = value;
	return partial[threadIdx.x % 4];
}

__global__ void work(int *out)
{
	extern __shared__ float window[];
	__shared__ char text[5];
	__shared__ Queue queue;
	#pragma nv_diag_suppress static_var_with_dynamic_init
	__shared__ cuda::barrier<cuda::thread_scope_block> bars[2];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	int lane = threadIdx.x;
	if (lane == 0) {
		init(&bars[0], 64);
		queue.head = 1;
		/* Of three arrivals and 96 bytes. */
		asm volatile("{ .reg .u32 a; .reg .u64 t; cvta.to.shared.u64 t, %0; cvt.u32.u64 a, t;\n"
			     "mbarrier.init.shared.b64 [a], 3;\n"
			     "mbarrier.expect_tx.relaxed.cta.shared.b64 [a], 96; }"
			     :: "l"(&queue.slots[1]) : "memory");
	}
	text[lane % 5] = 'a';
	window[lane] = lane;
	auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
	__syncthreads();
	if (lane >= 62)
		(void)bars[0].arrive();
	out[lane] = add(lane) + text[0] + queue.head + (int)window[lane];
	pipe.producer_acquire();
	pipe.producer_commit();
	if (lane < 2 || lane == 5)
		asm volatile("{ .reg .pred p; .reg .u32 a; .reg .u64 t; cvta.to.shared.u64 t, %0;\n"
			     "cvt.u32.u64 a, t;\n"
			     "wait: mbarrier.test_wait.parity.shared.b64 p, [a], 0;\n"
			     "@!p bra wait; }" :: "l"(&queue.slots[1]) : "memory");
	if (lane == 32)
		asm volatile("{ .reg .u32 a; .reg .u64 t; cvta.to.shared.u64 t, %0; cvt.u32.u64 a, t;\n"
			     "mbarrier.arrive.shared.b64 _, [a], 2;\n"
			     "mbarrier.complete_tx.relaxed.cta.shared.b64 [a], 64; }"
			     :: "l"(&queue.slots[1]) : "memory");
	if (lane == 32)
		asm volatile("{ .reg .u32 a; .reg .u64 t; cvta.to.shared.u64 t, %0; cvt.u32.u64 a, t;\n"
			     "mbarrier.complete_tx.relaxed.cta.shared.b64 [a], 32;\n"
			     "mbarrier.arrive.shared.b64 _, [a]; }"
			     :: "l"(&queue.slots[1]) : "memory");
	if (lane == 32)
		out[0]++;
}

int main()
{
	int *out;
	cudaMalloc(&out, 64 * sizeof *out);
	work<<<1, 64, 64 * sizeof(float)>>>(out);
	printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
	return 0;
}
