/* SPDX-License-Identifier: Apache-2.0 */
#include "graph_condition.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "cudasim/abi.h"
#include "graph.h"
#include "log.h"
#include "observer.h"

struct condition {
	bool has_node;
	const struct graph *graph; /* compared only */
	unsigned default_value;
	bool assign;
	atomic_uint value;
};

/* Handle i + 1 is entry i % CHUNK of chunk i / CHUNK; read without a lock. */
enum { CHUNK = 1024, MAX_CHUNKS = 1024 };
static _Atomic(struct condition *) chunks[MAX_CHUNKS];
static atomic_ullong n_conditions;

static struct condition *find(cudaGraphConditionalHandle handle)
{
	if (!handle || handle > atomic_load(&n_conditions))
		return NULL;
	return &atomic_load(&chunks[(handle - 1) / CHUNK])[(handle - 1) % CHUNK];
}

cudaError_t condition_new(const struct graph *graph, unsigned default_value, bool assign,
			  cudaGraphConditionalHandle *ret)
{
	unsigned long long i = atomic_load(&n_conditions);
	if (i == (unsigned long long)CHUNK * MAX_CHUNKS)
		return cudaErrorMemoryAllocation;
	struct condition *chunk = atomic_load(&chunks[i / CHUNK]);
	if (!chunk) {
		chunk = calloc(CHUNK, sizeof *chunk);
		if (!chunk)
			return cudaErrorMemoryAllocation;
		atomic_store(&chunks[i / CHUNK], chunk);
	}
	struct condition *c = &chunk[i % CHUNK];
	c->graph = graph;
	c->default_value = default_value;
	c->assign = assign;
	atomic_store(&c->value, assign ? default_value : 0);
	atomic_store(&n_conditions, i + 1);
	*ret = i + 1;
	return cudaSuccess;
}

bool condition_claim(cudaGraphConditionalHandle handle, const struct graph *graph)
{
	struct condition *c = find(handle);
	if (!c || c->graph != graph || c->has_node)
		return false;
	c->has_node = true;
	return true;
}

void condition_unclaim(cudaGraphConditionalHandle handle)
{
	find(handle)->has_node = false;
}

bool condition_set(cudaGraphConditionalHandle handle, unsigned value)
{
	struct condition *c = find(handle);
	if (c)
		atomic_store(&c->value, value);
	return c;
}

void __cudasim_graph_condition(uint64_t handle, uint32_t value, const struct cudasim_site *site)
{
	if (!condition_set(handle, value))
		log_once("cudaGraphSetConditional (%s:%u): %llu is not a conditional handle",
			 site && site->file ? site->file : "?", site ? site->line : 0,
			 (unsigned long long)handle);
}

void condition_begin(cudaGraphConditionalHandle handle)
{
	struct condition *c = find(handle);
	if (c && c->assign)
		atomic_store(&c->value, c->default_value);
}

/* ---- running -------------------------------------------------------------------- */

/* One run of a conditional node: all that it needs when its turn comes. */
struct choice {
	unsigned refs; /* under graph_lock() */
	uint64_t order_id; /* the operation that tools know; bodies are parts of it */
	cudaGraphConditionalHandle handle;
	enum cudaGraphConditionalNodeType type;
	struct stream *stream;
	struct operation *end;
	unsigned n_bodies;
	struct graph *bodies[]; /* references */
};

static void ref_choice(void *state)
{
	struct choice *choice = state;
	graph_lock();
	choice->refs++;
	graph_unlock();
}

static void unref_choice(void *state)
{
	struct choice *choice = state;
	graph_lock();
	bool last = !--choice->refs;
	for (unsigned i = 0; last && i < choice->n_bodies; i++)
		graph_unref(choice->bodies[i]);
	graph_unlock();
	if (!last)
		return;
	operation_unref(choice->end);
	stream_unref(choice->stream);
	free(choice);
}

static void run_choice(struct operation *operation, void *state);
static const struct step choose = {run_choice, ref_choice, unref_choice, false};

static struct operation *new_operation(struct choice *choice)
{
	struct work work = {
		.kind = WORK_STEP, .device = choice->stream->device, .step = {&choose, choice}};
	choice->refs++;
	struct operation *operation = operation_new(&work);
	if (!operation)
		choice->refs--;
	return operation;
}

/* The body that the value chooses, or NULL. */
static const struct graph *chosen(const struct choice *choice)
{
	unsigned value = atomic_load(&find(choice->handle)->value);
	if (choice->type == cudaGraphCondTypeIf)
		value = !value;
	else if (choice->type == cudaGraphCondTypeWhile && !value)
		return NULL;
	else if (choice->type == cudaGraphCondTypeWhile)
		value = 0;
	return value < choice->n_bodies ? choice->bodies[value] : NULL;
}

/* order_id of what this pthread runs, or 0. */
static _Thread_local uint64_t running;

uint64_t condition_running(void)
{
	return running;
}

static void announce_within(const struct choice *choice, uint64_t id)
{
	struct cudasim_order_event event = {
		.kind = CUDASIM_ORDER_WITHIN,
		.device = choice->stream->device->ordinal,
		.stream = choice->stream->legacy ? 0 : choice->stream->id,
		.id = id,
	};
	running = id;
	observe_order(&event);
}

static void run_choice(struct operation *operation, void *state)
{
	struct choice *choice = state;
	struct device *device = choice->stream->device;
	struct work nothing = {.kind = WORK_NOTHING, .device = device};
	graph_lock();
	/* A dead context runs nothing, so nothing would ever end a loop. */
	const struct graph *body = atomic_load(&device->sticky) ? NULL : chosen(choice);
	struct operation *after = NULL;
	if (body)
		after = choice->type == cudaGraphCondTypeWhile ? new_operation(choice)
							       : operation_new(&nothing);
	if (after) {
		operation_lock();
		operation_after(after, operation);
		operation_after(choice->end, after);
		operation_unlock();
	}
	announce_within(choice, choice->order_id);
	if (body && (!after || graph_start(body, choice->stream, operation, after, NULL)))
		device_fail(device, cudaErrorMemoryAllocation);
	announce_within(choice, 0);
	graph_unlock();
	if (after)
		operation_submit(after);
	operation_unref(after);
}

struct operation *condition_operation(const struct graph_node *node, struct stream *stream,
				      struct operation *end)
{
	struct choice *choice = calloc(1, sizeof *choice + node->n_bodies * sizeof *choice->bodies);
	if (!choice)
		return NULL;
	choice->handle = node->condition;
	choice->type = node->condition_type;
	choice->stream = stream;
	choice->end = operation_ref(end);
	choice->n_bodies = node->n_bodies;
	for (unsigned i = 0; i < node->n_bodies; i++)
		choice->bodies[i] = graph_ref(node->bodies[i]);
	operation_lock();
	stream->refs++;
	operation_unlock();
	choice->refs = 1;
	struct operation *operation = new_operation(choice);
	choice->order_id = running ? running : operation ? operation->id : 0;
	unref_choice(choice); /* the operation has its own */
	return operation;
}
