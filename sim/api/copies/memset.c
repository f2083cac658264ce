/* SPDX-License-Identifier: Apache-2.0 */
/* memset.c - like a GPU's, a memset of device memory returns before it is done
 * even without Async; of other memory it does not. */
#include "api.h"
#include "copy_submit.h"
#include "memory.h"

static cudaError_t set(struct cudasim_copy what, int value, cudaStream_t stream, bool async)
{
	struct allocation a;
	what.kind = CUDASIM_SET;
	what.value = (unsigned char)value;
	what.direction = cudaMemcpyDeviceToDevice;
	cudaError_t error = set_check(&what);
	if (error)
		return error;
	bool later = memory_lookup(what.to, &a) && a.kind == CUDASIM_MEMORY_DEVICE;
	return copy_submit(stream, &what, async || later);
}

static cudaError_t set3d(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
			 cudaStream_t stream, bool async)
{
	if (extent.depth > 1 && extent.height > to.ysize)
		return cudaErrorInvalidValue;
	struct cudasim_copy what = copy_2d(to.ptr, to.pitch, NULL, 0, extent.width, extent.height);
	what.depth = extent.depth;
	what.to_slice = to.pitch * to.ysize;
	return set(what, value, stream, async);
}

cudaError_t cudaMemset(void *to, int value, size_t count)
{
	API_BEGIN_CONTEXT;
	return API_END(set(copy_1d(to, NULL, count), value, 0, false));
}

API_EXPORT cudaError_t cudaMemset_ptds(void *to, int value, size_t count);
cudaError_t cudaMemset_ptds(void *to, int value, size_t count)
{
	API_BEGIN_CONTEXT;
	return API_END(set(copy_1d(to, NULL, count), value, cudaStreamPerThread, false));
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t count, cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	return API_END(set(copy_1d(to, NULL, count), value, stream, true));
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
	API_BEGIN_CONTEXT;
	return API_END(set(copy_2d(to, pitch, NULL, 0, width, height), value, 0, false));
}

API_EXPORT cudaError_t cudaMemset2D_ptds(void *to, size_t pitch, int value, size_t width,
					 size_t height);
cudaError_t cudaMemset2D_ptds(void *to, size_t pitch, int value, size_t width, size_t height)
{
	API_BEGIN_CONTEXT;
	return API_END(
		set(copy_2d(to, pitch, NULL, 0, width, height), value, cudaStreamPerThread, false));
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
			      cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	return API_END(set(copy_2d(to, pitch, NULL, 0, width, height), value, stream, true));
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
	API_BEGIN_CONTEXT;
	return API_END(set3d(to, value, extent, 0, false));
}

API_EXPORT cudaError_t cudaMemset3D_ptds(struct cudaPitchedPtr to, int value,
					 struct cudaExtent extent);
cudaError_t cudaMemset3D_ptds(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
	API_BEGIN_CONTEXT;
	return API_END(set3d(to, value, extent, cudaStreamPerThread, false));
}

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr to, int value, struct cudaExtent extent,
			      cudaStream_t stream)
{
	API_BEGIN_CONTEXT;
	return API_END(set3d(to, value, extent, stream, true));
}
