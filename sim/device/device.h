/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - a simulated device: its profile, its memory, its sticky error.
 *
 * Devices are made once, at the first call that needs one, from the profile
 * that CUDASIM_DEVICE names, CUDASIM_DEVICES of them; they are never freed. */
#ifndef CUDASIM_SIM_DEVICE_H
#define CUDASIM_SIM_DEVICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a device can do: one row of the table in profile.c. Values as
 * cudaGetDeviceProperties reports them on the real device. */
struct profile {
	const char *key;  /* "h200", as CUDASIM_DEVICE names it */
	const char *name; /* "NVIDIA H200" */
	int major, minor; /* compute capability */
	uint32_t n_sms;
	uint32_t max_threads_per_sm;
	uint32_t max_blocks_per_sm;
	uint32_t max_threads_per_block;
	uint32_t max_block[3];
	uint32_t max_grid[3];
	uint32_t shared_per_block;       /* bytes, without opt-in */
	uint32_t shared_per_block_optin; /* bytes */
	uint32_t shared_per_sm;          /* bytes */
	uint32_t reserved_shared;        /* bytes a block */
	uint32_t registers_per_sm;
	uint64_t global_bytes;
	uint32_t clock_khz;
	uint32_t memory_clock_khz, memory_bus_bits;
	uint32_t l2_bytes;
	/* The rest that the runtime reports lives in profile.c. */
	uint32_t max_registers_per_thread;
	uint32_t register_unit;  /* registers are given to a warp in such steps */
	uint32_t shared_unit;    /* bytes; shared memory is given to a block in such steps */
	uint32_t max_cluster;    /* blocks in a portable cluster, 0 without clusters */
	uint64_t reserved_bytes; /* of the memory, never free: cudaMemGetInfo */
	const struct difference *differences; /* attributes, from the H200's; or NULL */
};

/* The profile that CUDASIM_DEVICE names; CUDASIM_E_ARGUMENT lists the names. */
struct cudasim_error *profile_find(const char *key, const struct profile **ret);
/* What cudaDeviceGetAttribute answers. False where there is no such attribute. */
bool profile_attribute(const struct profile *profile, int attribute, int *ret);

struct stream;

struct device {
	uint32_t ordinal;
	const struct profile *profile;
	/* A cudaError_t that every later call answers until cudaDeviceReset (700,
	 * 719, ...), or 0. */
	atomic_int sticky;
	void *memory;    /* memory.h: the device's arena */
	void *scheduler; /* the scheduler's per-device state: heap, printf buffer */

	/* The runtime's. */
	atomic_bool active;        /* device_activate() has been here */
	uint32_t physical;         /* before CUDA_VISIBLE_DEVICES */
	uint64_t memory_bytes;     /* CUDASIM_MEMORY or the profile's */
	struct stream *legacy;     /* the legacy default stream */
	struct stream *streams;    /* all, linked by stream->next; stream.c's lock */
	atomic_uint n_busy;        /* those with a last operation; changes under that lock */
	atomic_uint flags;         /* cudaSetDeviceFlags */
	atomic_uint peers;         /* bit i: access to device i is enabled */
	atomic_ullong n_grids;     /* launches so far */
	atomic_ullong limits[8];   /* by enum cudaLimit */
	atomic_uint kernel_flags;  /* CUDASIM_KERNEL_* of all kernels launched so far */
	atomic_int cache_config;   /* an enum cudaFuncCache */
};

/* Number of devices this process sees (CUDASIM_DEVICES, CUDA_VISIBLE_DEVICES). */
int device_count(void);
/* The cudaError_t that calls answer where there are none. */
int device_none(void);
/* ordinal in 0..device_count()-1. */
struct device *device_get(int ordinal);

/* Choose the profile and count the devices, once; later calls do nothing.
 * Called first of all. */
struct cudasim_error *device_start(void);
/* The calling host thread's device. */
struct device *device_current(void);
void device_set_current(int ordinal);
/* Note that the device's context has died of error, a cudaError_t; only the
 * first counts. */
void device_fail(struct device *device, int error);

#endif
