/* SPDX-License-Identifier: Apache-2.0 */
/* fiber.h - stacks on which CUDA threads run, and the switch between them.
 *
 * A fiber is a stack with a guard page under it. Only one of a worker's fibers
 * runs at a time. There are two kinds behind one interface:
 *   FIBER_STACK   the switch exchanges stack pointers in user space
 *   FIBER_PTHREAD every fiber is a real pthread, and the switch hands a baton
 *                 over, so that debuggers list CUDA threads among the pthreads
 *
 * The pattern of a switch: a warm stack pointer is six registers and an
 * indirect jump (fiber_x86_64.S). It ends in an indirect jump because a return
 * is always mispredicted when stacks are exchanged. The tops of the stacks are
 * spread over cache sets, without which they all collide in the first-level
 * cache. */
#ifndef CUDASIM_SIM_FIBER_H
#define CUDASIM_SIM_FIBER_H

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fiber_kind { FIBER_STACK, FIBER_PTHREAD };

struct fiber {
	void *sp;           /* FIBER_STACK: where it begins */
	unsigned char *low; /* lowest usable byte; the guard page ends here */
	unsigned char *top; /* where frames begin, exclusive; coloured */
	struct fiber *next; /* in the pool's free list */
	struct fiber_pool *pool;
	struct fiber_baton *baton; /* FIBER_PTHREAD, else NULL */
	unsigned char *baton_frame; /* of the pthread's main function */
};

/* What a fresh fiber calls, with the argument of fiber_pool_init(). Must never
 * return: it ends in fiber_leave(). */
typedef void fiber_main_fn(void *arg);

/* Fibers of one worker and one stack size. Not safe against other pthreads. */
struct fiber_pool {
	enum fiber_kind kind;
	size_t stack_bytes; /* usable, a multiple of the page size */
	fiber_main_fn *main;
	void *arg;
	struct fiber *free;
	struct fiber **all; /* every fiber of the pool, for fiber_pool_fini() */
	uint32_t n_all, n_free, n_slabs;
	void **slabs;
};

void fiber_pool_init(struct fiber_pool *pool, enum fiber_kind kind, size_t stack_bytes,
		     fiber_main_fn *main, void *arg);
/* Every fiber must be free. */
void fiber_pool_fini(struct fiber_pool *pool);

/* A fresh fiber: when switched to it calls pool->main. NULL without memory. */
struct fiber *fiber_get(struct fiber_pool *pool);

/* Give a fiber back that is not running; what it was doing is abandoned, its
 * frames are not unwound. */
void fiber_put(struct fiber *fiber);

/* Make `from` represent the calling pthread itself (a worker's own stack). */
void fiber_adopt(struct fiber *from, enum fiber_kind kind);
void fiber_unadopt(struct fiber *from);

/* Give the running fiber back to its pool and go on in `to`, whose stack pointer
 * is sp (FIBER_STACK). */
__attribute__((noreturn)) void fiber_leave(struct fiber *from, struct fiber *to, void *sp);

/* The same for FIBER_STACK where `to` is the stack that switched to this fiber. Only
 * from the function that the fiber began with. */
__attribute__((always_inline, noreturn)) static inline void
fiber_end(struct fiber *from, const struct fiber *to, void *sp);

/* The pthread on which the fiber runs; the caller's own for FIBER_STACK. */
pthread_t fiber_pthread(const struct fiber *fiber);
/* FIBER_PTHREAD: name the pthread (15 bytes are kept); otherwise nothing. */
void fiber_name(struct fiber *fiber, const char *name);

/* True if addr is in the fiber's stack; *guard says it is in the guard page. */
bool fiber_holds(const struct fiber *fiber, const void *addr, bool *guard);

/* Run handlers of signals of the calling pthread on a stack of their own. */
void fiber_signal_stack(void);

/* FIBER_STACK: stop here, with the stack pointer in *save, and go on in `to`, where sp
 * was saved; returns when somebody switches back. */
static inline void fiber_switch(void **save, const struct fiber *to, void *sp);
/* FIBER_PTHREAD: the same by passing the baton. */
void fiber_baton_switch(struct fiber *from, struct fiber *to);

/* ---- between fiber.c and its parts ---------------------------------------- */

void fiber_begin(void);
void fiber_return(void *sp);
void fiber_exchange(void **save, void *sp);

/* AddressSanitizer has to know the bounds of the stack that code stands on: it is told before
 * each switch (*kept is the stack's own until it goes on; NULL: it never will) and behind it. */
#if defined(__SANITIZE_ADDRESS__)
#define FIBERS_ARE_ANNOUNCED 1
void fiber_announce(void **kept, const struct fiber *to);
void fiber_arrive(void *kept);
/* Frames that were abandoned there are no longer marked. */
void fiber_forget(const void *stack, size_t bytes);
#else
#define FIBERS_ARE_ANNOUNCED 0
static inline void fiber_announce(void **kept, const struct fiber *to)
{
	(void)kept, (void)to;
}
static inline void fiber_arrive(void *kept)
{
	(void)kept;
}
static inline void fiber_forget(const void *stack, size_t bytes)
{
	(void)stack, (void)bytes;
}
#endif

static inline void fiber_switch(void **save, const struct fiber *to, void *sp)
{
	void *kept = NULL;
	fiber_announce(&kept, to);
	fiber_exchange(save, sp);
	fiber_arrive(kept);
}

static inline void fiber_give_back(struct fiber *f)
{
	f->next = f->pool->free;
	f->pool->free = f;
	f->pool->n_free++;
}

static inline void fiber_end(struct fiber *from, const struct fiber *to, void *sp)
{
	fiber_announce(NULL, to);
	/* Nobody can take the stack that we stand on before the switch is made: a pool has
	 * one user. */
	fiber_give_back(from);
	__asm__ volatile("jmp fiber_return" : : "D"(sp) : "memory");
	__builtin_unreachable();
}

void fiber_baton_start(struct fiber *fiber);
void fiber_baton_put(struct fiber *fiber);
void fiber_baton_end(struct fiber *fiber);
void fiber_baton_adopt(struct fiber *fiber);
void fiber_baton_unadopt(struct fiber *fiber);
__attribute__((noreturn)) void fiber_baton_leave(struct fiber *from, struct fiber *to);
pthread_t fiber_baton_pthread(const struct fiber *fiber);

#endif
