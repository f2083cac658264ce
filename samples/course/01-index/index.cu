/* SPDX-License-Identifier: Apache-2.0 */
/* Exercise 1, index: which element is mine?
 *
 * A kernel runs once for each thread of a grid. Threads differ in their indices only: threadIdx
 * within the block, blockIdx within the grid. A grid is a whole number of blocks, so it often has
 * more threads than there is work, and the threads that are left over must do nothing. */

/* Multiplies each of n values by factor. Each thread multiplies one value. */
__global__ void scale(int *values, int n, int factor)
{
	int i = threadIdx.x; /* TODO: the thread's number in the whole grid */
	/* TODO: nothing where there is no value */
	values[i] *= factor;
}

/* Adds amount to each pixel of an image. A row has width pixels, and the next row begins pitch
 * pixels after it: pixel (x, y) is pixels[y * pitch + x]. What lies between the end of a row and
 * the next one is not part of the image. Blocks and grid have two dimensions. */
__global__ void brighten(int *pixels, int width, int height, int pitch, int amount)
{
	/* TODO */
}
