/* SPDX-License-Identifier: Apache-2.0 */
/* expression_name.c - what names mean at this moment: variables of frames, globals,
 * threadIdx and its kin, registers. */
#include <stdlib.h>
#include <string.h>

#include "expression_evaluate.h"
#include "stack.h"
#include "unwritten.h"

/* ---- names ----------------------------------------------------------------------------- */

static const struct frame *frame_of(struct evaluation *e, const struct function *function)
{
	const struct frame *frames;
	if (!function || (e->context.frame && e->context.frame->function == function))
		return e->context.frame;
	size_t n = frames_of_focus(&frames);
	for (size_t i = 0; i < n; i++)
		if (frames[i].function == function)
			return &frames[i];
	return NULL;
}

static struct registers registers_of(const struct frame *frame)
{
	struct registers registers = frame->registers;
	if (frame->is_device) {
		registers.value[6] = frame->base;
		registers.known |= 1u << 6;
	}
	return registers;
}

struct cudasim_error *variable_address(struct evaluation *e, const struct node *node, uint64_t *ret)
{
	const struct location *location = &node->location;
	if (location->kind == LOCATION_ADDRESS) {
		*ret = (uint64_t)location->offset;
		return NULL;
	}
	const struct frame *frame = frame_of(e, node->frame_of);
	if (!frame)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No frame selected.");
	struct registers registers = registers_of(frame);
	return location_address(location, &registers, ret);
}

/* A variable that is in registers or has become a constant. */
static struct cudasim_error *variable_bytes(struct evaluation *e, const struct node *node,
					    struct value *ret)
{
	const struct frame *frame = frame_of(e, node->frame_of);
	uint64_t size = type_strip(node->type)->size;
	struct registers registers = {.known = 0};
	if (frame)
		registers = registers_of(frame);
	void *bytes = calloc(1, size + 16);
	if (!bytes)
		return &cudasim_error_nomem;
	struct cudasim_error *error = location_bytes(&node->location, &registers, bytes, size);
	if (!error)
		error = value_of_bytes(node->type, bytes, ret);
	free(bytes);
	if (!error)
		ret->storage = node->variable->storage;
	return error;
}

struct cudasim_error *evaluate_variable(struct evaluation *e, const struct node *node,
					struct value *ret)
{
	uint64_t address = 0;
	struct cudasim_error *error;
	if (e->types_only) {
		*ret = value_typed_object(node->type, node->variable->storage);
		return NULL;
	}
	if (node->location.kind == LOCATION_NONE) {
		*ret = value_at(node->type, node->variable->storage, 0);
		ret->is_optimized_out = true;
		return NULL;
	}
	bool has_bytes = node->location.kind == LOCATION_REGISTER ||
			 node->location.kind == LOCATION_VALUE;
	error = has_bytes ? NULL : variable_address(e, node, &address);
	if (!error && !has_bytes) {
		*ret = value_at(node->type, node->variable->storage, address);
		const struct frame *frame = frame_of(e, node->frame_of);
		unwritten_note(node->variable, &node->location, frame ? frame->lookup : 0, address);
		return NULL;
	}
	if (error && node->location.kind != LOCATION_EXPRESSION)
		return error;
	cudasim_error_free(error);
	return variable_bytes(e, node, ret);
}

static uint32_t device_of(const struct evaluation *e)
{
	const struct cudasim_thread *thread = e->context.thread;
	return thread && thread->block ? thread->block->device : 0;
}

struct cudasim_error *evaluate_global(struct evaluation *e, const struct node *node,
				      struct value *ret)
{
	if (e->types_only) {
		*ret = value_typed_object(node->type, node->variable->storage);
		return NULL;
	}
	return value_of_global(node->variable, device_of(e), ret);
}

/* uint3 and dim3, where the program's own debug information does not have them. */
static const struct type *triple_type(bool dim3)
{
	static struct member members[3] = {
		{.name = "x"}, {.name = "y", .offset = 4}, {.name = "z", .offset = 8}};
	static struct type uint3_type = {.kind = TYPE_STRUCT,
					 .name = "uint3",
					 .size = 12,
					 .members = members,
					 .n_members = 3};
	static struct type dim3_type = {.kind = TYPE_STRUCT,
					.name = "dim3",
					.size = 12,
					.members = members,
					.n_members = 3};
	const struct type *found = symbols_type(dim3 ? "dim3" : "uint3", NULL);
	for (int i = 0; i < 3; i++)
		members[i].type = type_base("unsigned int");
	if (found && type_strip(found)->size == 12)
		return found;
	return dim3 ? &dim3_type : &uint3_type;
}

struct cudasim_error *evaluate_builtin(struct evaluation *e, const struct node *node,
				       struct value *ret)
{
	static const char *const names[] = {"threadIdx", "blockIdx",   "blockDim",
					    "gridDim",   "clusterIdx", "clusterDim"};
	const struct cudasim_thread *thread = e->context.thread;
	if (node->number == BUILTIN_WARP_SIZE) {
		*ret = value_integer(type_base("int"), 32);
		return NULL;
	}
	bool dim3 = node->number == BUILTIN_BLOCK_DIM || node->number == BUILTIN_GRID_DIM ||
		    node->number == BUILTIN_CLUSTER_DIM;
	const struct type *type = triple_type(dim3);
	*ret = value_typed(type);
	if (e->types_only)
		return NULL;
	if (!thread || !thread->block)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No symbol \"%s\" in current context.",
					 names[node->number]);
	const struct cudasim_block *block = thread->block;
	uint32_t three[3];
	for (int i = 0; i < 3; i++) {
		uint32_t cluster = block->cluster_nctaid[i] ? block->cluster_nctaid[i] : 1;
		three[i] = node->number == BUILTIN_THREAD_IDX    ? thread->tid[i]
			   : node->number == BUILTIN_BLOCK_IDX   ? block->ctaid[i]
			   : node->number == BUILTIN_BLOCK_DIM   ? block->ntid[i]
			   : node->number == BUILTIN_GRID_DIM    ? block->nctaid[i]
			   : node->number == BUILTIN_CLUSTER_IDX ? block->ctaid[i] / cluster
								 : cluster;
	}
	return value_of_bytes(type, three, ret);
}

struct cudasim_error *evaluate_register(struct evaluation *e, const struct node *node,
					struct value *ret)
{
	const struct frame *frame = e->context.frame;
	static struct type code = {.kind = TYPE_FUNCTION, .size = 1};
	const struct type *type = type_base("long");
	code.target = type_base("void");
	if (node->number == 16)
		type = type_pointer(&code, STORAGE_NONE);
	else if (node->number == 6 || node->number == 7)
		type = type_pointer(type_base("void"), STORAGE_NONE);
	*ret = value_typed(type);
	if (e->types_only)
		return NULL;
	if (!frame)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No registers.");
	uint64_t number = frame->registers.value[node->number];
	bool known = frame->registers.known >> node->number & 1;
	if (node->number == 16) {
		number = frame->pc;
		known = true;
	} else if (node->number == 6 && frame->is_device) {
		number = frame->base;
		known = true;
	}
	if (!known)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "value is not available");
	*ret = value_integer(type, (wide)number);
	return NULL;
}
