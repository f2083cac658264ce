/* SPDX-License-Identifier: Apache-2.0 */
#include "graph_memory.h"

#include <stdlib.h>

#include "device.h"
#include "graph.h"
#include "memory.h"

struct graph_memory {
	unsigned refs; /* atomic */
	struct device *device;
	void *address;
	size_t size;
	uint64_t held;  /* memory.h */
	bool left;      /* as of the launches submitted so far it is allocated */
	struct graph_memory *next;
};

static struct graph_memory *all;
static struct graph_memory_use uses[CUDASIM_MAX_DEVICES];

static uint64_t whole(size_t size)
{
	/* What the driver takes at once. */
	const uint64_t unit = 2u << 20;
	return (size + unit - 1) / unit * unit;
}

cudaError_t graph_memory_new(struct device *device, size_t size, struct graph_memory **ret)
{
	struct allocation what = {
		.kind = CUDASIM_MEMORY_DEVICE,
		.device = (int)device->ordinal,
		.function = "cudaGraphAddMemAllocNode",
	};
	struct graph_memory *memory = calloc(1, sizeof *memory);
	if (!memory)
		return cudaErrorMemoryAllocation;
	cudaError_t error = memory_hold(&what, size, &memory->address, &memory->held);
	if (error) {
		free(memory);
		return error;
	}
	memory->refs = 1;
	memory->device = device;
	memory->size = size;
	memory->next = all;
	all = memory;
	*ret = memory;
	return cudaSuccess;
}

struct graph_memory *graph_memory_ref(struct graph_memory *memory)
{
	__atomic_add_fetch(&memory->refs, 1, __ATOMIC_RELAXED);
	return memory;
}

/* What a launch leaves allocated changes. */
static void set_left(struct graph_memory *memory, bool left)
{
	struct graph_memory_use *use = &uses[memory->device->ordinal];
	if (memory->left == left)
		return;
	memory->left = left;
	if (!left) {
		use->used -= memory->size;
		return;
	}
	use->used += memory->size;
	if (use->used > use->used_high)
		use->used_high = use->used;
}

void graph_memory_unref(struct graph_memory *memory)
{
	if (!memory || __atomic_sub_fetch(&memory->refs, 1, __ATOMIC_ACQ_REL))
		return;
	graph_lock();
	for (struct graph_memory **at = &all; *at; at = &(*at)->next) {
		if (*at == memory) {
			*at = memory->next;
			break;
		}
	}
	set_left(memory, false);
	graph_unlock();
	memory_release(memory->address, memory->held);
	free(memory);
}

void *graph_memory_address(const struct graph_memory *memory)
{
	return memory->address;
}

size_t graph_memory_size(const struct graph_memory *memory)
{
	return memory->size;
}

struct device *graph_memory_device(const struct graph_memory *memory)
{
	return memory->device;
}

/* ---- the node's work ---------------------------------------------------------- */

static void run_alloc(struct operation *operation, void *state)
{
	struct graph_memory *memory = state;
	(void)operation;
	memory_take(memory->address, memory->held, "cudaGraphLaunch");
}

static void ref_state(void *state)
{
	graph_memory_ref(state);
}

static void unref_state(void *state)
{
	graph_memory_unref(state);
}

struct work graph_memory_work(struct graph_memory *memory)
{
	static const struct step alloc = {run_alloc, ref_state, unref_state, false};
	return (struct work){.kind = WORK_STEP,
			     .device = memory->device,
			     .step = {&alloc, graph_memory_ref(memory)}};
}

/* ---- allocated and freed, in the order of launches ------------------------------ */

struct graph_memory *graph_memory_find(const void *address)
{
	struct graph_memory *memory = all;
	while (memory && memory->address != address)
		memory = memory->next;
	return memory;
}

void graph_memory_freed(const void *address)
{
	graph_lock();
	struct graph_memory *memory = graph_memory_find(address);
	if (memory)
		set_left(memory, false);
	graph_unlock();
}

/* Does something for each node of a graph and its children. */
static cudaError_t for_each(const struct graph *graph,
			    cudaError_t (*f)(const struct graph_node *, void *), void *arg)
{
	cudaError_t error = cudaSuccess;
	for (size_t i = 0; i < graph->n && !error; i++) {
		error = f(graph->nodes[i], arg);
		if (!error && graph->nodes[i]->child)
			error = for_each(graph->nodes[i]->child, f, arg);
	}
	return error;
}

/* What an earlier launch left is freed first, or forbids this one. */
static cudaError_t check_left(const struct graph_node *node, void *arg)
{
	const bool *auto_free = arg;
	return node->memory && node->memory->left && !*auto_free ? cudaErrorInvalidValue
								 : cudaSuccess;
}

static cudaError_t let_go(const struct graph_node *node, void *arg)
{
	if (!node->memory || !node->memory->left)
		return cudaSuccess;
	struct work work = {.kind = WORK_FREE,
			    .device = node->memory->device,
			    .address = node->memory->address};
	set_left(node->memory, false);
	return stream_submit(arg, &work, NULL, NULL);
}

static cudaError_t note_alloc(const struct graph_node *node, void *arg)
{
	(void)arg;
	if (node->memory)
		set_left(node->memory, true);
	return cudaSuccess;
}

static cudaError_t note_free(const struct graph_node *node, void *arg)
{
	(void)arg;
	if (node->type == cudaGraphNodeTypeMemFree)
		graph_memory_freed(node->work.address);
	return cudaSuccess;
}

cudaError_t graph_memory_launch(struct graph_exec *exec, struct stream *stream)
{
	bool auto_free = exec->flags & cudaGraphInstantiateFlagAutoFreeOnLaunch;
	cudaError_t error = for_each(exec->graph, check_left, &auto_free);
	if (!error && auto_free)
		error = for_each(exec->graph, let_go, stream);
	if (!error)
		error = for_each(exec->graph, note_alloc, NULL);
	return error ? error : for_each(exec->graph, note_free, NULL);
}

void graph_memory_look(const struct device *device, struct graph_memory_use *ret)
{
	struct graph_memory_use *use = &uses[device->ordinal];
	use->reserved = 0;
	for (const struct graph_memory *memory = all; memory; memory = memory->next)
		if (memory->device == device)
			use->reserved += whole(memory->size);
	if (use->reserved > use->reserved_high)
		use->reserved_high = use->reserved;
	*ret = *use;
}

void graph_memory_reset_high(const struct device *device, bool used)
{
	struct graph_memory_use now;
	graph_memory_look(device, &now);
	if (used)
		uses[device->ordinal].used_high = now.used;
	else
		uses[device->ordinal].reserved_high = now.reserved;
}
