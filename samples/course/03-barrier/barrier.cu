/* SPDX-License-Identifier: Apache-2.0 */
/* Exercise 3, barrier: wait for each other.
 *
 * Threads of a block run in no particular order. __syncthreads() is a barrier: no thread of the
 * block goes on before all have come to it. What they wrote to shared memory before it can be read
 * by all of them after it. All threads of the block have to reach the barrier: it must not stand
 * where only some of them come by. */
#define BLOCK 128

/* Each block turns its BLOCK values by one place: thread t takes the value of thread t + 1, and the
 * last thread that of the first. In the last block there may be fewer values; it turns those. */
__global__ void turn(int *values, int n)
{
	__shared__ int row[BLOCK];
	int first = blockIdx.x * BLOCK, t = threadIdx.x;
	int here = min(n - first, BLOCK); /* values of this block */
	if (t < here)
		row[t] = values[first + t];
	/* TODO: one line is missing */
	if (t < here)
		values[first + t] = row[(t + 1) % here];
}

/* out[t] = in[t] - the sum of in[0] .. in[31], in one block. The first warp computes the sum, the
 * others wait for it.
 *
 * TODO: This kernel hangs. cudasim ends it and reports which threads wait where. Read the report,
 * then mend the kernel; it becomes shorter. */
__global__ void subtract_sum(const int *in, int *out)
{
	__shared__ int sum;
	__shared__ volatile bool done;
	if (threadIdx.x == 0) {
		sum = 0;
		done = false;
	}
	__syncthreads();
	if (threadIdx.x < 32) {
		if (threadIdx.x == 0)
			for (int i = 0; i < 32; i++)
				sum += in[i];
		__syncthreads();
		done = true;
	} else {
		while (!done)
			;
	}
	out[threadIdx.x] = in[threadIdx.x] - sum;
}
