/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench_runtime.h"

enum { WINDOW = 64 << 10 };

_Thread_local struct cudasim_thread *__cudasim_self;
int64_t __cudasim_self_offset; /* as compiler/attach has it */
const char *bench_format;
const void *bench_arguments;

static const struct cudasim_module *registered;
static unsigned n_registered;

void __cudasim_module_register(const struct cudasim_module *module)
{
	registered = module;
	__cudasim_self_offset = (char *)&__cudasim_self - (char *)__builtin_thread_pointer();
	n_registered++;
	module->variables_base[0] = module->variables_image;
}

const struct cudasim_module *bench_module(void)
{
	assert_int_equal(n_registered, 1);
	return registered;
}

const struct cudasim_kernel *bench_kernel(const char *name)
{
	for (uint64_t i = 0; i < bench_module()->n_kernels; i++) {
		if (!strcmp(registered->kernels[i].name, name))
			return &registered->kernels[i];
	}
	fail_msg("no kernel %s", name);
	return NULL;
}

const struct cudasim_variable *bench_variable(const char *name)
{
	for (uint64_t i = 0; i < bench_module()->n_variables; i++) {
		if (!strcmp(registered->variables[i].name, name))
			return &registered->variables[i];
	}
	fail_msg("no variable %s", name);
	return NULL;
}

static void *pack(const struct cudasim_kernel *kernel, void **args)
{
	unsigned char *buffer = aligned_alloc(64, 4096);
	assert_non_null(buffer);
	assert_true(kernel->params_size <= 4096);
	memset(buffer, 0xee, 4096);
	for (uint32_t i = 0; i < kernel->n_params; i++)
		memcpy(buffer + kernel->params[i].offset, args[i], kernel->params[i].size);
	return buffer;
}

bool bench_loops;

bool bench_run(const struct cudasim_kernel *kernel, enum cudasim_body body,
	       const struct bench_launch *launch, void **args)
{
	if (body == CUDASIM_BODY_V4 && !__builtin_cpu_supports("avx512vl"))
		return false;
	void *params = pack(kernel, args), *window = aligned_alloc(1024, WINDOW);
	assert_non_null(window);
	uint32_t align = kernel->dynamic_shared_align;
	struct cudasim_block block = {
		.ntid = {launch->n_threads, 1, 1},
		.nctaid = {launch->n_blocks, 1, 1},
		.device = launch->device,
		.shared = window,
		.shared_bytes = WINDOW,
		.dynamic_shared_offset = (CUDASIM_RESERVED_SHARED_BYTES +
					  kernel->static_shared_bytes + align - 1) / align * align,
		.dynamic_shared_bytes = launch->dynamic_shared_bytes,
		.cluster_nctaid = {1, 1, 1},
	};
	for (; block.ctaid[0] < launch->n_blocks; block.ctaid[0]++) {
		if (bench_loops && kernel->loop[body]) {
			__cudasim_loop_thread(&block, 0);
			uint32_t row = kernel->flags & CUDASIM_KERNEL_ROW && body != CUDASIM_BODY_WATCHED
				? launch->n_blocks - block.ctaid[0] : 1;
			kernel->loop[body](params, &block, row);
			block.ctaid[0] += row - 1;
			continue;
		}
		for (uint32_t t = 0; t < launch->n_threads; t++) {
			struct cudasim_thread thread = {
				.tid = {t, 0, 0}, .lane = t % 32, .warp = t / 32,
				.fuel = 1 << 30, .linear = t, .block = &block};
			__cudasim_self = &thread;
			kernel->entry[body](params);
		}
	}
	__cudasim_self = NULL;
	free(window);
	free(params);
	return true;
}

struct cudasim_thread *__cudasim_loop_thread(struct cudasim_block *block, uint32_t linear)
{
	static struct cudasim_thread thread;
	thread = (struct cudasim_thread){
		.tid = {linear % block->ntid[0], linear / block->ntid[0], 0},
		.lane = linear % 32, .warp = linear / 32, .fuel = 1 << 30, .linear = linear,
		.block = block};
	__cudasim_self = &thread;
	return &thread;
}

void *__cudasim_loop_frame(struct cudasim_block *block, uint64_t bytes)
{
	static _Alignas(64) char frame[1 << 20];
	(void)block;
	assert_true(bytes <= sizeof(frame));
	return frame;
}

uint32_t __cudasim_loop_goes_on(const struct cudasim_block *block)
{
	(void)block;
	return 1;
}

/* Blocks have one row here. */
uint32_t __cudasim_loop_lanes(const struct cudasim_loop *loop, struct cudasim_block *block,
			      const void *params, void *frame, uint32_t warp, uint32_t region)
{
	(void)loop, (void)block, (void)params, (void)frame, (void)warp, (void)region;
	fail();
	return CUDASIM_AT_EXIT;
}

/* Lane after lane from one cut to the next, which suits kernels that only converge. */
uint32_t __cudasim_loop_warp(const struct cudasim_loop *loop, struct cudasim_block *block,
			     const void *params, void *frame, uint32_t warp, uint32_t region,
			     uint32_t ready)
{
	uint32_t n = block->ntid[0] - 32 * warp, at[32];
	char *part = (char *)frame + loop->thread_bytes * 32 * warp;
	bool live = true;
	(void)ready;
	n = n < 32 ? n : 32;
	for (uint32_t i = 0; i < n; i++)
		at[i] = region;
	while (live) {
		live = false;
		for (uint32_t i = 0; i < n; i++) {
			uint32_t t = 32 * warp + i;
			if (at[i] != CUDASIM_AT_EXIT)
				at[i] = loop->continuation(params, block, part, t, 0, 0, t, 32, i, at[i]);
			live |= at[i] != CUDASIM_AT_EXIT;
		}
	}
	uint32_t n_warps = (block->ntid[0] + 31) / 32;
	((uint32_t *)((char *)frame + loop->thread_bytes * 32 * n_warps))[warp] = CUDASIM_AT_EXIT;
	return CUDASIM_AT_MIXED;
}

uint32_t __cudasim_loop_open(const struct cudasim_loop *loop, struct cudasim_block *block,
			     void *frame)
{
	(void)loop;
	(void)block;
	(void)frame;
	fail_msg("no kernel here waits at a barrier with a reduction");
	return 0;
}

int32_t __cudasim_vprintf(const char *format, const void *args, const struct cudasim_site *site)
{
	(void)site;
	bench_format = format;
	bench_arguments = args;
	return 0;
}

/* What the kernels here mention and never reach. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
/* No kernel that runs here comes to it. */
void __cudasim_barrier_arrive(uint32_t id, uint32_t n, const struct cudasim_site *site)
{
	(void)id;
	(void)n;
	(void)site;
	abort();
}

void __cudasim_syncwarp(uint32_t mask, const struct cudasim_site *site)
{
	(void)mask;
	(void)site;
	abort();
}

void __cudasim_barrier(uint32_t id, uint32_t n, const struct cudasim_site *site)
{
	abort();
}
void __cudasim_yield(const void *address, uint32_t bytes, const struct cudasim_site *site)
{
	abort();
}
/* Nobody to meet: threads run one after another. */
void __cudasim_reconverge(const struct cudasim_site *site)
{
}
void __cudasim_trap(uint32_t kind, const struct cudasim_site *site)
{
	abort();
}
void __cudasim_on_bounds(const void *addr, uint64_t size, uint32_t flags, const void *variable,
			 uint64_t bytes, const struct cudasim_site *site)
{
	(void)addr, (void)size, (void)flags, (void)variable, (void)bytes, (void)site;
}

void __cudasim_on_access(const void *addr, uint64_t size, uint32_t flags,
			 const struct cudasim_site *site)
{
	abort();
}
/* Nobody looks. */
void __cudasim_on_lanes(struct cudasim_block *block, uint32_t first, uint32_t lanes,
			const void *base, int64_t stride, const uint64_t *addresses, uint64_t size,
			uint32_t flags, const uint64_t *values, uint64_t value,
			const struct cudasim_site *site)
{
	assert_int_not_equal(lanes, 0);
}
void __cudasim_on_loop_barrier(struct cudasim_block *block, const struct cudasim_site *site,
			       const unsigned char *alive)
{
}
void __cudasim_on_loop_meet(const struct cudasim_loop *loop, struct cudasim_block *block, void *frame,
			    uint32_t warp, uint32_t region)
{
}
struct cudasim_thread *__cudasim_loop_watched(struct cudasim_block *block, uint32_t linear)
{
	return __cudasim_loop_thread(block, linear);
}
void __cudasim_on_unwritten(const void *addr, uint64_t size, const char *name,
			    const struct cudasim_site *site)
{
	(void)addr, (void)size, (void)name, (void)site;
}

void __cudasim_on_line(const struct cudasim_site *site)
{
	abort();
}
void __cudasim_on_call(const struct cudasim_site *entry, const void *frame)
{
	abort();
}
void __cudasim_on_return(const struct cudasim_site *entry, const void *frame, const void *value,
			 uint64_t size)
{
	abort();
}
