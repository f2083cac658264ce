/* SPDX-License-Identifier: Apache-2.0 */
/* What the two files of the program `pair` share: it is linked with -rdc=true. */
struct Cell {
	int id;
	float weight;
};
extern __device__ int calls;
extern __constant__ float factor;
__device__ float weigh(const Cell *cell, int times);
__global__ void ring(int *out);
