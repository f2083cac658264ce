/* SPDX-License-Identifier: Apache-2.0 */
cudaTextureObject_t make_texture(cudaArray_t array)
{
	cudaResourceDesc resource = {};
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	cudaTextureDesc description = {};
	description.addressMode[0] = cudaAddressModeClamp;
	description.addressMode[1] = cudaAddressModeClamp;
	description.filterMode = cudaFilterModeLinear;
	description.readMode = cudaReadModeElementType;
	description.normalizedCoords = 0;
	cudaTextureObject_t ret = 0;
	cudaCreateTextureObject(&ret, &resource, &description, nullptr);
	return ret;
}

__global__ void magnify(cudaTextureObject_t image, float *out, int width, int height, int factor)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < width && y < height)
		out[y * width + x] = tex2D<float>(image, (x + 0.5f) / factor, (y + 0.5f) / factor);
}
