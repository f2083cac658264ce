/* SPDX-License-Identifier: Apache-2.0 */
#include "graph_object.h"

#include <pthread.h>
#include <stdlib.h>

#include "graph.h"
#include "hash.h"
#include "device.h"
#include "operation.h"

struct user_object {
	void *pointer;
	cudaHostFn_t destroy;
	unsigned n;        /* references in all */
	unsigned n_caller; /* of them the program's own */
};

/* A graph's references to one object. */
struct user_reference {
	struct user_object *object;
	unsigned n;
	struct user_reference *next;
};

static struct hash objects;

cudaError_t object_new(void *pointer, cudaHostFn_t destroy, unsigned n, struct user_object **ret)
{
	struct user_object *object = calloc(1, sizeof *object);
	if (!object || !hash_put(&objects, object, object)) {
		free(object);
		return cudaErrorMemoryAllocation;
	}
	*object = (struct user_object){pointer, destroy, n, n};
	*ret = object;
	return cudaSuccess;
}

struct user_object *object_find(cudaUserObject_t handle)
{
	return hash_get(&objects, handle);
}

static void drop(struct user_object *object, unsigned n)
{
	object->n -= n;
	if (object->n)
		return;
	hash_remove(&objects, object);
	if (!host_function_call(object->destroy, object->pointer))
		device_fail(device_current(), cudaErrorMemoryAllocation);
	free(object);
}

void object_retain(struct user_object *object, unsigned n)
{
	object->n += n;
	object->n_caller += n;
}

cudaError_t object_release(struct user_object *object, unsigned n)
{
	if (n > object->n_caller)
		return cudaErrorInvalidValue;
	object->n_caller -= n;
	drop(object, n);
	return cudaSuccess;
}

static struct user_reference *find(struct graph *graph, const struct user_object *object)
{
	struct user_reference *reference = graph->objects;
	while (reference && reference->object != object)
		reference = reference->next;
	return reference;
}

cudaError_t object_give(struct graph *graph, struct user_object *object, unsigned n, int move)
{
	struct user_reference *reference = find(graph, object);
	if (move && n > object->n_caller)
		return cudaErrorInvalidValue;
	if (!reference) {
		reference = calloc(1, sizeof *reference);
		if (!reference)
			return cudaErrorMemoryAllocation;
		*reference = (struct user_reference){object, 0, graph->objects};
		graph->objects = reference;
	}
	reference->n += n;
	if (move)
		object->n_caller -= n;
	else
		object->n += n;
	return cudaSuccess;
}

cudaError_t object_take(struct graph *graph, struct user_object *object, unsigned n)
{
	struct user_reference *reference = find(graph, object);
	if (!reference || n > reference->n)
		return cudaErrorInvalidValue;
	reference->n -= n;
	if (!reference->n) {
		struct user_reference **at = &graph->objects;
		while (*at != reference)
			at = &(*at)->next;
		*at = reference->next;
		free(reference);
	}
	drop(object, n);
	return cudaSuccess;
}

cudaError_t objects_copy(const struct graph *from, struct graph *to)
{
	cudaError_t error = cudaSuccess;
	for (struct user_reference *r = from->objects; r && !error; r = r->next)
		error = object_give(to, r->object, r->n, 0);
	return error;
}

void objects_release_all(struct graph *graph)
{
	while (graph->objects)
		object_take(graph, graph->objects->object, graph->objects->n);
}
