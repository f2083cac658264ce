/* SPDX-License-Identifier: Apache-2.0 */
/* fiber_pthread.c - fibers that are real pthreads.
 *
 * Of a worker and its fibers only the one that holds the baton runs. A pthread
 * that is given back while it stands in the middle of a CUDA thread is told so
 * by its next baton and leaves by siglongjmp to its start. */
#include <assert.h>
#include <limits.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "fiber.h"

enum { ABANDONED = 1, LEFT }; /* how a pthread comes back to its start */
enum order { ORDER_GO, ORDER_ABANDON, ORDER_END };

struct fiber_baton {
	sem_t go;
	sem_t idle;       /* posted when an abandoned pthread is back at its start */
	enum order order; /* written before `go` is posted */
	pthread_t pthread;
	bool busy;        /* is in the middle of something */
	bool adopted;
	sigjmp_buf start;
};

static void take(struct fiber_baton *b)
{
	while (sem_wait(&b->go))
		; /* EINTR */
}

/* Wait for the baton in the middle of a CUDA thread. */
static void rest(struct fiber_baton *b)
{
	take(b);
	if (b->order == ORDER_ABANDON)
		siglongjmp(b->start, ABANDONED);
}

static void *baton_main(void *arg)
{
	struct fiber *f = arg;
	struct fiber_baton *b = f->baton;
	f->baton_frame = __builtin_frame_address(0);
	fiber_signal_stack();
	if (sigsetjmp(b->start, 0) == ABANDONED) {
		b->busy = false;
		sem_post(&b->idle);
	}
	for (;;) {
		take(b);
		if (b->order == ORDER_END)
			break;
		b->busy = true;
		f->pool->main(f->pool->arg);
	}
	return NULL;
}

static struct fiber_baton *baton_new(void)
{
	struct fiber_baton *b = calloc(1, sizeof *b);
	if (!b) {
		fputs("cudasim: out of memory for a pthread of CUDASIM_ENGINE=pthreads\n", stderr);
		exit(1);
	}
	sem_init(&b->go, 0, 0);
	sem_init(&b->idle, 0, 0);
	return b;
}

void fiber_baton_start(struct fiber *f)
{
	if (f->baton)
		return;
	pthread_attr_t attr;
	f->baton = baton_new();
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, f->low, (size_t)(f->top - f->low) & ~(size_t)15);
	int failed = pthread_create(&f->baton->pthread, &attr, baton_main, f);
	pthread_attr_destroy(&attr);
	if (failed) {
		fprintf(stderr,
			"cudasim: CUDASIM_ENGINE=pthreads: cannot start another pthread "
			"(%u run): use CUDASIM_ENGINE=fibers or smaller blocks\n",
			f->pool->n_all - f->pool->n_free - 1);
		exit(1);
	}
}

void fiber_baton_put(struct fiber *f)
{
	struct fiber_baton *b = f->baton;
	if (!b->busy)
		return;
	b->order = ORDER_ABANDON;
	sem_post(&b->go);
	while (sem_wait(&b->idle))
		;
}

static void baton_free(struct fiber *f)
{
	sem_destroy(&f->baton->go);
	sem_destroy(&f->baton->idle);
	free(f->baton);
	f->baton = NULL;
}

void fiber_baton_end(struct fiber *f)
{
	if (!f->baton)
		return;
	f->baton->order = ORDER_END;
	sem_post(&f->baton->go);
	pthread_join(f->baton->pthread, NULL);
	baton_free(f);
}

void fiber_baton_adopt(struct fiber *f)
{
	f->baton = baton_new();
	f->baton->pthread = pthread_self();
	f->baton->adopted = true;
}

void fiber_baton_unadopt(struct fiber *f)
{
	baton_free(f);
}

void fiber_baton_switch(struct fiber *from, struct fiber *to)
{
	to->baton->order = ORDER_GO;
	sem_post(&to->baton->go);
	if (from->baton->adopted)
		take(from->baton);
	else
		rest(from->baton);
}

void fiber_baton_leave(struct fiber *from, struct fiber *to)
{
	struct fiber_baton *b = from->baton;
	b->busy = false;
	to->baton->order = ORDER_GO;
	/* Once `to` runs it may give us new work at once; the semaphore keeps it. */
	sem_post(&to->baton->go);
	siglongjmp(b->start, LEFT);
}

pthread_t fiber_baton_pthread(const struct fiber *f)
{
	return f->baton->pthread;
}
