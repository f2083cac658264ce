/* SPDX-License-Identifier: Apache-2.0 */
__global__ void scale(int *values, int n, int factor)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		values[i] *= factor;
}

__global__ void brighten(int *pixels, int width, int height, int pitch, int amount)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x;
	int y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < width && y < height)
		pixels[y * pitch + x] += amount;
}
