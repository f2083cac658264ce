/* SPDX-License-Identifier: Apache-2.0 */
#include "context.h"

#include <pthread.h>
#include <stdlib.h>

#include "cudasim/abi.h"
#include "device.h"

static struct context primaries[CUDASIM_MAX_DEVICES];
static struct context *made; /* those of cuCtxCreate() */
static uint64_t n_made;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool started;

/* On the heap: variables of threads have little room in a library that is loaded late. */
struct stack {
	size_t n, room;
	struct context *list[];
};
static _Thread_local struct stack *stack;
static pthread_key_t stack_key; /* frees it with its thread */

bool context_started(void)
{
	return atomic_load_explicit(&started, memory_order_relaxed);
}

void context_start(void)
{
	if (!context_started())
		atomic_store(&started, true);
}

/* ---- contexts ------------------------------------------------------------------------------ */

struct context *context_primary(struct device *device)
{
	struct context *c = &primaries[device->ordinal];
	pthread_mutex_lock(&lock);
	c->device = device;
	c->primary = true;
	c->id = device->ordinal + 1;
	pthread_mutex_unlock(&lock);
	return c;
}

struct context *context_find(const void *handle)
{
	struct context *c = NULL;
	for (int i = 0; i < device_count() && !c; i++)
		if (handle == &primaries[i])
			c = context_primary(device_get(i));
	pthread_mutex_lock(&lock);
	for (struct context *m = made; m && !c; m = m->next)
		if (m == handle)
			c = m;
	pthread_mutex_unlock(&lock);
	return c;
}

struct context *context_new(struct device *device, unsigned flags)
{
	struct context *c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	c->device = device;
	c->flags = flags;
	atomic_store(&c->refs, 1);
	pthread_mutex_lock(&lock);
	c->id = CUDASIM_MAX_DEVICES + ++n_made;
	c->next = made;
	made = c;
	pthread_mutex_unlock(&lock);
	return c;
}

/* ---- stacks ---------------------------------------------------------------------------------- */

static void drop_stack(void *memory)
{
	free(memory);
	stack = NULL; /* calls of later destructors make another */
}

static void make_key(void)
{
	if (pthread_key_create(&stack_key, drop_stack))
		abort();
}

static bool make_room(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	if (stack && stack->n < stack->room)
		return true;
	size_t room = stack ? 2 * stack->room : 4;
	pthread_once(&once, make_key);
	struct stack *bigger = realloc(stack, sizeof *bigger + room * sizeof bigger->list[0]);
	if (!bigger)
		return false;
	if (!stack)
		bigger->n = 0;
	bigger->room = room;
	stack = bigger;
	pthread_setspecific(stack_key, stack);
	return true;
}

struct context *context_top(void)
{
	return stack && stack->n ? stack->list[stack->n - 1] : NULL;
}

static void follow(void)
{
	struct context *top = context_top();
	if (top)
		device_set_current((int)top->device->ordinal);
}

bool context_push(struct context *c)
{
	if (!make_room())
		return false;
	stack->list[stack->n++] = c;
	follow();
	return true;
}

struct context *context_pop(void)
{
	struct context *top = context_top();
	if (top)
		stack->n--;
	follow();
	return top;
}

bool context_set(struct context *c)
{
	if (!c || !context_top()) {
		if (c)
			return context_push(c);
		context_pop();
		return true;
	}
	stack->list[stack->n - 1] = c;
	follow();
	return true;
}

/* ---- calls ----------------------------------------------------------------------------------- */

cudaError_t context_for_driver(enum context_need need)
{
	if (!context_started())
		return cudaErrorInitializationError;
	const struct context *top = context_top();
	if (need == CONTEXT_NONE || (need == CONTEXT_LIVE_OR_NONE && !top))
		return cudaSuccess;
	if (!top)
		return cudaErrorDeviceUninitialized;
	return need == CONTEXT_ANY || context_lives(top) ? cudaSuccess
							 : cudaErrorContextIsDestroyed;
}

/* The runtime's own reference of the primary context is counted once. */
static void retain_for_runtime(struct context *primary)
{
	int none = 0;
	atomic_compare_exchange_strong(&primary->refs, &none, 1);
}

cudaError_t context_for_runtime(void)
{
	struct context *top = context_top();
	context_start();
	if (!top) {
		top = context_primary(device_current());
		if (!context_push(top))
			return cudaErrorMemoryAllocation;
	}
	if (top->primary)
		retain_for_runtime(top);
	return context_lives(top) ? cudaSuccess : cudaErrorDeviceUninitialized;
}

cudaError_t context_use(struct device *device)
{
	struct context *primary = context_primary(device);
	context_start();
	retain_for_runtime(primary);
	return context_set(primary) ? cudaSuccess : cudaErrorMemoryAllocation;
}
