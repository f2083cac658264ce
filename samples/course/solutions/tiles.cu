/* SPDX-License-Identifier: Apache-2.0 */
#define RADIUS 3
#define BLOCK 64

__global__ void window_sum(const int *in, int *out, int n)
{
	__shared__ int tile[RADIUS + BLOCK + RADIUS];
	int i = blockIdx.x * BLOCK + threadIdx.x;
	int place = RADIUS + threadIdx.x;

	tile[place] = i < n ? in[i] : 0;
	if (threadIdx.x < RADIUS) {
		int left = i - RADIUS, right = i + BLOCK;
		tile[place - RADIUS] = left >= 0 ? in[left] : 0;
		tile[place + BLOCK] = right < n ? in[right] : 0;
	}
	__syncthreads();

	int sum = 0;
	for (int k = -RADIUS; k <= RADIUS; k++)
		sum += tile[place + k];
	if (i < n)
		out[i] = sum;
}
