/* SPDX-License-Identifier: Apache-2.0 */
/* Exercise 11, textures: reading between the pixels.
 *
 * A texture object reads an array with hardware that interpolates: the linear filter returns the
 * mean of the pixels around a place, weighted by their distance. The centre of pixel (0, 0) is at
 * (0.5, 0.5), of pixel (3, 1) at (3.5, 1.5). The address mode says what is read outside. */

/* A texture of the array: coordinates in pixels, values as they are stored, linear filter; outside,
 * the nearest pixel of the edge. */
cudaTextureObject_t make_texture(cudaArray_t array)
{
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	cudaTextureDesc description = {};
	description.addressMode[0] = cudaAddressModeBorder; /* TODO */
	description.addressMode[1] = cudaAddressModeBorder; /* TODO */
	description.filterMode = cudaFilterModePoint;       /* TODO */
	description.readMode = cudaReadModeElementType;
	description.normalizedCoords = 0;
	cudaTextureObject_t ret = 0;
	cudaCreateTextureObject(&ret, &resource, &description, nullptr);
	return ret;
}

/* An image factor times as wide and as high: out has width x height pixels, and each takes the
 * texture's value at its own centre's place in the small image. */
__global__ void magnify(cudaTextureObject_t image, float *out, int width, int height, int factor)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < width && y < height)
		out[y * width + x] = tex2D<float>(image, x, y); /* TODO: the centre's place */
}
