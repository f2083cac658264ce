/* SPDX-License-Identifier: Apache-2.0 */
/* pass_sites.c - the places of a translation unit that may announce an event.
 *
 * While the passes run, a site is a number in program->sites and, in code, the
 * address of an element of an array that only the tables' module defines. The
 * same place, function and kind share a number, so that all bodies agree and
 * the array stays small. Numbers are given in the order of asking; pass_watch
 * asks in code order, so the LINE sites of a function stand in code order.
 *
 * The place of an instruction is the innermost one of its inlined calls that
 * lies in a file of the user's own: atomicAdd() of the toolkit's headers counts
 * as the line that calls it. Where all of it is the toolkit's (a kernel of CUB,
 * say) it is the innermost one. */
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug_metadata.h"
#include "device.h"
#include "llvm_functions.h"
#include "sites.h"
#include "hash.h"
#include "must.h"

enum { MAX_CHAIN = 64, SITE_MEMBERS = 6 };

struct site {
	const char *file, *symbol; /* of the LLVM context, equal ones identical; or NULL */
	uint32_t line;
	uint16_t column;
	uint8_t kind; /* enum cudasim_site_kind */
	bool is_ranked;
};

struct site_table {
	struct site *list;
	uint32_t n, room;
	uint32_t *slots;  /* number + 1 by hash; 0 is free */
	uint32_t n_slots; /* a power of two, at least 2 * room */
};

static uint64_t hash(const struct site *site)
{
	uint64_t h = hash_mix((uintptr_t)site->file, (uintptr_t)site->symbol);
	return hash_mix(h, (uint64_t)site->line << 24 ^ (uint64_t)site->column << 8 ^ site->kind) >>
	       20;
}

static bool same(const struct site *a, const struct site *b)
{
	return a->file == b->file && a->symbol == b->symbol && a->line == b->line &&
	       a->column == b->column && a->kind == b->kind;
}

/* The slot where site stands or belongs. */
static uint32_t *slot_of(struct site_table *table, const struct site *site)
{
	for (uint64_t i = hash(site);; i++) {
		uint32_t *slot = &table->slots[i & (table->n_slots - 1)];
		if (!*slot || same(&table->list[*slot - 1], site))
			return slot;
	}
}

static void grow(struct site_table *table)
{
	table->room = table->room ? 2 * table->room : 256;
	table->list = must(realloc(table->list, table->room * sizeof *table->list));
	free(table->slots);
	table->n_slots = 2 * table->room;
	table->slots = must(calloc(table->n_slots, sizeof *table->slots));
	for (uint32_t i = 0; i < table->n; i++)
		if (!table->list[i].is_ranked)
			*slot_of(table, &table->list[i]) = i + 1;
}

static uint32_t site_number(struct site_table *table, const struct source_position *place,
			    enum cudasim_site_kind kind, bool is_ranked)
{
	struct site site = {
		.file = place->line ? place->file : NULL, /* a file alone is no place */
		.symbol = place->symbol,
		.line = place->line,
		.column = place->column > UINT16_MAX ? 0 : (uint16_t)place->column,
		.kind = (uint8_t)kind,
		.is_ranked = is_ranked,
	};
	if (table->n == table->room)
		grow(table);
	if (is_ranked) {
		table->list[table->n] = site;
		return table->n++;
	}
	uint32_t *slot = slot_of(table, &site);
	if (!*slot) {
		table->list[table->n] = site;
		*slot = ++table->n;
	}
	return *slot - 1;
}

/* ---- places --------------------------------------------------------------- */

static bool starts(const char *text, const char *prefix, size_t n)
{
	return n && !strncmp(text, prefix, n);
}

/* Is the file in a folder, or itself without what follows a dot, of a name that was asked for? */
static bool is_asked_for(const struct device_options *options, const char *file)
{
	for (size_t i = 0; i < options->n_step_into; i++) {
		const char *name = options->step_into[i];
		size_t n = strlen(name);
		for (const char *at = file; n && (at = strstr(at, name)); at++)
			if ((at == file || at[-1] == '/') && (at[n] == '/' || at[n] == '.'))
				return true;
	}
	return false;
}

bool place_hidden(const struct device_program *program, const struct source_position *place)
{
	const char *file = place->file, *libdevice = program->options->libdevice;
	if (!file || is_asked_for(program->options, file))
		return false;
	/* Headers of our own, in the source tree or installed; told from the current folder
	 * where they lie below it. */
	if (strstr(file, "/include/compat/") || strstr(file, "/share/cudasim/compat/") ||
	    strstr(file, "/include/cudasim/") || starts(file, "include/compat/", 15))
		return true;
	if (file[0] != '/')
		return false;
	/* Distributions put headers under /usr, people's sources never are. */
	if (starts(file, "/usr/", 5) && !starts(file, "/usr/src/", 9) &&
	    !starts(file, "/usr/local/src/", 15))
		return true;
	/* The toolkit is wherever its libdevice is: ROOT/nvvm/libdevice/NAME. */
	const char *end = libdevice ? strstr(libdevice, "/nvvm/libdevice/") : NULL;
	return end && starts(file, libdevice, (size_t)(end - libdevice) + 1);
}

/* Levels of inlining between the instruction and the innermost place that is the user's;
 * *n of them where there is none. */
static unsigned hidden_levels(const struct device_program *program, LLVMValueRef instruction,
			      struct source_position chain[MAX_CHAIN], unsigned *n)
{
	unsigned i = 0;
	*n = place_chain(instruction, chain, MAX_CHAIN);
	if (*n > MAX_CHAIN)
		*n = MAX_CHAIN;
	while (i < *n && (!chain[i].line || place_hidden(program, &chain[i])))
		i++;
	return i;
}

LLVMMetadataRef place_location(const struct device_program *program, LLVMValueRef instruction)
{
	struct source_position chain[MAX_CHAIN];
	unsigned n, i = hidden_levels(program, instruction, chain, &n);
	LLVMMetadataRef location = LLVMInstructionGetDebugLoc(instruction);
	for (unsigned level = 0; i < n && level < i; level++)
		location = LLVMDILocationGetInlinedAt(location);
	return location;
}

bool place_of(const struct device_program *program, LLVMValueRef instruction,
	      struct source_position *ret)
{
	struct source_position chain[MAX_CHAIN];
	unsigned n, i = hidden_levels(program, instruction, chain, &n);
	if (!n) {
		place_function(LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)), ret);
		ret->line = 0;
		return false;
	}
	*ret = chain[i < n ? i : 0];
	return i < n;
}

static struct site_table *table_of(struct device_program *program)
{
	if (!program->sites)
		program->sites = must(calloc(1, sizeof *program->sites));
	return program->sites;
}

/* An element of one of the two arrays that the tables' module defines and
 * bodies name: __cudasim_ID_sites and __cudasim_ID_armed. */
static LLVMValueRef element(struct device_module *dm, const char *array, size_t size,
			    uint32_t number)
{
	LLVMTypeRef byte = LLVMInt8TypeInContext(dm->context);
	char name[64];
	snprintf(name, sizeof name, "__cudasim_%s_%s", dm->program->id_text, array);
	LLVMValueRef global = LLVMGetNamedGlobal(dm->module, name);
	if (!global) {
		global = LLVMAddGlobal(dm->module, LLVMArrayType2(byte, 0), name);
		LLVMSetVisibility(global, LLVMHiddenVisibility);
	}
	LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(dm->context), number * size, 0);
	return LLVMConstInBoundsGEP2(byte, global, &offset, 1);
}

LLVMValueRef site_address(struct device_module *dm, uint32_t number)
{
	return element(dm, "sites", sizeof(struct cudasim_site), number);
}

LLVMValueRef site_armed(struct device_module *dm, uint32_t number)
{
	return element(dm, "armed", 1, number);
}

static uint32_t number_for(struct device_module *dm, LLVMValueRef where,
			   enum cudasim_site_kind kind, bool is_ranked)
{
	struct source_position place = {0};
	if (LLVMIsAInstruction(where))
		place_of(dm->program, where, &place);
	else if (LLVMIsAFunction(where))
		place_function(where, &place);
	return site_number(table_of(dm->program), &place, kind, is_ranked);
}

uint32_t site_number_for(struct device_module *dm, LLVMValueRef where, enum cudasim_site_kind kind)
{
	return number_for(dm, where, kind, false);
}

LLVMValueRef site_ranked(struct device_module *dm, LLVMValueRef where, enum cudasim_site_kind kind)
{
	return site_address(dm, number_for(dm, where, kind, true));
}

LLVMValueRef site_for(struct device_module *dm, LLVMValueRef where, enum cudasim_site_kind kind)
{
	return site_address(dm, site_number_for(dm, where, kind));
}

size_t sites_count(const struct device_program *program)
{
	return program->sites ? program->sites->n : 0;
}

void sites_free(struct device_program *program)
{
	if (!program->sites)
		return;
	free(program->sites->list);
	free(program->sites->slots);
	free(program->sites);
	program->sites = NULL;
}

/* ---- the array ------------------------------------------------------------ */

/* One constant for each distinct string; keys are identical where equal. */
struct pool {
	LLVMModuleRef module;
	bool demangle;
	struct hash strings; /* keys to constants */
};

static LLVMValueRef string_define(LLVMModuleRef module, const char *text)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMValueRef value = LLVMConstStringInContext2(context, text, strlen(text), 0);
	LLVMValueRef global = LLVMAddGlobal(module, LLVMTypeOf(value), ".cudasim.str");
	LLVMSetInitializer(global, value);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
	LLVMSetAlignment(global, 1);
	return global;
}

static LLVMValueRef pool_get(struct pool *pool, const char *key)
{
	static const char unknown[] = "??";
	if (!key)
		key = unknown;
	LLVMValueRef string = hash_get(&pool->strings, key);
	if (string)
		return string;
	char *readable = pool->demangle ? must(name_demangle(key, true)) : NULL;
	string = string_define(pool->module, readable ? readable : key);
	free(readable);
	if (!hash_put(&pool->strings, key, string))
		must_fail();
	return string;
}

static LLVMValueRef constant(LLVMContextRef context, unsigned bits, uint64_t value)
{
	return LLVMConstInt(LLVMIntTypeInContext(context, bits), value, 0);
}

/* Defines an array, which element() may have declared already. */
static LLVMValueRef define(struct device_module *dm, const char *array, LLVMValueRef value)
{
	char name[64];
	snprintf(name, sizeof name, "__cudasim_%s_%s", dm->program->id_text, array);
	LLVMValueRef old = LLVMGetNamedGlobal(dm->module, name);
	LLVMValueRef global = LLVMAddGlobal(dm->module, LLVMTypeOf(value), "");
	if (old) {
		LLVMReplaceAllUsesWith(old, global);
		LLVMDeleteGlobal(old);
	}
	LLVMSetValueName2(global, name, strlen(name));
	LLVMSetInitializer(global, value);
	LLVMSetVisibility(global, LLVMHiddenVisibility);
	return global;
}

struct cudasim_error *pass_sites(struct device_module *dm)
{
	struct site_table *table = table_of(dm->program);
	LLVMContextRef context = dm->context;
	LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
	LLVMTypeRef types[SITE_MEMBERS] = {
		pointer,
		pointer,
		LLVMInt32TypeInContext(context),
		LLVMInt16TypeInContext(context),
		LLVMInt8TypeInContext(context),
		LLVMInt8TypeInContext(context),
	};
	LLVMTypeRef type = LLVMStructTypeInContext(context, types, SITE_MEMBERS, 0);
	LLVMValueRef *all = must(calloc(table->n + 1, sizeof *all));
	struct pool files = {.module = dm->module};
	struct pool functions = {.module = dm->module, .demangle = true};

	for (uint32_t i = 0; i < table->n; i++) {
		const struct site *site = &table->list[i];
		LLVMValueRef members[SITE_MEMBERS] = {
			pool_get(&files, site->file),      pool_get(&functions, site->symbol),
			constant(context, 32, site->line), constant(context, 16, site->column),
			constant(context, 8, site->kind),  constant(context, 8, site->is_ranked),
		};
		all[i] = LLVMConstStructInContext(context, members, SITE_MEMBERS, 0);
	}
	LLVMSetGlobalConstant(define(dm, "sites", LLVMConstArray2(type, all, table->n)), 1);
	LLVMTypeRef armed = LLVMArrayType2(LLVMInt8TypeInContext(context), table->n);
	define(dm, "armed", LLVMConstNull(armed));
	free(all);
	hash_fini(&files.strings);
	hash_fini(&functions.strings);
	return NULL;
}
