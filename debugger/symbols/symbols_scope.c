/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_scope.c - the scopes around a pc and their variables.
 *
 * A function's blocks (lexical ones and inlined calls) are made into a tree when
 * the function is first asked for; a block's variables, and the chain of scopes
 * from it outwards, when a pc is first found in it. */
#include <stdlib.h>
#include <string.h>

#include "cudasim/inspect.h"
#include "symbols_dwarf.h"

struct span {
	uint64_t low, high;
};

struct block {
	Dwarf_Die die;
	struct block *parent, *children, *next; /* children in order */
	struct span *spans; /* code; run-time addresses */
	size_t n_spans;
	uint32_t depth;
	bool is_inlined, is_hidden; /* hidden: a header's inlined function */
	struct scope *chain;
	size_t n_chain;
};

enum { MAX_DEPTH = 256 };

/* ---- files that are the user's -------------------------------------------------- */

/* The device compiler writes sites for the user's files only; what is inlined
 * from elsewhere counts to the line that led there. */
bool path_is_users(const char *given)
{
	static const char **names;
	static size_t n_names, capacity, n_seen;
	const struct cudasim_module *const *modules;
	size_t n;
	cudasim_modules(&modules, &n);
	for (; n_seen < n; n_seen++) {
		const char *last = NULL;
		for (uint64_t i = 0; i < modules[n_seen]->n_sites; i++) {
			const char *file = modules[n_seen]->sites[i].file;
			if (file == last)
				continue;
			last = file;
			size_t k = 0;
			while (k < n_names && strcmp(names[k], file))
				k++;
			if (k < n_names)
				continue;
			names = memory_grow(names, n_names, &capacity, sizeof *names);
			names[n_names++] = file;
		}
	}
	for (size_t k = 0; k < n_names; k++)
		if (!strcmp(names[k], given))
			return true;
	return n_names == 0;
}

/* ---- the tree --------------------------------------------------------------------- */

struct spanning {
	struct span *spans;
	size_t n, capacity;
};

static void add_span(void *user, uint64_t low, uint64_t high)
{
	struct spanning *all = user;
	all->spans = memory_grow(all->spans, all->n, &all->capacity, sizeof *all->spans);
	all->spans[all->n++] = (struct span){low, high};
}

static struct block *block_new(struct unit *unit, Dwarf_Die *die, struct block *parent)
{
	struct block *block = memory_new(sizeof *block);
	struct spanning all = {0};
	block->die = *die;
	block->parent = parent;
	block->depth = parent ? parent->depth + 1 : 0;
	block->is_inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
	die_pieces(unit, die, add_span, &all);
	block->spans = memory_new(all.n * sizeof *block->spans);
	if (all.n)
		memcpy(block->spans, all.spans, all.n * sizeof *all.spans);
	block->n_spans = all.n;
	free(all.spans);
	if (block->is_inlined && unit->is_device) {
		const char *file = die_file(die, NULL);
		block->is_hidden = file && !path_is_users(file);
	}
	return block;
}

static void grow_tree(struct unit *unit, struct block *block)
{
	struct block **tail = &block->children;
	Dwarf_Die child;
	if (block->is_hidden || block->depth >= MAX_DEPTH)
		return;
	for (int more = dwarf_child(&block->die, &child); !more;
	     more = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		if (tag != DW_TAG_lexical_block && tag != DW_TAG_inlined_subroutine)
			continue;
		struct block *inner = block_new(unit, &child, block);
		if (!inner->n_spans)
			continue;
		grow_tree(unit, inner);
		*tail = inner;
		tail = &inner->next;
	}
}

static bool holds(const struct block *block, uint64_t pc)
{
	for (size_t i = 0; i < block->n_spans; i++)
		if (pc >= block->spans[i].low && pc < block->spans[i].high)
			return true;
	return false;
}

static struct block *innermost(struct block *block, uint64_t pc)
{
	struct block *child = block->children;
	while (child) {
		if (!child->is_hidden && holds(child, pc)) {
			block = child;
			child = block->children;
		} else {
			child = child->next;
		}
	}
	return block;
}

/* ---- variables --------------------------------------------------------------------- */

struct listing {
	struct variable *all;
	size_t n, capacity;
};

static bool has_deref(Dwarf_Die *die)
{
	Dwarf_Attribute found;
	Dwarf_Op *operations;
	size_t n;
	return dwarf_attr(die, DW_AT_location, &found) &&
	       !dwarf_getlocation(&found, &operations, &n) && n == 2 &&
	       operations[0].atom == DW_OP_fbreg && operations[1].atom == DW_OP_deref;
}

/* Variables whose address stands on the stack are __shared__ ones, structures
 * passed by value, and results that the caller has made room for. */
static enum storage storage_of(const struct function *function, const struct variable *v,
			       Dwarf_Die *die)
{
	if (!function->is_device || v->is_template)
		return STORAGE_NONE;
	if (v->is_argument)
		return function->is_kernel && v->depth == 0 ? STORAGE_PARAMETER : STORAGE_LOCAL;
	return has_deref(die) && name_is_shared(function->linkage, v->name) ? STORAGE_SHARED
									    : STORAGE_LOCAL;
}

static void add_variable(struct listing *list, const struct function *function, struct block *block,
			 Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	Dwarf_Die *kept;
	int line = 0;
	if (!name)
		return;
	list->all = memory_grow(list->all, list->n, &list->capacity, sizeof *list->all);
	struct variable *v = &list->all[list->n++];
	kept = memory_new(sizeof *kept);
	*kept = *die;
	*v = (struct variable){.name = name,
			       .type = die_type(die),
			       .is_argument = dwarf_tag(die) == DW_TAG_formal_parameter,
			       .is_artificial = die_flag(die, DW_AT_artificial),
			       .is_template = dwarf_tag(die) == DW_TAG_template_value_parameter,
			       .is_device = function->is_device,
			       .file = die_file(die, NULL),
			       .depth = block->depth,
			       .die = kept};
	if (!dwarf_decl_line(die, &line) && line > 0)
		v->line = (uint32_t)line;
	enum storage storage;
	v->is_static = !v->is_argument && !v->is_template &&
		       global_place(die_unit(die), kept, &storage);
	v->storage = v->is_static ? storage : storage_of(function, v, die);
	const struct type *type = type_strip(v->type);
	v->is_dynamic_shared = v->storage == STORAGE_SHARED && type->kind == TYPE_ARRAY && !type->n;
	v->linkage = die_linkage(die);
}

/* The compiler's unwritten.h: __cudasim_written:BYTES:NAME. */
static const char states_prefix[] = "__cudasim_written:";
enum { STATES_PREFIX = sizeof states_prefix - 1 };

/* Take the variables that hold the states of others out of the list. */
static struct variable *take_states(struct listing *list, size_t *n)
{
	size_t left = 0, count = 0;
	for (size_t i = 0; i < list->n; i++)
		count += !strncmp(list->all[i].name, states_prefix, STATES_PREFIX);
	struct variable *states = count ? memory_new(count * sizeof *states) : NULL;
	for (size_t i = 0; i < list->n; i++)
		if (!strncmp(list->all[i].name, states_prefix, STATES_PREFIX))
			states[(*n)++] = list->all[i];
		else
			list->all[left++] = list->all[i];
	list->n = left;
	return states;
}

static void join_states(struct variable *all, size_t n, const struct variable *states)
{
	char *name;
	unsigned long scalar = strtoul(states->name + STATES_PREFIX, &name, 10);
	for (size_t i = 0; i < n; i++)
		if (scalar && *name == ':' && !strcmp(all[i].name, name + 1) &&
		    all[i].line == states->line) {
			all[i].written = states;
			all[i].written_scalar = (uint32_t)scalar;
		}
}

static void fill_scope(struct scope *scope, const struct function *function, struct block *block)
{
	struct listing list = {0};
	Dwarf_Die child;
	Dwarf_Die *die = &block->die;
	for (int more = dwarf_child(die, &child); !more; more = dwarf_siblingof(&child, &child)) {
		int tag = dwarf_tag(&child);
		if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter ||
		    tag == DW_TAG_template_value_parameter)
			add_variable(&list, function, block, &child);
	}
	size_t n_states = 0;
	struct variable *states = take_states(&list, &n_states);
	struct variable *kept = memory_new(list.n * sizeof *kept);
	if (list.n)
		memcpy(kept, list.all, list.n * sizeof *kept);
	free(list.all);
	for (size_t i = 0; i < n_states; i++)
		join_states(kept, list.n, &states[i]);
	scope->variables = kept;
	scope->n_variables = list.n;
}

static const char *call_file(struct unit *unit, Dwarf_Die *call)
{
	int64_t number = die_number(call, DW_AT_call_file, -1);
	const struct path *path = number < 0 ? NULL : unit_path(unit, (uint64_t)number);
	return path ? path->given : NULL;
}

static void make_scope(struct scope *scope, struct function_entry *entry, struct block *block)
{
	scope->function = &entry->function;
	scope->low = block->n_spans ? UINT64_MAX : 0;
	for (size_t i = 0; i < block->n_spans; i++) {
		if (block->spans[i].low < scope->low)
			scope->low = block->spans[i].low;
		if (block->spans[i].high > scope->high)
			scope->high = block->spans[i].high;
	}
	if (block->is_inlined) {
		const char *linkage = die_linkage(&block->die), *begin, *end;
		if (linkage) {
			name_cut(symbols_demangle(linkage), &begin, &end);
			scope->inlined = memory_text(begin, (size_t)(end - begin));
		} else {
			scope->inlined = dwarf_diename(&block->die);
		}
		scope->call_line = (uint32_t)die_number(&block->die, DW_AT_call_line, 0);
		scope->call_file = call_file(entry->unit, &block->die);
	}
	fill_scope(scope, &entry->function, block);
}

/* Scopes are copies in each chain, as a chain is one array; variables are shared. */
static void make_chain(struct function_entry *entry, struct block *block)
{
	size_t n = block->depth + 1, above = 0;
	block->chain = memory_new(n * sizeof *block->chain);
	make_scope(&block->chain[0], entry, block);
	block->n_chain = n;
	if (!block->parent)
		return;
	if (!block->parent->chain)
		make_chain(entry, block->parent);
	for (; above < n - 1; above++)
		block->chain[above + 1] = block->parent->chain[above];
}

/* The innermost block that shows, at pc; NULL where pc is in no known function. */
static struct block *block_at(uint64_t pc, struct function_entry **ret)
{
	const struct function *function = symbols_function_at(pc);
	struct function_entry *entry = function ? (struct function_entry *)function->die : NULL;
	if (!entry)
		return NULL;
	if (!entry->root) {
		entry->root = block_new(entry->unit, &entry->die, NULL);
		grow_tree(entry->unit, entry->root);
	}
	*ret = entry;
	return innermost(entry->root, pc);
}

size_t symbols_scopes(uint64_t pc, const struct scope **ret)
{
	struct function_entry *entry;
	struct block *block = block_at(pc, &entry);
	if (!block)
		return 0;
	if (!block->chain)
		make_chain(entry, block);
	*ret = block->chain;
	return block->n_chain;
}

uint32_t hidden_call(uint64_t pc, const struct path **ret)
{
	struct function_entry *entry;
	struct block *block = block_at(pc, &entry);
	for (struct block *child = block ? block->children : NULL; child; child = child->next) {
		if (!child->is_hidden || !holds(child, pc))
			continue;
		int64_t number = die_number(&child->die, DW_AT_call_file, -1);
		*ret = number < 0 ? NULL : unit_path(entry->unit, (uint64_t)number);
		return *ret ? (uint32_t)die_number(&child->die, DW_AT_call_line, 0) : 0;
	}
	return 0;
}

const struct type *symbols_function_type(const struct function *function)
{
	struct function_entry *entry = (struct function_entry *)function->die;
	if (!entry->type)
		entry->type = type_of_die(&entry->die);
	return entry->type;
}
