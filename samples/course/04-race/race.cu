/* SPDX-License-Identifier: Apache-2.0 */
/* Exercise 4, race: who is first?
 *
 * Two threads race if they access the same memory, at least one of them writes, and nothing orders
 * the two accesses. A program with a race may print the right result for years. Mark this
 * exercise with the checker for races, which does not depend on luck:
 *
 *	cudasim test --check=racecheck samples/course/04-race
 */
#define MOST 256

/* Smooths n <= MOST values, steps times, in one block of n threads: each value becomes the sum of
 * itself and its left neighbour, halved; the first value stays.
 *
 * TODO: In a step some threads write before others have read. */
__global__ void smooth(int *values, int n, int steps)
{
	__shared__ int row[MOST];
	int t = threadIdx.x;
	row[t] = values[t];
	for (int s = 0; s < steps; s++) {
		__syncthreads();
		if (t > 0)
			row[t] = (row[t - 1] + row[t]) / 2;
	}
	values[t] = row[t];
}

/* to[i] = from[i + 1] for i < n - 1, and to[n - 1] = from[0]. */
__global__ void shift(const int *from, int *to, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		to[i] = from[(i + 1) % n];
}

/* Shifts n values in place. spare is device memory for n more.
 *
 * TODO: No barrier orders threads of two blocks. What the host submits to a stream, however, is
 * done one after the other. */
void shift_in_place(int *values, int *spare, int n)
{
	shift<<<(n + 127) / 128, 128>>>(values, values, n);
}
