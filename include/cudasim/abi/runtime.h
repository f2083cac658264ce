/* SPDX-License-Identifier: Apache-2.0 */
/* runtime.h - launches from device code, and CUDA's runtime there. A part of abi.h: include that. */
#ifndef CUDASIM_ABI_RUNTIME_H
#define CUDASIM_ABI_RUNTIME_H

/* Launches from device code, and the other calls of CUDA's runtime for device code, under the
 * names and with the arguments of cuda_device_runtime_api.h; structures are passed by address.
 * A kernel as a value in device code is the address of its struct cudasim_kernel. grid, block:
 * three numbers each. Errors are kept for __cudasim_rt_get_last_error(), per thread. */
uint32_t __cudasim_rt_get_last_error(const struct cudasim_site *site);
uint32_t __cudasim_rt_peek_at_last_error(const struct cudasim_site *site);
void __cudasim_launch(const struct cudasim_kernel *kernel, const void *params, const uint32_t *grid,
		      const uint32_t *block, uint64_t shared, void *stream,
		      const struct cudasim_site *site);
void *__cudasim_rt_get_parameter_buffer(uint64_t align, uint64_t size,
					const struct cudasim_site *site);
void *__cudasim_rt_get_parameter_buffer_v2(const struct cudasim_kernel *kernel,
					   const uint32_t *grid, const uint32_t *block,
					   uint32_t shared, const struct cudasim_site *site);
uint32_t __cudasim_rt_launch_device(const struct cudasim_kernel *kernel, void *params,
				    const uint32_t *grid, const uint32_t *block, uint32_t shared,
				    void *stream, const struct cudasim_site *site);
uint32_t __cudasim_rt_launch_device_v2(void *params, void *stream, const struct cudasim_site *site);
uint32_t __cudasim_rt_stream_create(void **ret, uint32_t flags, const struct cudasim_site *site);
uint32_t __cudasim_rt_stream_destroy(void *stream, const struct cudasim_site *site);
uint32_t __cudasim_rt_stream_wait_event(void *stream, void *event, uint32_t flags,
					const struct cudasim_site *site);
uint32_t __cudasim_rt_event_create(void **ret, uint32_t flags, const struct cudasim_site *site);
uint32_t __cudasim_rt_event_record(void *event, void *stream, const struct cudasim_site *site);
uint32_t __cudasim_rt_event_record_with_flags(void *event, void *stream, uint32_t flags,
					      const struct cudasim_site *site);
uint32_t __cudasim_rt_event_destroy(void *event, const struct cudasim_site *site);
uint32_t __cudasim_rt_memcpy(void *to, const void *from, uint64_t n, uint32_t kind, void *stream,
			     const struct cudasim_site *site);
uint32_t __cudasim_rt_memcpy_2d(void *to, uint64_t to_pitch, const void *from, uint64_t from_pitch,
				uint64_t width, uint64_t height, uint32_t kind, void *stream,
				const struct cudasim_site *site);
uint32_t __cudasim_rt_memcpy_3d(const void *params, void *stream, const struct cudasim_site *site);
uint32_t __cudasim_rt_memset(void *to, uint32_t value, uint64_t n, void *stream,
			     const struct cudasim_site *site);
uint32_t __cudasim_rt_memset_2d(void *to, uint64_t pitch, uint32_t value, uint64_t width,
				uint64_t height, void *stream, const struct cudasim_site *site);
uint32_t __cudasim_rt_memset_3d(const void *where, uint32_t value, const void *extent, void *stream,
				const struct cudasim_site *site);
uint32_t __cudasim_rt_cuda_malloc(void **ret, uint64_t size, const struct cudasim_site *site);
uint32_t __cudasim_rt_cuda_free(void *address, const struct cudasim_site *site);
const char *__cudasim_rt_get_error_string(uint32_t error, const struct cudasim_site *site);
const char *__cudasim_rt_get_error_name(uint32_t error, const struct cudasim_site *site);
uint32_t __cudasim_rt_get_device_count(int *ret, const struct cudasim_site *site);
uint32_t __cudasim_rt_get_device(int *ret, const struct cudasim_site *site);
uint32_t __cudasim_rt_get_attribute(int *ret, uint32_t attribute, uint32_t ordinal,
				    const struct cudasim_site *site);
uint32_t __cudasim_rt_get_limit(size_t *ret, uint32_t limit, const struct cudasim_site *site);
uint32_t __cudasim_rt_get_cache_config(int *ret, const struct cudasim_site *site);
uint32_t __cudasim_rt_get_shared_mem_config(int *ret, const struct cudasim_site *site);
uint32_t __cudasim_rt_runtime_get_version(int *ret, const struct cudasim_site *site);
uint32_t __cudasim_rt_func_get_attributes(void *to, const struct cudasim_kernel *kernel,
					  const struct cudasim_site *site);
uint32_t __cudasim_rt_occupancy(int *ret, const struct cudasim_kernel *kernel, int n_threads,
				uint64_t dynamic, const struct cudasim_site *site);
uint32_t __cudasim_rt_occupancy_with_flags(int *ret, const struct cudasim_kernel *kernel,
					   int n_threads, uint64_t dynamic, uint32_t flags,
					   const struct cudasim_site *site);

#endif
