/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_function.c - functions by address and by name. */
#include <regex.h>
#include <string.h>

#include "cudasim/inspect.h"
#include "symbols_dwarf.h"

/* A library's code may be looked at before it has registered. */
static bool is_kernel(const char *linkage, size_t *known)
{
	const struct cudasim_module *const *modules;
	size_t n;
	cudasim_modules(&modules, &n);
	if (n == *known)
		return false;
	*known = n;
	for (size_t i = 0; i < n; i++)
		for (uint64_t k = 0; k < modules[i]->n_kernels; k++)
			if (!strcmp(modules[i]->kernels[k].name, linkage))
				return true;
	return false;
}

/* The signature of a function without a mangled name: main, extern "C". */
static const char *plain_signature(Dwarf_Die *die, const char *qualified)
{
	const char *text = "";
	Dwarf_Die child;
	for (int more = dwarf_child(die, &child); !more; more = dwarf_siblingof(&child, &child)) {
		Dwarf_Die type;
		const char *name;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		const struct type *known = die_reference(&child, DW_AT_type, &type)
						   ? type_of_die(&type)
						   : NULL;
		name = known ? type_text(known) : "?";
		text = memory_format("%s%s%s", text, *text ? ", " : "", name);
	}
	return memory_format("%s(%s)", qualified, text);
}

static void describe(struct function *f, Dwarf_Die *die)
{
	int line = 0;
	if (f->linkage && !strncmp(f->linkage, "_Z", 2)) {
		const char *begin, *end, *whole = symbols_demangle(f->linkage);
		name_cut(whole, &begin, &end);
		f->name = memory_text(begin, (size_t)(end - begin));
		f->signature = begin;
	} else {
		f->name = name_qualified(die);
		if (!f->linkage)
			f->linkage = f->name;
		f->signature = plain_signature(die, f->name);
	}
	f->file = die_file(die, &f->path);
	if (!dwarf_decl_line(die, &line) && line > 0)
		f->line = (uint32_t)line;
}

struct first {
	bool found;
	uint64_t low, high;
};

static void take_first(void *user, uint64_t low, uint64_t high)
{
	struct first *first = user;
	if (!first->found)
		*first = (struct first){true, low, high};
}

const struct function *entry_function(struct entry *entry)
{
	/* A function that is none for people: plain bodies. */
	static struct function_entry none;
	if (entry->function == &none)
		return NULL;
	if (entry->function) {
		struct function *f = &entry->function->function;
		if (f->is_device && !f->is_kernel)
			f->is_kernel = is_kernel(f->linkage, &entry->function->n_modules);
		return f;
	}
	Dwarf_Die die = die_make(entry->unit, entry->die);
	struct first first = {0};
	die_pieces(entry->unit, &die, take_first, &first);
	const struct elf_symbol *symbol = first.found ? file_symbol(entry->unit->file, first.low)
						      : NULL;
	const char *body = symbol ? symbol_body(symbol->name) : "";
	entry->function = &none;
	if (!first.found || (*body && strcmp(body, "watched")))
		return NULL;
	struct function_entry *made = memory_new(sizeof *made);
	struct function *f = &made->function;
	made->unit = entry->unit;
	made->die = die;
	f->linkage = die_linkage(&die);
	f->low = first.low;
	f->high = first.high;
	f->is_device = *body;
	f->unit = entry->unit->number;
	f->die = made;
	describe(f, &die);
	f->is_kernel = f->is_device && is_kernel(f->linkage, &made->n_modules);
	entry->function = made;
	return f;
}

const struct function *symbols_function_at(uint64_t pc)
{
	struct unit *unit = unit_at(pc);
	if (!unit)
		return NULL;
	unit_scan(unit);
	size_t low = 0, high = unit->n_pieces;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (unit->pieces[middle].low <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low && pc < unit->pieces[low - 1].high ? entry_function(unit->pieces[low - 1].entry)
						      : NULL;
}

/* ---- by name ------------------------------------------------------------------ */

struct search {
	const char *wanted, *mangled;
	const regex_t *pattern;
	const struct function **ret;
	size_t n, max;
};

bool function_is_stub(const struct function *f)
{
	return !f->is_device && strstr(f->linkage, "__device_stub__");
}

static void put(struct search *search, const struct function *f)
{
	if (function_is_stub(f))
		return;
	/* Inline functions may stand in several units: one of each. */
	for (size_t i = 0; i < search->n && i < search->max; i++)
		if (search->ret[i]->low == f->low)
			return;
	if (search->n < search->max)
		search->ret[search->n] = f;
	search->n++;
}

static void match_name(void *user, struct entry *entry)
{
	struct search *search = user;
	const struct function *f = entry_function(entry);
	if (f && (search->mangled ? !strcmp(f->linkage, search->mangled)
				  : name_matches(search->wanted, f->signature)))
		put(search, f);
}

size_t symbols_functions(const char *name, const struct function **ret, size_t max)
{
	struct search search = {.wanted = name, .ret = ret, .max = max};
	const char *base;
	size_t n;
	if (!strncmp(name, "_Z", 2) && symbols_demangle(name) != name) {
		search.mangled = name;
		const char *begin, *end, *whole = symbols_demangle(name);
		name_cut(whole, &begin, &end);
		name = memory_text(begin, (size_t)(end - begin));
	}
	name_last(name, &base, &n);
	index_find(ENTRY_FUNCTION, base, n, match_name, &search);
	return search.n;
}

static void match_pattern(void *user, struct entry *entry)
{
	struct search *search = user;
	const struct function *f = entry_function(entry);
	if (f && !regexec(search->pattern, f->name, 0, NULL, 0))
		put(search, f);
}

size_t symbols_functions_matching(const char *pattern, const struct function **ret, size_t max)
{
	regex_t compiled;
	if (regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB))
		return 0;
	struct search search = {.pattern = &compiled, .ret = ret, .max = max};
	index_each(ENTRY_FUNCTION, match_pattern, &search);
	regfree(&compiled);
	return search.n;
}

struct visit {
	void (*f)(void *user, const struct function *);
	void *user;
};

static void visit_function(void *user, struct entry *entry)
{
	struct visit *visit = user;
	const struct function *f = entry_function(entry);
	if (f && !function_is_stub(f))
		visit->f(visit->user, f);
}

void symbols_each_function(void (*f)(void *user, const struct function *), void *user)
{
	index_each(ENTRY_FUNCTION, visit_function, &(struct visit){f, user});
}
