/* SPDX-License-Identifier: Apache-2.0 */
/* call_abi.c - where arguments and results of calls stand.
 *
 * Sources: System V ABI for x86-64, 3.2.3 (host code); for device code, clang's NVPTX
 * ABI (structs by value in memory, returned as first-class structs) under LLVM's x86-64
 * calling convention (X86CallingConv.td: CC_X86_64_C, RetCC_X86_64_C). */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "call.h"
#include "error.h"

_Static_assert(offsetof(struct call_registers, xmm) == 56 &&
		       offsetof(struct call_registers, n_stack) == 120 &&
		       offsetof(struct call_registers, rax) == 136 &&
		       offsetof(struct call_registers, xmm1) == 168 &&
		       offsetof(struct call_registers, n_x87) == 176 &&
		       offsetof(struct call_registers, x87) == 192,
	       "call_x86_64.S knows these");

/* ---- a struct's scalars ------------------------------------------------------------ */

#define MAX_LEAVES 64
struct leaf {
	uint32_t offset, size;
	bool is_float;
};
struct leaves {
	struct leaf leaf[MAX_LEAVES];
	size_t n;
	bool too_many;
	bool unclear; /* unions, bitfields: how clang cuts them into scalars is not told */
};

static void flatten(const struct type *type, uint64_t offset, int depth, struct leaves *leaves)
{
	type = type_strip(type);
	if (depth > 32 || leaves->too_many)
		return;
	if (type->kind == TYPE_ARRAY) {
		for (uint64_t i = 0; i < type->n && !leaves->too_many; i++)
			flatten(type->target, offset + i * type_strip(type->target)->size,
				depth + 1, leaves);
		return;
	}
	if (type->kind == TYPE_STRUCT && type->n_members) {
		leaves->unclear |= type->is_union;
		for (size_t i = 0; i < type->n_members; i++) {
			const struct member *member = &type->members[i];
			if (member->is_static)
				continue;
			leaves->unclear |= member->bit_size != 0;
			const struct type *own = type_strip(member->type);
			if (own->kind == TYPE_STRUCT && !own->n_members)
				continue; /* an empty base */
			flatten(member->type, offset + member->offset, depth + 1, leaves);
		}
		return;
	}
	if (leaves->n == MAX_LEAVES) {
		leaves->too_many = true;
		return;
	}
	leaves->leaf[leaves->n++] = (struct leaf){
		.offset = (uint32_t)offset,
		.size = (uint32_t)type->size,
		.is_float = type->kind == TYPE_FLOAT,
	};
}

/* Would LLVM lay the scalars out so by itself? If not, clang has added bytes, which
 * are scalars, too. */
static bool is_natural(const struct leaves *leaves, uint64_t size)
{
	uint64_t end = 0, most = 1;
	for (size_t i = 0; i < leaves->n; i++) {
		uint64_t align = leaves->leaf[i].size ? leaves->leaf[i].size : 1;
		most = align > most ? align : most;
		end = (end + align - 1) / align * align;
		if (leaves->leaf[i].offset != end)
			return false;
		end += leaves->leaf[i].size;
	}
	return (end + most - 1) / most * most == size;
}

/* Classes that are copied by functions of their own are passed by address. */
static bool is_trivial(const struct type *type, int depth)
{
	type = type_strip(type);
	if (type->kind == TYPE_ARRAY && depth < 32)
		return is_trivial(type->target, depth + 1);
	if (type->kind != TYPE_STRUCT || depth >= 32)
		return true;
	for (size_t i = 0; i < type->n_methods; i++) {
		const struct method *method = &type->methods[i];
		const struct type *function = method->type ? type_strip(method->type) : NULL;
		if (method->is_virtual ||
		    (method->name && *method->name == '~' && !method->is_artificial))
			return false;
		bool constructor = method->name && type->name && function &&
				   function->n_members == 2 && !method->is_artificial &&
				   strlen(type->name) >= strlen(method->name) &&
				   !strcmp(type->name + strlen(type->name) - strlen(method->name),
					   method->name);
		if (!constructor)
			continue;
		const struct type *from = type_strip(function->members[1].type);
		if (from->kind == TYPE_REFERENCE && type_equal(type_strip(from->target), type))
			return false;
	}
	for (size_t i = 0; i < type->n_members; i++)
		if (!type->members[i].is_static && !is_trivial(type->members[i].type, depth + 1))
			return false;
	return true;
}

/* ---- where things go ------------------------------------------------------------------- */

static struct cudasim_error *too_large(void)
{
	return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
				 "The arguments of the call take more than 4 KiB.");
}

static struct cudasim_error *push_stack(struct call *call, const void *bytes, uint64_t n,
					uint64_t align)
{
	uint64_t words = (n + 7) / 8;
	if (align > 8 && call->n_stack % 2)
		call->n_stack++;
	if (words > CALL_STACK_WORDS - call->n_stack)
		return too_large();
	memcpy(&call->stack[call->n_stack], bytes, n);
	call->n_stack += words;
	return NULL;
}

static struct cudasim_error *push_gpr(struct call *call, uint64_t word)
{
	if (call->n_gpr == 6)
		return push_stack(call, &word, 8, 8);
	call->registers.gpr[call->n_gpr++] = word;
	return NULL;
}

static struct cudasim_error *push_xmm(struct call *call, uint64_t word)
{
	if (call->n_xmm == 8)
		return push_stack(call, &word, 8, 8);
	call->registers.xmm[call->n_xmm++] = word;
	return NULL;
}

struct cudasim_error *call_pointer(struct call *call, uint64_t pointer)
{
	return push_gpr(call, pointer);
}

/* System V: INTEGER where any scalar of the eightbyte is one. */
static void classify(const struct leaves *leaves, bool is_sse[2])
{
	is_sse[0] = is_sse[1] = true;
	for (size_t i = 0; i < leaves->n; i++)
		if (!leaves->leaf[i].is_float)
			is_sse[leaves->leaf[i].offset / 8 & 1] = false;
}

static bool in_registers(const struct type *type, const struct leaves *leaves)
{
	for (size_t i = 0; i < leaves->n; i++)
		if (leaves->leaf[i].is_float && leaves->leaf[i].size > 8)
			return false;
	return type->size <= 16 && !leaves->too_many;
}

/* CUDA's vector types of 16 bytes or more are aligned to 16, which their members do not
 * tell. Other alignas() are not told by debug information as we keep it. */
static bool is_wide_vector(const struct type *type)
{
	static const char *const bases[] = {"float", "double", "int",      "uint",
					    "long",  "ulong",  "longlong", "ulonglong"};
	if (type->size < 16 || !type->name)
		return false;
	for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
		size_t n = strlen(bases[i]);
		if (!strncmp(type->name, bases[i], n) && strchr("24", type->name[n]) &&
		    type->name[n] && !type->name[n + 1])
			return true;
	}
	return false;
}

static uint64_t alignment_in(const struct type *type, int depth)
{
	type = type_strip(type);
	uint64_t most = type->alignment ? type->alignment : 1;
	if (type->kind == TYPE_ARRAY && depth < 32)
		return alignment_in(type->target, depth + 1);
	if (type->kind != TYPE_STRUCT || type->float_format)
		return type->size ? type->size : 1;
	if (is_wide_vector(type))
		return 16;
	/* float2 and its like are aligned to their size, too; it makes no difference
	 * on the stack, whose slots have 8 bytes. */
	for (size_t i = 0; i < type->n_members && depth < 32; i++) {
		uint64_t one = type->members[i].is_static
				       ? 1
				       : alignment_in(type->members[i].type, depth + 1);
		most = one > most ? one : most;
	}
	return most;
}

uint64_t type_alignment(const struct type *type)
{
	return alignment_in(type, 0);
}

static struct cudasim_error *struct_argument(struct call *call, const struct type *type,
					     const unsigned char *bytes)
{
	struct leaves leaves = {.n = 0};
	struct cudasim_error *error = NULL;
	bool is_sse[2];
	flatten(type, 0, 0, &leaves);
	uint64_t align = type_alignment(type);
	if (call->convention == CALL_DEVICE)
		return push_stack(call, bytes, type->size, align);
	if (!is_trivial(type, 0))
		return push_gpr(call, (uintptr_t)bytes); /* of a value that outlives the call */
	classify(&leaves, is_sse);
	size_t words = (type->size + 7) / 8, n_gpr = 0, n_xmm = 0;
	for (size_t i = 0; i < words && i < 2; i++)
		++*(is_sse[i] ? &n_xmm : &n_gpr);
	if (!in_registers(type, &leaves) || call->n_gpr + n_gpr > 6 || call->n_xmm + n_xmm > 8)
		return push_stack(call, bytes, type->size, align);
	for (size_t i = 0; i < words && !error; i++) {
		uint64_t word = 0;
		memcpy(&word, bytes + 8 * i, type->size - 8 * i < 8 ? type->size - 8 * i : 8);
		error = is_sse[i] ? push_xmm(call, word) : push_gpr(call, word);
	}
	return error;
}

struct cudasim_error *call_argument(struct call *call, const struct value *value)
{
	const struct type *type = type_strip(value->type);
	uint64_t words[2] = {0, 0};
	struct cudasim_error *error;
	if (type->kind == TYPE_STRUCT)
		return struct_argument(call, type, value_bytes(value));
	if (value->n_bytes > 16)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "An argument of this type cannot be passed.");
	if (type->kind == TYPE_FLOAT && type->size > 8)
		return push_stack(call, value_bytes(value), 16, 16);
	memcpy(words, value_bytes(value), value->n_bytes);
	if (type->kind == TYPE_FLOAT)
		return push_xmm(call, words[0]);
	if (type->size > 8) {
		error = push_gpr(call, words[0]);
		return error ? error : push_gpr(call, words[1]);
	}
	/* Callers extend small integers to 32 bits, and clang counts on it. */
	wide number;
	if ((error = value_to_integer(value, &number)))
		return error;
	return push_gpr(call, type->size < 4 ? (uint32_t)number : (uint64_t)number);
}

/* ---- results ------------------------------------------------------------------------------ */

/* Device structs come in as many registers as they have scalars. */
static bool fits_registers(const struct leaves *leaves, uint64_t *ret_n_x87)
{
	size_t n_gpr = 0, n_xmm = 0;
	for (size_t i = 0; i < leaves->n; i++) {
		if (leaves->leaf[i].is_float)
			n_xmm++;
		else
			n_gpr += leaves->leaf[i].size > 8 ? 2 : 1;
	}
	*ret_n_x87 = n_xmm > 2 ? n_xmm - 2 : 0;
	return !leaves->too_many && n_gpr <= 3 && n_xmm <= 4;
}

struct cudasim_error *call_init(struct call *call, enum call_convention convention,
				const struct type *result)
{
	const struct type *type = type_strip(result);
	*call = (struct call){.convention = convention, .result = result};
	if (type->kind == TYPE_FLOAT && type->size > 8)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "Functions that return long double cannot be called.");
	if (type->kind != TYPE_STRUCT)
		return NULL;
	struct leaves leaves = {.n = 0};
	flatten(type, 0, 0, &leaves);
	if (!is_trivial(type, 0))
		call->in_memory = true;
	else if (convention == CALL_HOST)
		call->in_memory = !in_registers(type, &leaves);
	else if (!fits_registers(&leaves, &call->registers.n_x87))
		call->in_memory = true;
	else if (leaves.unclear || !is_natural(&leaves, type->size))
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"A function that returns %s cannot be called: its debug information does "
			"not describe unions, bit-fields and padding of the result.",
			type->name ? type->name : "such a struct");
	if (!call->in_memory)
		return NULL;
	call->registers.n_x87 = 0;
	call->memory = calloc(1, type->size ? type->size : 1);
	return call->memory ? push_gpr(call, (uintptr_t)call->memory) : &cudasim_error_nomem;
}

void call_fini(struct call *call)
{
	free(call->memory);
	call->memory = NULL;
}

static struct cudasim_error *device_struct(const struct call *call, const struct type *type,
					   struct value *ret)
{
	struct leaves leaves = {.n = 0};
	unsigned char bytes[64] = {0};
	const uint64_t gpr[] = {call->registers.rax, call->registers.rdx, call->registers.rcx, 0};
	const uint64_t xmm[] = {call->registers.xmm0, call->registers.xmm1};
	size_t n_gpr = 0, n_xmm = 0;
	flatten(type, 0, 0, &leaves);
	for (size_t i = 0; i < leaves.n; i++) {
		const struct leaf *leaf = &leaves.leaf[i];
		if (leaf->offset + leaf->size > sizeof bytes)
			break;
		if (!leaf->is_float) {
			memcpy(bytes + leaf->offset, &gpr[n_gpr], leaf->size);
			n_gpr += leaf->size > 8 ? 2 : 1;
		} else if (n_xmm < 2) {
			memcpy(bytes + leaf->offset, &xmm[n_xmm++], leaf->size);
		} else {
			long double number = float_read(FLOAT_X87,
							call->registers.x87[n_xmm++ - 2]);
			float_write(leaf->size == 4 ? FLOAT_SINGLE : FLOAT_DOUBLE, number,
				    bytes + leaf->offset);
		}
	}
	return value_of_bytes(call->result, bytes, ret);
}

static struct cudasim_error *host_struct(const struct call *call, const struct type *type,
					 struct value *ret)
{
	struct leaves leaves = {.n = 0};
	uint64_t words[2];
	const uint64_t gpr[] = {call->registers.rax, call->registers.rdx};
	const uint64_t xmm[] = {call->registers.xmm0, call->registers.xmm1};
	bool is_sse[2];
	size_t n_gpr = 0, n_xmm = 0;
	flatten(type, 0, 0, &leaves);
	classify(&leaves, is_sse);
	for (int i = 0; i < 2; i++)
		words[i] = is_sse[i] ? xmm[n_xmm++] : gpr[n_gpr++];
	return value_of_bytes(call->result, words, ret);
}

struct cudasim_error *call_result(const struct call *call, struct value *ret)
{
	const struct type *type = type_strip(call->result);
	if (type->kind == TYPE_VOID) {
		*ret = value_void();
		return NULL;
	}
	if (call->in_memory)
		return value_of_bytes(call->result, call->memory, ret);
	if (type->kind == TYPE_STRUCT)
		return call->convention == CALL_DEVICE ? device_struct(call, type, ret)
						       : host_struct(call, type, ret);
	uint64_t words[2] = {call->registers.rax, call->registers.rdx};
	if (type->kind == TYPE_FLOAT)
		words[0] = call->registers.xmm0;
	return value_of_bytes(call->result, words, ret);
}
