/* SPDX-License-Identifier: Apache-2.0 */
/* command_where.c - where-is: what lies at an address.
 *
 * First the memory itself (an allocation, a variable, a block's shared window, a
 * thread's stack), then names for the place: variables of the frames and globals that
 * hold it, and typed pointers among the frames' variables into the same memory,
 * followed by the way down to the member: ps[12].vel.y. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command_data.h"
#include "console.h"
#include "error.h"
#include "expression.h"
#include "focus.h"
#include "frame_print.h"
#include "memory_made.h"
#include "stack.h"

/* What the address was found to lie in. */
struct memory {
	uint64_t start, size;
	bool is_known;
};

/* ---- the way down --------------------------------------------------------------------- */

static const struct member *member_at(const struct type *type, uint64_t offset)
{
	for (size_t i = 0; i < type->n_members; i++) {
		const struct member *member = &type->members[i];
		uint64_t size = type_strip(member->type)->size;
		if (!member->is_static && !member->is_virtual_base && offset >= member->offset &&
		    offset < member->offset + size)
			return member;
	}
	return NULL;
}

/* Writes ".vel.y" or "[3]" and so on for offset within an object of type. */
static void print_way(FILE *out, const struct type *type, uint64_t offset)
{
	for (;;) {
		type = type_strip(type);
		if (type->kind == TYPE_ARRAY && type->target && type_strip(type->target)->size) {
			uint64_t size = type_strip(type->target)->size;
			fprintf(out, "[%" PRIu64 "]", offset / size);
			offset %= size;
			type = type->target;
			continue;
		}
		const struct member *member = type->kind == TYPE_STRUCT && !type->float_format
						      ? member_at(type, offset)
						      : NULL;
		if (!member)
			break;
		if (!member->is_base && member->name && *member->name)
			fprintf(out, ".%s", member->name);
		offset -= member->offset;
		type = member->type;
	}
	if (offset)
		fprintf(out, " + %" PRIu64 " byte%s", offset, offset == 1 ? "" : "s");
}

/* ---- the memory ------------------------------------------------------------------------- */

static const char *kind_name(enum cudasim_memory_kind kind)
{
	static const char *const names[] = {"device memory",      "managed memory",
					    "pinned host memory", "registered host memory",
					    "device heap",        "variable"};
	return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "memory";
}

/* The program's own code that made the allocation: the innermost call outside of
 * cudasim's libraries and of the toolkit's inline functions. */
static void print_calls(uint64_t id)
{
	uint64_t calls[16];
	size_t n = memory_made_by(id, calls, 16);
	const char *name, *mangled, *file;
	uint64_t offset;
	for (size_t i = 0; i < n && i < 16; i++) {
		struct line line;
		const struct function *function = symbols_function_at(calls[i] - 1);
		if (!symbols_symbol_at(calls[i] - 1, &name, &mangled, &offset, &file) ||
		    strstr(file, "/libcudasim"))
			continue;
		if (function && symbols_line_at(calls[i] - 1, &line)) {
			if (strstr(line.path, "/cuda_runtime.h"))
				continue;
			fprintf(console(), " in %s at %s:%u", function->name, line.file, line.line);
			return;
		}
		if (!strncmp(name, "cudaError cudaMalloc", 20) || !strncmp(name, "cudaMalloc", 10))
			continue;
		fprintf(console(), " in %s", name);
		return;
	}
}

static void print_owner(const struct cudasim_memory *memory)
{
	if (memory->kind == CUDASIM_MEMORY_VARIABLE)
		fprintf(console(), " %s",
			memory->function ? symbols_demangle(memory->function) : "?");
	if (memory->device >= 0)
		fprintf(console(), " of device %d", memory->device);
	if (memory->kind == CUDASIM_MEMORY_VARIABLE)
		return;
	if (memory->id)
		fprintf(console(), ", allocation %" PRIu64, memory->id);
	if (memory->function)
		fprintf(console(), ", made by %s", memory->function);
	if (memory->site)
		fprintf(console(), " at %s:%u", memory->site->file, memory->site->line);
	else
		print_calls(memory->id);
}

static void print_allocation(uint64_t address, const struct cudasim_memory *memory, bool inside,
			     bool freed)
{
	uint64_t start = (uint64_t)memory->address, end = start + memory->size;
	fprintf(console(), "0x%" PRIx64 " is ", address);
	if (inside)
		fprintf(console(), "%" PRIu64 " bytes into ", address - start);
	else if (address < start)
		fprintf(console(), "%" PRIu64 " bytes before ", start - address);
	else
		fprintf(console(), "%" PRIu64 " bytes behind the end of ", address - end);
	fprintf(console(), "%" PRIu64 " bytes at 0x%" PRIx64 ": %s", memory->size, start,
		kind_name(memory->kind));
	print_owner(memory);
	if (freed)
		fputs(", freed", console());
	fputs(".\n", console());
}

static bool print_shared(uint64_t address, struct memory *ret)
{
	const struct focus *focus = focus_get();
	uint64_t size, window = value_window(&size);
	if (!window || address < window || address - window >= size)
		return false;
	*ret = (struct memory){window, size, true};
	fprintf(console(),
		"0x%" PRIx64 " is at offset 0x%" PRIx64 " of the shared memory (%" PRIu64
		" bytes) of block (%u,%u,%u).\n",
		address, address - window, size, focus->block->ctaid[0], focus->block->ctaid[1],
		focus->block->ctaid[2]);
	return true;
}

static bool print_stack(uint64_t address, struct memory *ret)
{
	const struct focus *focus = focus_get();
	uint32_t n = focus->is_device ? cudasim_block_size(focus->block) : 0;
	for (uint32_t i = 0; i < n; i++) {
		struct cudasim_thread *thread = cudasim_block_thread(focus->block, i);
		uint64_t low = 0, high = 0, used;
		if (!thread || !focus_can_see(thread))
			continue;
		cudasim_thread_stack(thread, &low, &high, &used);
		if (address < low || address >= high)
			continue;
		*ret = (struct memory){low, high - low, true};
		fprintf(console(),
			"0x%" PRIx64 " is local memory of thread (%u,%u,%u) of block (%u,%u,%u)",
			address, thread->tid[0], thread->tid[1], thread->tid[2],
			focus->block->ctaid[0], focus->block->ctaid[1], focus->block->ctaid[2]);
		fputs(address < used ? ", not in use.\n" : ".\n", console());
		return true;
	}
	return false;
}

static bool print_symbol(uint64_t address)
{
	const char *name, *mangled, *file;
	uint64_t offset;
	if (!symbols_symbol_at(address, &name, &mangled, &offset, &file))
		return false;
	fprintf(console(), "0x%" PRIx64 " is %s", address, name);
	if (offset)
		fprintf(console(), " + %" PRIu64, offset);
	fprintf(console(), " in %s.\n", file);
	return true;
}

static void print_unknown(uint64_t address)
{
	char byte;
	bool is_there = cudasim_memory_read((const void *)address, &byte, 1) == 1;
	fprintf(console(), "0x%" PRIx64 " is in no allocation: %s.\n", address,
		is_there ? "the host's own memory" : "nothing is there");
}

static bool print_memory(uint64_t address, struct memory *ret)
{
	struct cudasim_memory memory;
	bool inside, freed;
	if (print_shared(address, ret) || print_stack(address, ret))
		return true;
	if (!cudasim_memory_find((const void *)address, &memory, &inside, &freed))
		return print_symbol(address);
	print_allocation(address, &memory, inside, freed);
	/* What lies just outside of an allocation is named from it as well: p[128] of 128. */
	*ret = (struct memory){(uint64_t)memory.address, memory.size, true};
	return true;
}

/* What the checkers know of the byte, where they are at work (checkers/access/history.c). */
static void print_last_write(uint64_t address)
{
	const struct focus *focus = focus_get();
	struct cudasim_last_write w;
	if (!cudasim_last_write(focus->is_device ? focus->block : NULL, (const void *)address, &w))
		return;
	if (!w.written)
		fputs("Nobody has written there.\n", console());
	else if (w.function)
		fprintf(console(), "Last written by %s.\n", w.function);
	else
		fprintf(console(),
			"Last written by thread (%u,%u,%u) of block (%u,%u,%u) of kernel %" PRIu64
			", in %s at %s:%u.\n",
			w.tid[0], w.tid[1], w.tid[2], w.ctaid[0], w.ctaid[1], w.ctaid[2],
			w.launch - 1, w.site->function, w.site->file, w.site->line);
}

/* ---- names --------------------------------------------------------------------------------- */

enum { MAX_NAMES = 8 };

struct naming {
	uint64_t address;
	struct memory memory;
	const struct frame *frame; /* NULL for globals */
	size_t n;
	bool only_selected;
};

static void begin_name(struct naming *naming)
{
	naming->n++;
	fputs("  ", console());
}

static void end_name(const struct naming *naming, const struct type *type)
{
	(void)type;
	if (naming->frame && naming->frame != frame_selected())
		fprintf(console(), " in frame %u, %s", naming->frame->level, naming->frame->name);
	fputc('\n', console());
}

static void name_object(struct naming *naming, const char *name, const struct value *value)
{
	const struct type *type = type_strip(value->type);
	uint64_t size = type->size;
	/* An extern __shared__ array goes on to the end of the window. */
	if (type->kind == TYPE_ARRAY && !type->n && naming->memory.is_known &&
	    value->address >= naming->memory.start)
		size = naming->memory.start + naming->memory.size - value->address;
	if (!value->is_lvalue || naming->address < value->address ||
	    naming->address - value->address >= size)
		return;
	begin_name(naming);
	fputs(name, console());
	print_way(console(), value->type, naming->address - value->address);
	end_name(naming, value->type);
}

/* A pointer into the same allocation, whose elements are counted from it. */
static void name_pointee(struct naming *naming, const char *name, const struct value *value)
{
	const struct type *type = type_strip(value->type), *target;
	uint64_t to;
	bool is_reference = type->kind == TYPE_REFERENCE;
	if (!naming->memory.is_known || (type->kind != TYPE_POINTER && !is_reference) ||
	    !type->target)
		return;
	target = type_strip(type->target);
	struct cudasim_error *error = value_to_address(value, &to, NULL);
	if (error || !target->size || to < naming->memory.start ||
	    to - naming->memory.start >= naming->memory.size) {
		cudasim_error_free(error);
		return;
	}
	int64_t distance = (int64_t)(naming->address - to), size = (int64_t)target->size;
	int64_t index = distance / size - (distance % size < 0);
	if (is_reference && index)
		return;
	begin_name(naming);
	fputs(name, console());
	if (!is_reference)
		fprintf(console(), "[%" PRId64 "]", index);
	print_way(console(), type->target, (uint64_t)(distance - index * size));
	end_name(naming, type->target);
}

static void name_by(struct naming *naming, const char *name, struct value *value)
{
	struct cudasim_error *error;
	const struct type *type = type_strip(value->type);
	if (naming->n >= MAX_NAMES || value->is_optimized_out)
		return;
	name_object(naming, name, value);
	if (type->kind != TYPE_POINTER && type->kind != TYPE_REFERENCE)
		return;
	error = value_fetch(value);
	if (!error)
		name_pointee(naming, name, value);
	cudasim_error_free(error);
}

static void name_in_frame(struct naming *naming, const struct frame *frame)
{
	naming->frame = frame;
	for (size_t i = 0; i < frame->n_scopes; i++)
		for (size_t k = 0; k < frame->scopes[i].n_variables; k++) {
			const struct variable *variable = &frame->scopes[i].variables[k];
			struct value value;
			struct cudasim_error *error = frame_variable(frame, variable, &value);
			if (error) {
				cudasim_error_free(error);
				continue;
			}
			name_by(naming, variable->name, &value);
			value_fini(&value);
		}
}

static void name_in_global(void *user, const struct variable *variable)
{
	struct naming *naming = user;
	const struct focus *focus = focus_get();
	uint64_t address;
	struct cudasim_error *error = symbols_global_address(
		variable, focus->is_device ? focus->launch->device : 0, &address);
	if (error) {
		cudasim_error_free(error);
		return;
	}
	struct value value = value_at(variable->type, variable->storage, address);
	naming->frame = NULL;
	name_by(naming, variable->name, &value);
	value_fini(&value);
}

struct cudasim_error *command_where_is(const char *argument)
{
	struct naming naming = {0};
	struct value value;
	const struct frame *frames, *selected = frame_selected();
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Argument required (address).");
	struct cudasim_error *error = evaluate_text(argument, &value);
	if (error)
		return error;
	error = value_to_address(&value, &naming.address, NULL);
	value_fini(&value);
	if (error)
		return error;
	if (!print_memory(naming.address, &naming.memory))
		print_unknown(naming.address);
	print_last_write(naming.address);
	if (selected)
		name_in_frame(&naming, selected);
	size_t n = frames_of_focus(&frames);
	for (size_t i = 0; i < n; i++)
		if (&frames[i] != selected && frames[i].is_device)
			name_in_frame(&naming, &frames[i]);
	symbols_each_global(name_in_global, &naming);
	return NULL;
}
