/* SPDX-License-Identifier: Apache-2.0 */
/* pass_sites.c - the table of places in the source (struct cudasim_site).
 *
 * Passes ask site_for() for constants while they work; the array itself is
 * written by pass_sites() into the module of tables. Equal places of equal kind
 * share one site; numbers follow the order of the first request. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "device.h"
#include "llvm_bridge.h"

struct site {
	char *file;
	char *function; /* mangled */
	unsigned line, column;
	enum cudasim_site_kind kind;
};

struct site_table {
	struct site *sites;
	size_t n, capacity;
	uint32_t *index; /* open addressing, site number + 1, 0 is free */
	size_t index_size; /* a power of two */
};

static char *copy(const char *text, size_t length)
{
	char *s = malloc(length + 1);
	assert(s);
	memcpy(s, text, length);
	s[length] = 0;
	return s;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
	return hash;
}

static uint64_t hash_site(const struct site *s)
{
	uint64_t hash = hash_text(0xcbf29ce484222325u, s->file);
	hash = hash_text(hash, s->function);
	return (hash ^ s->line * 2654435761u ^ s->column * 40503u ^ s->kind) * 0x100000001b3u;
}

static bool site_equal(const struct site *a, const struct site *b)
{
	return a->line == b->line && a->column == b->column && a->kind == b->kind &&
	       !strcmp(a->file, b->file) && !strcmp(a->function, b->function);
}

static void table_grow_index(struct site_table *table)
{
	table->index_size = table->index_size ? 2 * table->index_size : 256;
	free(table->index);
	table->index = calloc(table->index_size, sizeof(*table->index));
	assert(table->index);
	for (size_t i = 0; i < table->n; i++) {
		size_t slot = hash_site(&table->sites[i]);
		while (table->index[slot &= table->index_size - 1])
			slot++;
		table->index[slot] = (uint32_t)i + 1;
	}
}

/* The number of a site equal to *s; takes over *s or frees its texts. */
static size_t table_find(struct site_table *table, struct site *s)
{
	if (2 * (table->n + 1) > table->index_size)
		table_grow_index(table);
	size_t slot = hash_site(s);
	for (; table->index[slot &= table->index_size - 1]; slot++) {
		size_t number = table->index[slot] - 1;
		if (site_equal(&table->sites[number], s)) {
			free(s->file);
			free(s->function);
			return number;
		}
	}
	if (table->n == table->capacity) {
		table->capacity = table->capacity ? 2 * table->capacity : 64;
		table->sites = realloc(table->sites, table->capacity * sizeof(*table->sites));
		assert(table->sites);
	}
	table->sites[table->n] = *s;
	table->index[slot] = (uint32_t)++table->n;
	return table->n - 1;
}

static LLVMValueRef function_of(LLVMValueRef where)
{
	if (LLVMIsAFunction(where))
		return where;
	assert(LLVMIsAInstruction(where));
	return LLVMGetBasicBlockParent(LLVMGetInstructionParent(where));
}

static LLVMValueRef sites_array(struct device_module *dm)
{
	char name[64];
	snprintf(name, sizeof(name), "__cudasim_%s_sites", dm->program->id_text);
	LLVMValueRef array = LLVMGetNamedGlobal(dm->module, name);
	if (!array) {
		LLVMTypeRef byte = LLVMInt8TypeInContext(dm->context);
		array = LLVMAddGlobal(dm->module, LLVMArrayType2(byte, 0), name);
		LLVMSetVisibility(array, LLVMHiddenVisibility);
		LLVMSetGlobalConstant(array, 1);
	}
	return array;
}

LLVMValueRef site_for(struct device_module *dm, LLVMValueRef where, enum cudasim_site_kind kind)
{
	assert(dm->stage != DEVICE_V3 && dm->stage != DEVICE_V4);
	if (!dm->program->sites) {
		dm->program->sites = calloc(1, sizeof(*dm->program->sites));
		assert(dm->program->sites);
	}
	LLVMValueRef function = function_of(where);
	LLVMValueRef located = where;
	if (!LLVMGetDebugLocLine(located))
		located = function;
	unsigned length = 0;
	const char *file = LLVMGetDebugLocFilename(located, &length);
	size_t name_length;
	const char *name = LLVMGetValueName2(function, &name_length);
	struct site s = {
		.file = copy(file ? file : "?", file ? length : 1),
		.function = copy(name, name_length),
		.line = LLVMGetDebugLocLine(located),
		.column = located == where && LLVMIsAInstruction(where) ?
				  LLVMGetDebugLocColumn(where) : 0,
		.kind = kind,
	};
	size_t number = table_find(dm->program->sites, &s);
	LLVMTypeRef byte = LLVMInt8TypeInContext(dm->context);
	LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(dm->context),
					   number * sizeof(struct cudasim_site), 0);
	return LLVMConstInBoundsGEP2(byte, sites_array(dm), &offset, 1);
}

size_t sites_count(const struct device_program *program)
{
	return program->sites ? program->sites->n : 0;
}

void sites_free(struct device_program *program)
{
	struct site_table *table = program->sites;
	if (!table)
		return;
	for (size_t i = 0; i < table->n; i++) {
		free(table->sites[i].file);
		free(table->sites[i].function);
	}
	free(table->sites);
	free(table->index);
	free(table);
	program->sites = NULL;
}

/* A private string constant; equal texts next to each other share one. */
static LLVMValueRef text_constant(struct device_module *dm, const char *text)
{
	LLVMValueRef value = LLVMConstStringInContext(dm->context, text, (unsigned)strlen(text), 0);
	LLVMValueRef global = LLVMAddGlobal(dm->module, LLVMTypeOf(value), "");
	LLVMSetInitializer(global, value);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
	LLVMSetAlignment(global, 1);
	return global;
}

struct cudasim_error *pass_sites(struct device_module *dm)
{
	struct site_table *table = dm->program->sites;
	size_t n = sites_count(dm->program);
	LLVMTypeRef ptr = LLVMPointerTypeInContext(dm->context, 0);
	LLVMTypeRef i32 = LLVMInt32TypeInContext(dm->context);
	LLVMTypeRef i16 = LLVMInt16TypeInContext(dm->context);
	LLVMTypeRef i8 = LLVMInt8TypeInContext(dm->context);
	LLVMTypeRef fields[] = {ptr, ptr, i32, i16, i8, i8};
	LLVMTypeRef type = LLVMStructTypeInContext(dm->context, fields, 6, 0);
	LLVMValueRef *rows = calloc(n ? n : 1, sizeof(*rows));
	assert(rows);
	LLVMValueRef file = NULL, function = NULL;
	for (size_t i = 0; i < n; i++) {
		const struct site *s = &table->sites[i];
		if (!i || strcmp(s->file, s[-1].file))
			file = text_constant(dm, s->file);
		if (!i || strcmp(s->function, s[-1].function)) {
			char *shown = bridge_demangle(s->function, false);
			function = text_constant(dm, shown);
			free(shown);
		}
		LLVMValueRef values[] = {
			file, function, LLVMConstInt(i32, s->line, 0),
			LLVMConstInt(i16, s->column < UINT16_MAX ? s->column : 0, 0),
			LLVMConstInt(i8, s->kind, 0), LLVMConstInt(i8, 0, 0),
		};
		rows[i] = LLVMConstStructInContext(dm->context, values, 6, 0);
	}
	LLVMValueRef value = LLVMConstArray2(type, rows, n);
	free(rows);
	char name[64];
	snprintf(name, sizeof(name), "__cudasim_%s_sites", dm->program->id_text);
	LLVMValueRef array = LLVMAddGlobal(dm->module, LLVMTypeOf(value), name);
	LLVMSetInitializer(array, value);
	LLVMSetVisibility(array, LLVMHiddenVisibility);
	LLVMSetGlobalConstant(array, 1);
	return NULL;
}
