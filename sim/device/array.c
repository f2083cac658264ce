/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"

#include <pthread.h>
#include <stdlib.h>

#include "device.h"
#include "memory.h"
#include "observer.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct array *arrays;
static struct mipmap *mipmaps;

unsigned format_bytes(const struct cudaChannelFormatDesc *f)
{
	const int bits[] = {f->x, f->y, f->z, f->w};
	unsigned n = 0;
	while (n < 4 && bits[n])
		n++;
	for (unsigned i = 0; i < 4; i++)
		if (bits[i] != (i < n ? f->x : 0))
			return 0;
	if (n == 0 || n == 3 || (f->x != 8 && f->x != 16 && f->x != 32))
		return 0;
	bool fits = f->f == cudaChannelFormatKindSigned || f->f == cudaChannelFormatKindUnsigned ||
		    (f->f == cudaChannelFormatKindFloat && f->x != 8);
	return fits ? n * (unsigned)f->x / 8 : 0;
}

/* ---- limits ------------------------------------------------------------------- */

/* Most texels in each direction: CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability"; depth of layered ones counts layers. */
struct limit {
	size_t width, height, depth;
};

static bool within(struct cudaExtent e, struct limit limit)
{
	return e.width <= limit.width && e.height <= limit.height && e.depth <= limit.depth;
}

static cudaError_t check_extent(struct cudaExtent e, unsigned flags)
{
	const bool layered = flags & cudaArrayLayered, cube = flags & cudaArrayCubemap;
	const bool gather = flags & cudaArrayTextureGather;
	if (!e.width)
		return cudaErrorInvalidValue;
	if (cube) {
		bool faces = layered ? e.depth && e.depth % 6 == 0 : e.depth == 6;
		bool fits = within(e, (struct limit){32768, 32768, 2046});
		return e.width == e.height && faces && fits && !gather ? cudaSuccess
								       : cudaErrorInvalidValue;
	}
	if (layered) {
		if (!e.depth || gather)
			return cudaErrorInvalidValue;
		return within(e, (struct limit){32768, 32768, 2048}) ? cudaSuccess
								     : cudaErrorInvalidValue;
	}
	if (!e.height)
		return !e.depth && !gather && e.width <= 131072 ? cudaSuccess
								: cudaErrorInvalidValue;
	if (!e.depth) {
		struct limit two = gather ? (struct limit){32768, 32768, 0}
					  : (struct limit){131072, 65536, 0};
		return within(e, two) ? cudaSuccess : cudaErrorInvalidValue;
	}
	return within(e, (struct limit){16384, 16384, 16384}) && !gather ? cudaSuccess
									 : cudaErrorInvalidValue;
}

static cudaError_t check(const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
			 unsigned flags)
{
	/* CUDA_ARRAY3D_VIDEO_ENCODE_DECODE of cuda.h, which the runtime has no name for. */
	const unsigned video = 0x100;
	const unsigned known = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
			       cudaArrayTextureGather | video;
	if (!format)
		return cudaErrorInvalidValue;
	if (!format_bytes(format))
		return cudaErrorInvalidChannelDescriptor;
	if (flags & ~known)
		return cudaErrorInvalidValue;
	return check_extent(extent, flags);
}

/* ---- making ------------------------------------------------------------------- */

static size_t at_least_one(size_t n)
{
	return n ? n : 1;
}

static void shape(struct array *a, const struct cudaChannelFormatDesc *format,
		  struct cudaExtent extent, unsigned flags)
{
	*a = (struct array){
		.format = *format,
		.extent = extent,
		.flags = flags,
		.texel = format_bytes(format),
		.width = extent.width,
		.height = at_least_one(extent.height),
		.depth = at_least_one(extent.depth),
		.device = (int)device_current()->ordinal,
	};
}

static size_t bytes_of(const struct array *a)
{
	return array_slice(a) * a->depth;
}

static cudaError_t allocate(size_t size, const char *function, void **ret)
{
	struct allocation what = {
		.kind = CUDASIM_MEMORY_DEVICE,
		.device = (int)device_current()->ordinal,
		.function = function,
	};
	return memory_alloc(&what, size, ret);
}

static void enlist(struct array *a)
{
	a->next = arrays;
	arrays = a;
}

cudaError_t array_new(const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
		      unsigned flags, const char *function, struct array **ret)
{
	cudaError_t error = check(format, extent, flags);
	if (error)
		return error;
	struct array *a = malloc(sizeof *a);
	if (!a)
		return cudaErrorMemoryAllocation;
	shape(a, format, extent, flags);
	void *base;
	error = allocate(bytes_of(a), function, &base);
	if (error) {
		free(a);
		return error;
	}
	a->base = base;
	pthread_mutex_lock(&lock);
	enlist(a);
	pthread_mutex_unlock(&lock);
	*ret = a;
	return cudaSuccess;
}

/* A level's extent: each direction halves, layers and faces do not. */
static struct cudaExtent level_extent(struct cudaExtent e, unsigned flags, unsigned level)
{
	const bool fixed = flags & (cudaArrayLayered | cudaArrayCubemap);
	e.width = at_least_one(e.width >> level);
	if (e.height)
		e.height = at_least_one(e.height >> level);
	if (e.depth && !fixed)
		e.depth = at_least_one(e.depth >> level);
	return e;
}

static unsigned most_levels(struct cudaExtent e, unsigned flags)
{
	size_t longest = e.width > e.height ? e.width : e.height;
	if (!(flags & (cudaArrayLayered | cudaArrayCubemap)) && e.depth > longest)
		longest = e.depth;
	unsigned n = 0;
	for (; longest; longest >>= 1)
		n++;
	return n;
}

static void mipmap_drop(struct mipmap *m)
{
	for (unsigned l = 0; m->levels && l < m->n_levels; l++)
		free(m->levels[l]);
	free(m->levels);
	free(m);
}

static struct mipmap *mipmap_shape(const struct cudaChannelFormatDesc *format,
				   struct cudaExtent extent, unsigned n_levels, unsigned flags)
{
	struct mipmap *m = calloc(1, sizeof *m);
	if (!m || !(m->levels = calloc(n_levels, sizeof *m->levels))) {
		free(m);
		return NULL;
	}
	m->n_levels = n_levels;
	for (unsigned l = 0; l < n_levels; l++) {
		m->levels[l] = malloc(sizeof **m->levels);
		if (!m->levels[l]) {
			mipmap_drop(m);
			return NULL;
		}
		shape(m->levels[l], format, level_extent(extent, flags, l), flags);
		m->levels[l]->mipmap = m;
	}
	return m;
}

/* Levels begin at multiples of this, in bytes. */
enum { LEVEL_ALIGN = 512 };

static size_t level_room(const struct array *a)
{
	return (bytes_of(a) + LEVEL_ALIGN - 1) / LEVEL_ALIGN * LEVEL_ALIGN;
}

cudaError_t mipmap_new(const struct cudaChannelFormatDesc *format, struct cudaExtent extent,
		       unsigned n_levels, unsigned flags, const char *function, struct mipmap **ret)
{
	cudaError_t error = check(format, extent, flags);
	if (error)
		return error;
	unsigned most = most_levels(extent, flags);
	n_levels = n_levels < 1 ? 1 : n_levels > most ? most : n_levels;
	struct mipmap *m = mipmap_shape(format, extent, n_levels, flags);
	if (!m)
		return cudaErrorMemoryAllocation;
	size_t size = 0;
	for (unsigned l = 0; l < n_levels; l++)
		size += level_room(m->levels[l]);
	void *base;
	error = allocate(size, function, &base);
	if (error) {
		mipmap_drop(m);
		return error;
	}
	m->base = base;
	pthread_mutex_lock(&lock);
	unsigned char *at = m->base;
	for (unsigned l = 0; l < n_levels; l++) {
		m->levels[l]->base = at;
		at += level_room(m->levels[l]);
		enlist(m->levels[l]);
	}
	m->next = mipmaps;
	mipmaps = m;
	pthread_mutex_unlock(&lock);
	*ret = m;
	return cudaSuccess;
}

/* ---- finding and freeing ------------------------------------------------------ */

struct array *array_find(cudaArray_const_t handle)
{
	pthread_mutex_lock(&lock);
	struct array *a = arrays;
	while (a && a != (const void *)handle)
		a = a->next;
	pthread_mutex_unlock(&lock);
	if (!a)
		observe_handle_of(CUDASIM_HANDLE_ARRAY, (uintptr_t)handle, false);
	return a;
}

struct mipmap *mipmap_find(cudaMipmappedArray_const_t handle)
{
	pthread_mutex_lock(&lock);
	struct mipmap *m = mipmaps;
	while (m && m != (const void *)handle)
		m = m->next;
	pthread_mutex_unlock(&lock);
	if (!m)
		observe_handle_of(CUDASIM_HANDLE_MIPMAPPED_ARRAY, (uintptr_t)handle, false);
	return m;
}

static void delist(struct array *a)
{
	struct array **at = &arrays;
	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
}

void array_free(struct array *a, const char *function)
{
	pthread_mutex_lock(&lock);
	delist(a);
	pthread_mutex_unlock(&lock);
	memory_free(a->base, 1u << CUDASIM_MEMORY_DEVICE, function);
	free(a);
}

static void mipmap_delist(struct mipmap *m)
{
	struct mipmap **at = &mipmaps;
	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	for (unsigned l = 0; l < m->n_levels; l++)
		delist(m->levels[l]);
}

void mipmap_free(struct mipmap *m, const char *function)
{
	pthread_mutex_lock(&lock);
	mipmap_delist(m);
	pthread_mutex_unlock(&lock);
	memory_free(m->base, 1u << CUDASIM_MEMORY_DEVICE, function);
	mipmap_drop(m);
}

void array_reset(int device)
{
	pthread_mutex_lock(&lock);
	for (struct mipmap *m = mipmaps, *next; m; m = next) {
		next = m->next;
		if (m->levels[0]->device != device)
			continue;
		mipmap_delist(m);
		mipmap_drop(m);
	}
	for (struct array *a = arrays, *next; a; a = next) {
		next = a->next;
		if (a->device != device)
			continue;
		delist(a);
		free(a);
	}
	pthread_mutex_unlock(&lock);
}
