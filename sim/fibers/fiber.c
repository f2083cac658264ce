/* SPDX-License-Identifier: Apache-2.0 */
/* fiber.c - stacks in slabs, and the pool of fibers.
 *
 * Stacks come in slabs of 32, each stack with a guard page below it, so that
 * nothing on the way of a launch is a system call once a pool has grown. The
 * guard's page also keeps the distance of two stacks from being a power of two,
 * which would put them into the same sets of the second-level cache. */
#define _GNU_SOURCE
#include "fiber.h"

#include <assert.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
	GUARD_BYTES = 4096,
	SLAB_STACKS = 32,
	/* Distance between the tops of neighbours within their pages: odd in
	 * cache lines, so that 64 neighbours use 64 different places. */
	COLOUR_BYTES = 7 * 64,
	SIGNAL_STACK_BYTES = 64 * 1024,
	/* A guard made by mprotect() splits a mapping in two, and the kernel
	 * allows some 65,000 mappings; beyond this many stacks go without. */
	MAX_PROTECTED = 20000,
};

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102 /* Linux 6.13: a guard that costs no mapping */
#endif

void fiber_pool_init(struct fiber_pool *pool, enum fiber_kind kind, size_t stack_bytes,
		     fiber_main_fn *main, void *arg)
{
	*pool = (struct fiber_pool){
		.kind = kind,
		.stack_bytes = stack_bytes,
		.main = main,
		.arg = arg,
	};
}

static void guard(unsigned char *page)
{
	static atomic_uint n_protected;
	if (!madvise(page, GUARD_BYTES, MADV_GUARD_INSTALL))
		return;
	if (atomic_fetch_add(&n_protected, 1) < MAX_PROTECTED)
		mprotect(page, GUARD_BYTES, PROT_NONE);
}

/* Room for n more pointers in *array. */
static bool grow(void *array, uint32_t n, uint32_t more)
{
	void *bigger = realloc(*(void **)array, (n + more) * sizeof(void *));
	if (bigger)
		*(void **)array = bigger;
	return bigger;
}

static bool pool_grow(struct fiber_pool *pool)
{
	size_t stride = pool->stack_bytes + GUARD_BYTES;
	struct fiber *fibers = calloc(SLAB_STACKS, sizeof *fibers);
	if (!fibers || !grow(&pool->all, pool->n_all, SLAB_STACKS) ||
	    !grow(&pool->slabs, pool->n_slabs, 1)) {
		free(fibers);
		return false;
	}
	unsigned char *slab = mmap(NULL, SLAB_STACKS * stride, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (slab == MAP_FAILED) {
		free(fibers);
		return false;
	}
	madvise(slab, SLAB_STACKS * stride, MADV_NOHUGEPAGE);
	pool->slabs[pool->n_slabs++] = slab;
	/* Backwards, so that the free list hands out ascending addresses. */
	for (uint32_t i = SLAB_STACKS; i-- > 0;) {
		struct fiber *f = &fibers[i];
		uint32_t colour = (pool->n_all + i) * COLOUR_BYTES % 4096;
		guard(slab + i * stride);
		f->low = slab + i * stride + GUARD_BYTES;
		f->top = slab + (i + 1) * stride - colour;
		f->pool = pool;
		f->next = pool->free;
		pool->free = f;
		pool->all[pool->n_all + i] = f;
	}
	pool->n_all += SLAB_STACKS;
	pool->n_free += SLAB_STACKS;
	return true;
}

void fiber_pool_fini(struct fiber_pool *pool)
{
	assert(pool->n_free == pool->n_all);
	if (pool->kind == FIBER_PTHREAD)
		for (uint32_t i = 0; i < pool->n_all; i++)
			fiber_baton_end(pool->all[i]);
	for (uint32_t i = 0; i < pool->n_slabs; i++) {
		size_t bytes = SLAB_STACKS * (pool->stack_bytes + GUARD_BYTES);
		fiber_forget(pool->slabs[i], bytes);
		munmap(pool->slabs[i], bytes);
		free(pool->all[i * SLAB_STACKS]);
	}
	free(pool->slabs);
	free(pool->all);
	memset(pool, 0, sizeof *pool);
}

/* ---- AddressSanitizer ----------------------------------------------------- */

#if FIBERS_ARE_ANNOUNCED
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

void fiber_announce(void **kept, const struct fiber *to)
{
	__sanitizer_start_switch_fiber(kept, to->low, (size_t)(to->top - to->low));
}

void fiber_arrive(void *kept)
{
	__sanitizer_finish_switch_fiber(kept, NULL, NULL);
}

void fiber_forget(const void *stack, size_t bytes)
{
	__asan_unpoison_memory_region(stack, bytes);
}

static void begin_announced(void *arg)
{
	const struct fiber_pool *pool = arg;
	fiber_arrive(NULL);
	pool->main(pool->arg);
}

/* The bounds of the calling pthread's own stack. */
static void find_stack(struct fiber *f)
{
	pthread_attr_t attributes;
	void *low = NULL;
	size_t bytes = 0;
	if (pthread_getattr_np(pthread_self(), &attributes))
		return;
	pthread_attr_getstack(&attributes, &low, &bytes);
	pthread_attr_destroy(&attributes);
	f->low = low;
	f->top = f->low + bytes;
}
#endif

/* ---- fibers ----------------------------------------------------------------- */

/* Lay out what fiber_exchange() pops on a fiber that has not begun. */
static void prepare(struct fiber *f)
{
	struct frame {
		void *r15;
		fiber_main_fn *r14;
		void *r13, *r12, *rbx, *rbp;
		void (*go_on)(void);
		void *unused[2]; /* keeps the stack aligned to 16 in fiber_begin */
	} *frame = (struct frame *)f->top - 1;
	*frame = (struct frame){
		.go_on = fiber_begin,
		.r14 = f->pool->main,
		.r15 = f->pool->arg,
	};
	fiber_forget(f->low, (size_t)(f->top - f->low));
#if FIBERS_ARE_ANNOUNCED
	frame->r14 = begin_announced;
	frame->r15 = f->pool;
#endif
	f->sp = frame;
}

struct fiber *fiber_get(struct fiber_pool *pool)
{
	if (!pool->free && !pool_grow(pool))
		return NULL;
	struct fiber *f = pool->free;
	pool->free = f->next;
	pool->n_free--;
	if (pool->kind == FIBER_PTHREAD)
		fiber_baton_start(f);
	else
		prepare(f);
	return f;
}

void fiber_put(struct fiber *f)
{
	if (f->baton)
		fiber_baton_put(f);
	fiber_give_back(f);
}

void fiber_adopt(struct fiber *from, enum fiber_kind kind)
{
	memset(from, 0, sizeof *from);
#if FIBERS_ARE_ANNOUNCED
	find_stack(from);
#endif
	if (kind == FIBER_PTHREAD)
		fiber_baton_adopt(from);
}

void fiber_unadopt(struct fiber *from)
{
	if (from->baton)
		fiber_baton_unadopt(from);
}

void fiber_leave(struct fiber *from, struct fiber *to, void *sp)
{
	/* Nobody can take the stack that we stand on before the switch is made:
	 * a pool has one user. */
	fiber_give_back(from);
	if (from->baton)
		fiber_baton_leave(from, to);
	fiber_announce(NULL, to);
	fiber_exchange(&from->sp, sp);
	__builtin_unreachable();
}

pthread_t fiber_pthread(const struct fiber *fiber)
{
	return fiber->baton ? fiber_baton_pthread(fiber) : pthread_self();
}

void fiber_name(struct fiber *fiber, const char *name)
{
	if (!fiber->baton)
		return;
	char cut[16];
	snprintf(cut, sizeof cut, "%s", name);
	pthread_setname_np(fiber_baton_pthread(fiber), cut);
}

bool fiber_holds(const struct fiber *f, const void *addr, bool *in_guard)
{
	const unsigned char *a = addr;
	*in_guard = a >= f->low - GUARD_BYTES && a < f->low;
	return a >= f->low && a < f->top;
}

void fiber_signal_stack(void)
{
	stack_t stack = {.ss_size = SIGNAL_STACK_BYTES};
	stack.ss_sp = mmap(NULL, SIGNAL_STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (stack.ss_sp != MAP_FAILED)
		sigaltstack(&stack, NULL);
}
