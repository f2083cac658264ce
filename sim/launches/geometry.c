/* SPDX-License-Identifier: Apache-2.0 */
/* geometry.c - launch limits and occupancy. Source: CUDA C++ Programming Guide,
 * "Compute Capabilities", and the toolkit's cuda_occupancy.h for how registers
 * and shared memory are handed out; the codes are those of a real H200
 * (tests/kernels/launches.expected and calls.expected). */
#include "geometry.h"

#include <inttypes.h>
#include <stdio.h>

static bool in_range(const uint32_t dim[3], const uint32_t max[3])
{
	for (int i = 0; i < 3; i++)
		if (!dim[i] || dim[i] > max[i])
			return false;
	return true;
}

static uint64_t volume(const uint32_t dim[3])
{
	return (uint64_t)dim[0] * dim[1] * dim[2];
}

cudaError_t geometry_check_cluster(const struct profile *profile, const struct cudasim_launch *l,
				   const struct geometry_limits *limits)
{
	uint64_t n = volume(l->cluster);
	if (n <= 1)
		return cudaSuccess;
	if (!profile->max_cluster)
		return cudaErrorNotSupported;
	uint64_t most = limits->non_portable_cluster ? 2 * profile->max_cluster
						     : profile->max_cluster;
	if (n > most)
		return cudaErrorInvalidClusterSize;
	for (int i = 0; i < 3; i++)
		if (l->grid[i] % l->cluster[i])
			return cudaErrorInvalidClusterSize;
	return cudaSuccess;
}

/* Bytes of a block, static and dynamic. */
static uint64_t shared_bytes(const struct cudasim_launch *l)
{
	return (uint64_t)l->dynamic_shared_bytes + l->kernel->static_shared_bytes;
}

cudaError_t geometry_check(const struct profile *profile, const struct cudasim_launch *l,
			   const struct geometry_limits *limits)
{
	const struct cudasim_kernel *k = l->kernel;
	if (!in_range(l->grid, profile->max_grid) || !in_range(l->block, profile->max_block) ||
	    volume(l->block) > profile->max_threads_per_block)
		return cudaErrorInvalidValue;
	if (l->dynamic_shared_bytes > limits->max_dynamic_shared ||
	    shared_bytes(l) > profile->shared_per_block_optin)
		return l->cooperative ? cudaErrorCooperativeLaunchTooLarge : cudaErrorInvalidValue;
	if (k->max_threads && volume(l->block) > k->max_threads)
		return cudaErrorInvalidValue;
	cudaError_t error = geometry_check_cluster(profile, l, limits);
	if (error)
		return error;
	if (l->cooperative) {
		uint64_t fit = geometry_blocks_per_sm(profile, (uint32_t)volume(l->block),
						      k->n_registers, shared_bytes(l));
		if (volume(l->grid) > fit * profile->n_sms)
			return cudaErrorCooperativeLaunchTooLarge;
	}
	return cudaSuccess;
}

void geometry_reason(const struct profile *profile, const struct cudasim_launch *l,
		     const struct geometry_limits *limits, char *text, size_t size)
{
	const uint32_t *b = l->block, *most_b = profile->max_block;
	const uint32_t *n = l->grid, *most_n = profile->max_grid;
	const struct cudasim_kernel *k = l->kernel;
	uint32_t dynamic = l->dynamic_shared_bytes;
	uint64_t most_dynamic = profile->shared_per_block_optin - k->static_shared_bytes;
	*text = '\0';
	if (!volume(b))
		snprintf(text, size, "A block of (%u,%u,%u) threads is empty", b[0], b[1], b[2]);
	else if (!in_range(b, most_b))
		snprintf(text, size,
			 "A block of (%u,%u,%u) threads: the device takes (%u,%u,%u) at "
			 "most, and %u in all",
			 b[0], b[1], b[2], most_b[0], most_b[1], most_b[2],
			 profile->max_threads_per_block);
	else if (volume(b) > profile->max_threads_per_block)
		snprintf(text, size,
			 "A block of (%u,%u,%u) threads has %" PRIu64 ": the device takes "
			 "%u at most",
			 b[0], b[1], b[2], volume(b), profile->max_threads_per_block);
	else if (!n[0] || !n[1] || !n[2])
		snprintf(text, size, "A grid of (%u,%u,%u) blocks is empty", n[0], n[1], n[2]);
	else if (!in_range(n, most_n))
		snprintf(text, size,
			 "A grid of (%u,%u,%u) blocks: the device takes (%u,%u,%u) at most", n[0],
			 n[1], n[2], most_n[0], most_n[1], most_n[2]);
	else if (dynamic > limits->max_dynamic_shared && dynamic <= most_dynamic)
		snprintf(text, size,
			 "%" PRIu32 " bytes of dynamic shared memory: this kernel may have "
			 "%" PRIu64 ", and up to %" PRIu64 " after cudaFuncSetAttribute(..., "
			 "cudaFuncAttributeMaxDynamicSharedMemorySize, ...)",
			 dynamic, limits->max_dynamic_shared, most_dynamic);
	else if (shared_bytes(l) > profile->shared_per_block_optin)
		snprintf(text, size,
			 "%" PRIu32 " bytes of dynamic and %u of static shared memory: a "
			 "block may have %" PRIu64 " in all",
			 dynamic, k->static_shared_bytes,
			 (uint64_t)profile->shared_per_block_optin);
	else if (k->max_threads && volume(b) > k->max_threads)
		snprintf(text, size,
			 "A block of %" PRIu64 " threads: the kernel's __launch_bounds__ "
			 "allow %u",
			 volume(b), k->max_threads);
}

static uint64_t round_up(uint64_t n, uint64_t unit)
{
	return (n + unit - 1) / unit * unit;
}

uint32_t geometry_blocks_per_sm(const struct profile *profile, uint32_t n_threads,
				uint32_t n_registers, uint64_t shared)
{
	if (!n_threads || n_threads > profile->max_threads_per_block)
		return 0;
	uint32_t n_warps = (n_threads + 31) / 32;
	uint64_t blocks = profile->max_blocks_per_sm;
	uint64_t by_threads = profile->max_threads_per_sm / 32 / n_warps;
	if (by_threads < blocks)
		blocks = by_threads;
	if (n_registers) {
		/* Each of the four partitions has a quarter of the registers; warps
		 * are dealt out to them in turn. */
		uint64_t a_warp = round_up(32ull * n_registers, profile->register_unit);
		uint64_t warps = profile->registers_per_sm / 4 / a_warp * 4;
		if (warps / n_warps < blocks)
			blocks = warps / n_warps;
	}
	uint64_t a_block = round_up(shared + profile->reserved_shared, profile->shared_unit);
	if (shared > profile->shared_per_block_optin)
		return 0;
	if (a_block && profile->shared_per_sm / a_block < blocks)
		blocks = profile->shared_per_sm / a_block;
	return (uint32_t)blocks;
}

uint64_t geometry_dynamic_shared(const struct profile *profile, uint32_t n_blocks,
				 uint32_t static_shared)
{
	if (!n_blocks)
		return 0;
	uint64_t a_block = profile->shared_per_sm / n_blocks / profile->shared_unit *
			   profile->shared_unit;
	/* Without the reserved part: what an H200 answers for 2 blocks does not fit
	 * twice, but it answers that. */
	uint64_t most = a_block < profile->shared_per_block_optin ? a_block
								  : profile->shared_per_block_optin;
	return most > static_shared ? most - static_shared : 0;
}
