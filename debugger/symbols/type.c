/* SPDX-License-Identifier: Apache-2.0 */
/* type.c - base types, and types made of others. */
#include "type.h"

#include <string.h>

#include "symbols_dwarf.h"
#include "symbols_state.h"

const char *storage_name(enum storage storage)
{
	static const char *const names[] = {[STORAGE_NONE] = "",
					    [STORAGE_GENERIC] = "@generic",
					    [STORAGE_LOCAL] = "@local",
					    [STORAGE_SHARED] = "@shared",
					    [STORAGE_GLOBAL] = "@global",
					    [STORAGE_CONSTANT] = "@constant",
					    [STORAGE_PARAMETER] = "@parameter",
					    [STORAGE_MANAGED] = "@managed"};
	return names[storage];
}

/* ---- base types -------------------------------------------------------------- */

#define BOOL(n) {.kind = TYPE_BOOL, .name = n, .size = 1}
#define CHAR(n, s, is) {.kind = TYPE_CHAR, .name = n, .size = s, .is_signed = is}
#define INTEGER(n, s, is) {.kind = TYPE_INTEGER, .name = n, .size = s, .is_signed = is}
#define FLOATING(n, s, f)                                                                          \
	{.kind = TYPE_FLOAT, .name = n, .size = s, .is_signed = true, .float_format = f}
/* The first of its size and sign is what type_integer() and type_float() give. */
static const struct type bases[] = {
	{.kind = TYPE_VOID, .name = "void"},
	BOOL("bool"),
	CHAR("char", 1, true),
	CHAR("signed char", 1, true),
	CHAR("unsigned char", 1, false),
	CHAR("char8_t", 1, false),
	CHAR("char16_t", 2, false),
	CHAR("char32_t", 4, false),
	CHAR("wchar_t", 4, true),
	INTEGER("short", 2, true),
	INTEGER("unsigned short", 2, false),
	INTEGER("int", 4, true),
	INTEGER("unsigned int", 4, false),
	INTEGER("long", 8, true),
	INTEGER("unsigned long", 8, false),
	INTEGER("long long", 8, true),
	INTEGER("unsigned long long", 8, false),
	INTEGER("__int128", 16, true),
	INTEGER("unsigned __int128", 16, false),
	FLOATING("float", 4, FLOAT_SINGLE),
	FLOATING("double", 8, FLOAT_DOUBLE),
	FLOATING("long double", 16, FLOAT_X87),
	FLOATING("_Float16", 2, FLOAT_HALF),
	FLOATING("__half", 2, FLOAT_HALF),
	FLOATING("half", 2, FLOAT_HALF),
	FLOATING("__nv_bfloat16", 2, FLOAT_BFLOAT16),
	FLOATING("nv_bfloat16", 2, FLOAT_BFLOAT16),
	FLOATING("__bf16", 2, FLOAT_BFLOAT16),
	FLOATING("__nv_fp8_e4m3", 1, FLOAT_E4M3),
	FLOATING("__nv_fp8_e5m2", 1, FLOAT_E5M2),
};
enum { N_BASES = sizeof bases / sizeof *bases };

/* Other spellings. */
static const struct {
	const char *name, *means;
} spellings[] = {
	{"unsigned", "unsigned int"},
	{"signed", "int"},
	{"signed int", "int"},
	{"short int", "short"},
	{"signed short", "short"},
	{"short unsigned int", "unsigned short"},
	{"unsigned short int", "unsigned short"},
	{"short unsigned", "unsigned short"},
	{"long int", "long"},
	{"signed long", "long"},
	{"long signed int", "long"},
	{"long unsigned int", "unsigned long"},
	{"unsigned long int", "unsigned long"},
	{"long unsigned", "unsigned long"},
	{"long long int", "long long"},
	{"signed long long", "long long"},
	{"long long unsigned int", "unsigned long long"},
	{"unsigned long long int", "unsigned long long"},
	{"long long unsigned", "unsigned long long"},
	{"size_t", "unsigned long"},
	{"ssize_t", "long"},
	{"ptrdiff_t", "long"},
	{"intptr_t", "long"},
	{"uintptr_t", "unsigned long"},
	{"int8_t", "signed char"},
	{"uint8_t", "unsigned char"},
	{"int16_t", "short"},
	{"uint16_t", "unsigned short"},
	{"int32_t", "int"},
	{"uint32_t", "unsigned int"},
	{"int64_t", "long"},
	{"uint64_t", "unsigned long"},
};

const struct type *type_base(const char *name)
{
	for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
		if (!strcmp(spellings[i].name, name))
			name = spellings[i].means;
	for (size_t i = 0; i < N_BASES; i++)
		if (!strcmp(bases[i].name, name))
			return &bases[i];
	return NULL;
}

const struct type *type_integer(uint32_t bytes, bool is_signed)
{
	if (bytes == 1)
		return type_base(is_signed ? "signed char" : "unsigned char");
	for (size_t i = 0; i < N_BASES; i++)
		if (bases[i].kind == TYPE_INTEGER && bases[i].size == bytes &&
		    bases[i].is_signed == is_signed)
			return &bases[i];
	return NULL;
}

const struct type *type_float(uint32_t bytes)
{
	for (size_t i = 0; i < N_BASES; i++)
		if (bases[i].kind == TYPE_FLOAT && bases[i].size == bytes)
			return &bases[i];
	return NULL;
}

/* ---- what a type is ------------------------------------------------------------ */

enum { MAX_CHAIN = 256 }; /* corrupt input may have typedefs of themselves */

const struct type *type_strip(const struct type *type)
{
	bool is_const = false, is_volatile = false;
	for (int i = 0; type && type->kind == TYPE_TYPEDEF && i < MAX_CHAIN; i++) {
		is_const |= type->is_const;
		is_volatile |= type->is_volatile;
		type = type->target;
	}
	if (!type || type->kind == TYPE_TYPEDEF)
		return type_base("void");
	return type_qualified(type, is_const, is_volatile);
}

const struct type *type_target(const struct type *type)
{
	type = type_strip(type);
	return type->kind == TYPE_REFERENCE && type->target ? type_strip(type->target) : type;
}

bool type_is_integral(const struct type *type)
{
	type = type_strip(type);
	return type->kind == TYPE_BOOL || type->kind == TYPE_CHAR || type->kind == TYPE_INTEGER ||
	       type->kind == TYPE_ENUM;
}

bool type_is_scalar(const struct type *type)
{
	type = type_strip(type);
	return type_is_integral(type) || type->kind == TYPE_FLOAT || type->kind == TYPE_POINTER;
}

static bool equal(const struct type *a, const struct type *b, int depth);

static bool equal_parameters(const struct type *a, const struct type *b, int depth)
{
	if (a->n_members != b->n_members || a->is_variadic != b->is_variadic)
		return false;
	for (size_t i = 0; i < a->n_members; i++)
		if (!equal(a->members[i].type, b->members[i].type, depth))
			return false;
	return true;
}

/* Each unit has types of its own; named ones are the same by name and size, as
 * the one-definition rule has it. */
static bool equal(const struct type *a, const struct type *b, int depth)
{
	a = a ? type_strip(a) : NULL;
	b = b ? type_strip(b) : NULL;
	if (a == b)
		return true;
	if (!a || !b || depth > MAX_CHAIN || a->kind != b->kind || a->is_const != b->is_const ||
	    a->is_volatile != b->is_volatile)
		return false;
	switch (a->kind) {
	case TYPE_VOID:
	case TYPE_BOOL:
		return true;
	case TYPE_CHAR:
	case TYPE_INTEGER:
	case TYPE_FLOAT:
		return a->size == b->size && a->is_signed == b->is_signed &&
		       a->float_format == b->float_format &&
		       (a->kind != TYPE_CHAR || (a->name && b->name && !strcmp(a->name, b->name)));
	case TYPE_ENUM:
	case TYPE_STRUCT:
		return a->name && b->name && !strcmp(a->name, b->name) &&
		       (a->size == b->size || a->is_declaration || b->is_declaration);
	case TYPE_ARRAY:
		return a->n == b->n && equal(a->target, b->target, depth + 1);
	case TYPE_REFERENCE:
		return a->rvalue_reference == b->rvalue_reference &&
		       equal(a->target, b->target, depth + 1);
	case TYPE_POINTER:
		return equal(a->target, b->target, depth + 1);
	case TYPE_MEMBER_POINTER:
		return equal(a->owner, b->owner, depth + 1) &&
		       equal(a->target, b->target, depth + 1);
	case TYPE_FUNCTION:
		return equal(a->target, b->target, depth + 1) && equal_parameters(a, b, depth + 1);
	case TYPE_TYPEDEF:
		break;
	}
	return false;
}

bool type_equal(const struct type *a, const struct type *b)
{
	return equal(a, b, 0);
}

/* ---- types made of others -------------------------------------------------------- */

/* Made once each: conditions and displays make the same ones again and again. */
struct derived {
	struct type type;
	const struct derived *next;
};

static const struct type *derive(const void *from, const struct type *wanted)
{
	struct symbols_derived *own = &symbols_state()->derived;
	struct derived *first = hash_get(&own->derived_of, from);
	for (const struct derived *d = first; d; d = d->next)
		if (d->type.kind == wanted->kind && d->type.storage == wanted->storage &&
		    d->type.n == wanted->n && d->type.is_const == wanted->is_const &&
		    d->type.is_volatile == wanted->is_volatile && d->type.owner == wanted->owner)
			return &d->type;
	struct derived *made = memory_new(sizeof *made);
	made->type = *wanted;
	made->next = first;
	hash_put(&own->derived_of, from, made);
	return &made->type;
}

const struct type *type_pointer(const struct type *target, enum storage storage)
{
	return derive(target, &(struct type){.kind = TYPE_POINTER,
					     .size = 8,
					     .target = target,
					     .storage = storage});
}

const struct type *type_reference(const struct type *target)
{
	return derive(target, &(struct type){.kind = TYPE_REFERENCE, .size = 8, .target = target});
}

const struct type *type_member_pointer(const struct type *target, const struct type *owner)
{
	uint64_t size = type_strip(target)->kind == TYPE_FUNCTION ? 16 : 8;
	return derive(target, &(struct type){.kind = TYPE_MEMBER_POINTER,
					     .size = size,
					     .target = target,
					     .owner = owner});
}

const struct type *type_array(const struct type *element, uint64_t n)
{
	uint64_t size;
	if (__builtin_mul_overflow(element->size, n, &size))
		size = 0;
	return derive(element,
		      &(struct type){.kind = TYPE_ARRAY, .size = size, .n = n, .target = element});
}

const struct type *type_qualified(const struct type *type, bool is_const, bool is_volatile)
{
	if ((!is_const || type->is_const) && (!is_volatile || type->is_volatile))
		return type;
	struct type qualified = *type;
	qualified.is_const |= is_const;
	qualified.is_volatile |= is_volatile;
	return derive(type, &qualified);
}
