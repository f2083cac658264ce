/* SPDX-License-Identifier: Apache-2.0 */
/* location.c - places in the program as users write them.
 *
 * Device code is found through the modules' sites: those of one function stand together,
 * its ENTRY first and then its lines in code order, so that the first LINE behind an
 * ENTRY is the function's first statement, and the first one of a line in each function
 * is where a breakpoint belongs. Host code is found through the line table. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "expression.h"
#include "location.h"
#include "source.h"
#include "symbols_dwarf.h"

struct places {
	struct program_location *list;
	size_t n, capacity;
};

static struct cudasim_error *add(struct places *p, const struct program_location *place)
{
	if (p->n == p->capacity) {
		size_t more = p->capacity ? 2 * p->capacity : 8;
		struct program_location *list = realloc(p->list, more * sizeof *list);
		if (!list)
			return &cudasim_error_nomem;
		p->list = list;
		p->capacity = more;
	}
	p->list[p->n++] = *place;
	return NULL;
}

/* ---- files -------------------------------------------------------------------------- */

/* Do two names mean one file: equal, or one the end of the other from a '/' on. */
static bool is_file(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);
	if (n < m) {
		const char *swap = a;
		a = b;
		b = swap;
		size_t k = n;
		n = m;
		m = k;
	}
	return !strcmp(a + n - m, b) && (n == m || a[n - m - 1] == '/');
}

const char *location_main(uint32_t *ret_line)
{
	const struct function *functions[8];
	const struct cudasim_module *const *modules;
	size_t n = symbols_functions("main", functions, 8);
	for (size_t i = 0; i < n && i < 8; i++)
		if (!functions[i]->is_device && !strcmp(functions[i]->name, "main")) {
			*ret_line = functions[i]->line;
			return functions[i]->file;
		}
	cudasim_modules(&modules, &n);
	for (size_t i = 0; i < n; i++) {
		const struct cudasim_site *site = modules[i]->n_kernels
							  ? modules[i]->kernels[0].site
							  : NULL;
		if (site && site->line) {
			*ret_line = site->line;
			return site->file;
		}
	}
	return NULL;
}

/* The file in which numbers alone mean lines: the one shown last, or main()'s. */
static const char *default_file(uint32_t *line)
{
	const char *file = source_place(line);
	return file ? file : location_main(line);
}

/* ---- sites ---------------------------------------------------------------------------- */

/* The lowest row of function's part of the line table that begins the site's line;
 * preferably with its column, since a line may begin several statements. */
uint64_t site_address(const struct function *function, const struct cudasim_site *site)
{
	uint64_t found = 0;
	struct line line;
	for (uint64_t pc = function->low; pc < function->high;) {
		if (!symbols_line_at(pc, &line) || line.high <= pc) {
			pc++;
			continue;
		}
		if (line.line == site->line && line.column == site->column)
			return line.low;
		if (line.line == site->line && (!found || line.low < found))
			found = line.low;
		pc = line.high;
	}
	return found;
}

/* Calls f for each function that the modules' sites show: its ENTRY and the LINE sites
 * behind it. */
static struct cudasim_error *
each_function(struct cudasim_error *(*f)(void *user, const struct cudasim_site *entry,
					 const struct cudasim_site *end),
	      void *user)
{
	const struct cudasim_module *const *modules;
	size_t n;
	struct cudasim_error *error = NULL;
	cudasim_modules(&modules, &n);
	for (size_t m = 0; m < n; m++) {
		const struct cudasim_site *site = modules[m]->sites,
					  *all = site + modules[m]->n_sites;
		while (site < all && !error) {
			const struct cudasim_site *entry = site++;
			if (entry->kind != CUDASIM_SITE_ENTRY)
				continue;
			while (site < all && site->kind != CUDASIM_SITE_ENTRY)
				site++;
			error = f(user, entry, site);
		}
	}
	return error;
}

static const struct cudasim_site *first_line(const struct cudasim_site *entry,
					     const struct cudasim_site *end, uint32_t line)
{
	for (const struct cudasim_site *site = entry + 1; site < end; site++)
		if (site->kind == CUDASIM_SITE_LINE && (!line || site->line == line) &&
		    !strcmp(site->function, entry->function))
			return site;
	return NULL;
}

struct by_line {
	const struct cudasim_site *entry;
	const struct function *found;
	bool is_sure; /* its symbol has the entry's name, too */
};

static void consider_line(void *user, const struct function *function)
{
	struct by_line *b = user;
	if (b->is_sure || !function->is_device || function->line != b->entry->line ||
	    !function->file || !is_file(function->file, b->entry->file))
		return;
	const char *symbol = function->linkage ? symbols_demangle(function->linkage) : NULL;
	b->is_sure = symbol && strstr(symbol, b->entry->function);
	if (b->is_sure || !b->found)
		b->found = function;
}

/* The device function of an ENTRY site: same name and line. DWARF spells some names in
 * another way (what has lambdas in it): those are found by their line and their symbol. */
static const struct function *function_of(const struct cudasim_site *entry)
{
	struct by_line by_line = {.entry = entry};
	enum { MAX = 256 };
	const struct function *functions[MAX];
	size_t n = symbols_functions(entry->function, functions, MAX);
	for (size_t i = 0; i < n && i < MAX; i++)
		if (functions[i]->is_device && functions[i]->line == entry->line &&
		    functions[i]->file && is_file(functions[i]->file, entry->file))
			return functions[i];
	for (size_t i = 0; i < n && i < MAX; i++)
		if (functions[i]->is_device)
			return functions[i];
	symbols_each_function(consider_line, &by_line);
	return by_line.found;
}

/* Without debug information: the kernel's entry, where the site is its first line; else
 * not known. */
static uint64_t kernel_address(const struct cudasim_site *site)
{
	const struct cudasim_module *const *modules;
	size_t n;
	cudasim_modules(&modules, &n);
	for (size_t m = 0; m < n; m++)
		for (uint64_t k = 0; k < modules[m]->n_kernels; k++) {
			const struct cudasim_kernel *kernel = &modules[m]->kernels[k];
			const struct cudasim_site *entry = kernel->site;
			if (entry && entry->kind == CUDASIM_SITE_ENTRY && entry < site &&
			    first_line(entry, site + 1, 0) == site)
				return (uint64_t)kernel->entry[CUDASIM_BODY_WATCHED];
		}
	return 0;
}

static struct cudasim_error *add_site(struct places *p, const struct cudasim_site *site,
				      const struct function *function)
{
	struct program_location place = {
		.site = site, .function = function, .file = site->file, .line = site->line};
	for (size_t i = 0; i < p->n; i++)
		if (p->list[i].site == site)
			return NULL;
	if (function)
		place.pc = site_address(function, site);
	else
		place.pc = kernel_address(site);
	return add(p, &place);
}

static struct cudasim_error *add_pc(struct places *p, uint64_t pc)
{
	struct line line;
	struct program_location place = {.pc = pc, .function = symbols_function_at(pc)};
	if (symbols_line_at(pc, &line)) {
		place.file = line.file;
		place.line = line.line;
	}
	for (size_t i = 0; i < p->n; i++)
		if (!p->list[i].site && p->list[i].pc == pc)
			return NULL;
	return add(p, &place);
}

/* What the host calls to launch a kernel: it has the kernel's name and line. */
static bool is_stub(const struct function *function)
{
	return function && ((function->linkage && strstr(function->linkage, "__device_stub__")) ||
			    strstr(function->name, "__device_stub__"));
}

/* ---- lines ------------------------------------------------------------------------------ */

struct wanted {
	const char *file;
	uint32_t line, best; /* best: the least line >= `line` that has a site; 0: none */
	bool file_known;
	struct places *places;
};

static struct cudasim_error *find_best(void *user, const struct cudasim_site *entry,
				       const struct cudasim_site *end)
{
	struct wanted *w = user;
	for (const struct cudasim_site *site = entry + 1; site < end; site++) {
		if (site->kind != CUDASIM_SITE_LINE || !is_file(site->file, w->file))
			continue;
		w->file_known = true;
		if (site->line >= w->line && (!w->best || site->line < w->best))
			w->best = site->line;
	}
	return NULL;
}

static struct cudasim_error *add_best(void *user, const struct cudasim_site *entry,
				      const struct cudasim_site *end)
{
	struct wanted *w = user;
	const struct cudasim_site *site = first_line(entry, end, w->best);
	if (!site || !is_file(site->file, w->file))
		return NULL;
	return add_site(w->places, site, function_of(entry));
}

/* Host code of the line, without the stubs of kernels. */
static size_t host_lines(const char *file, uint32_t line, uint64_t *pcs, size_t max, uint32_t *ret)
{
	size_t n = symbols_host_lines(file, line, pcs, max, ret), kept = 0;
	for (size_t i = 0; i < n && i < max; i++)
		if (!is_stub(symbols_function_at(pcs[i])))
			pcs[kept++] = pcs[i];
	return kept;
}

static struct cudasim_error *find_line(const char *file, const char *shown, uint32_t line,
				       struct places *ret)
{
	enum { MAX = 64 };
	uint64_t pcs[MAX];
	uint32_t host_line = 0;
	struct wanted w = {.file = file, .line = line, .places = ret};
	struct cudasim_error *error = each_function(find_best, &w);
	size_t n = error ? 0 : host_lines(file, line, pcs, MAX, &host_line);
	/* A stub's line is the kernel's declaration; what follows is elsewhere. */
	if (n && w.best && host_line > w.best)
		n = 0;
	else if (n && w.best && w.best > host_line)
		w.best = 0;
	if (!error && w.best)
		error = each_function(add_best, &w);
	for (size_t i = 0; !error && i < n; i++)
		error = add_pc(ret, pcs[i]);
	if (error || ret->n)
		return error;
	if (!shown)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No line %u in the current file.",
					 line);
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "No line %u in file \"%s\".", line, shown);
}

/* ---- functions ------------------------------------------------------------------------------ */

struct wanted_function {
	const struct function *function;
	const char *file; /* NULL: any */
	bool by_name;
	struct places *places;
};

static struct cudasim_error *add_function(void *user, const struct cudasim_site *entry,
					  const struct cudasim_site *end)
{
	const struct wanted_function *w = user;
	const struct function *f = w->function;
	if (entry->line != f->line || (f->file && !is_file(entry->file, f->file)) ||
	    (w->by_name && strcmp(entry->function, f->name) != 0))
		return NULL;
	const struct cudasim_site *site = first_line(entry, end, 0);
	return site ? add_site(w->places, site, f) : NULL;
}

/* Of files without debug information sites and symbols are known by name. */
struct wanted_name {
	const char *name, *file; /* file NULL: any */
	struct places *places;
};

static struct cudasim_error *add_named(void *user, const struct cudasim_site *entry,
				       const struct cudasim_site *end)
{
	const struct wanted_name *w = user;
	const struct cudasim_site *site = first_line(entry, end, 0);
	if (!site || (w->file && !is_file(entry->file, w->file)) ||
	    !name_matches(w->name, entry->function))
		return NULL;
	return add_site(w->places, site, NULL);
}

static struct cudasim_error *add_symbols(const char *name, struct places *ret)
{
	enum { MAX = 16 };
	uint64_t pcs[MAX];
	size_t n = symbols_code_named(name, pcs, MAX);
	struct cudasim_error *error = NULL;
	for (size_t i = 0; i < n && i < MAX && !error; i++)
		error = add_pc(ret, pcs[i]);
	return error;
}

/* shown: the file as the user wrote it. */
static struct cudasim_error *find_function(const char *name, const char *file, const char *shown,
					   struct places *ret)
{
	size_t max = 64, n;
	const struct function **functions = NULL;
	struct cudasim_error *error = NULL;
	for (;;) {
		const struct function **more = realloc(functions, max * sizeof *more);
		if (!more) {
			free(functions);
			return &cudasim_error_nomem;
		}
		functions = more;
		n = symbols_functions(name, functions, max);
		if (n <= max)
			break;
		max = n;
	}
	for (size_t i = 0; i < n && !error; i++) {
		const struct function *f = functions[i];
		if (is_stub(f) || (file && (!f->file || !is_file(f->file, file))))
			continue;
		if (!f->is_device) {
			uint64_t pc = symbols_after_prologue(f);
			if (pc)
				error = add_pc(ret, pc);
			continue;
		}
		struct wanted_function w = {f, file, true, ret};
		size_t before = ret->n;
		error = each_function(add_function, &w);
		w.by_name = false;
		if (!error && ret->n == before)
			error = each_function(add_function, &w);
	}
	free(functions);
	struct wanted_name wanted = {name, file, ret};
	if (!error && !n)
		error = each_function(add_named, &wanted);
	if (!error && !ret->n && !file)
		error = add_symbols(name + (strncmp(name, "::", 2) ? 0 : 2), ret);
	if (error || ret->n)
		return error;
	if (file)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "Function \"%s\" not defined in \"%s\".", name, shown);
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "Function \"%s\" not defined.", name);
}

/* ---- the text ---------------------------------------------------------------------------------- */

static struct cudasim_error *find_number(const char *text, struct places *ret)
{
	uint32_t line;
	char *end;
	const char *file = default_file(&line);
	if (!file)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "No symbol table is loaded.  Use the \"file\" command.");
	bool relative = *text == '+' || *text == '-';
	long long number = strtoll(text, &end, 10);
	if (end == text || *end)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Malformed line number \"%s\".", text);
	if (relative)
		number += line;
	if (number <= 0 || number > 0x7fffffff)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No line %lld in the current file.",
					 number);
	return find_line(file, NULL, (uint32_t)number, ret);
}

/* Does a file of that name have code? */
static bool file_is_known(const char *name)
{
	bool ambiguous;
	if (symbols_file(name, &ambiguous))
		return true;
	struct wanted w = {.file = name, .line = 1};
	cudasim_error_free(each_function(find_best, &w));
	return w.file_known;
}

/* The ':' between file and the rest: a single one, where what stands before it could be
 * a file's name. */
static const char *file_end(const char *text)
{
	for (const char *at = text; *at; at++) {
		if (*at == '<' || *at == '(')
			return NULL;
		if (*at != ':')
			continue;
		/* FILE:FUNCTION, or FILE:::FUNCTION by its whole name */
		if (at[1] != ':' || at[2] == ':')
			return at > text ? at : NULL;
		at++;
	}
	return NULL;
}

static struct cudasim_error *find_in_file(const char *text, const char *colon, struct places *ret)
{
	char *name = strndup(text, (size_t)(colon - text)), *end;
	bool ambiguous = false;
	struct cudasim_error *error;
	const char *rest = colon + 1 + strspn(colon + 1, " \t");
	if (!name)
		return &cudasim_error_nomem;
	for (size_t n = strlen(name); n && isspace((unsigned char)name[n - 1]); n--)
		name[n - 1] = 0;
	const char *file = symbols_file(name, &ambiguous);
	if (!file)
		file = name;
	if (!file_is_known(name)) {
		error = cudasim_error_new(CUDASIM_E_NOTFOUND, "No source file named %s.", name);
	} else if (isdigit((unsigned char)*rest)) {
		unsigned long long line = strtoull(rest, &end, 10);
		if (*end)
			error = cudasim_error_new(CUDASIM_E_ARGUMENT,
						  "Malformed line number \"%s\".", rest);
		else if (!line || line > 0x7fffffff)
			error = cudasim_error_new(CUDASIM_E_NOTFOUND, "No line %s in file \"%s\".",
						  rest, name);
		else
			error = find_line(file, name, (uint32_t)line, ret);
	} else if (*rest) {
		error = find_function(rest, file, name, ret);
	} else {
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Line number or function required after "
					  "\"%s:\".",
					  name);
	}
	free(name);
	return error;
}

static struct cudasim_error *find_address(const char *text, struct places *ret)
{
	int64_t pc;
	struct cudasim_error *error = evaluate_integer(text, &pc);
	return error ? error : add_pc(ret, (uint64_t)pc);
}

static struct cudasim_error *find_default(struct places *ret)
{
	uint32_t line;
	const char *file = source_place(&line);
	if (!file || !line)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "No default breakpoint address now.");
	return find_line(file, NULL, line, ret);
}

/* 'file.cu':12, "file.cu:12", 'name': without their quotes. */
static void unquote(char *text)
{
	char *end = *text == '\'' || *text == '"' ? strchr(text + 1, *text) : NULL;
	if (!end)
		return;
	memmove(end, end + 1, strlen(end + 1) + 1);
	memmove(text, text + 1, strlen(text + 1) + 1);
}

struct cudasim_error *location_find(const char *text, struct program_location **ret, size_t *n)
{
	struct places places = {0};
	char *copy;
	text += strspn(text, " \t");
	struct cudasim_error *error = location_explicit(text, &copy);
	if (error)
		return error;
	if (!copy)
		copy = strdup(text);
	if (!copy)
		return &cudasim_error_nomem;
	for (size_t k = strlen(copy); k && isspace((unsigned char)copy[k - 1]); k--)
		copy[k - 1] = 0;
	unquote(copy);
	const char *colon = file_end(copy);
	if (!*copy)
		error = find_default(&places);
	else if (*copy == '*')
		error = find_address(copy + 1, &places);
	else if (isdigit((unsigned char)*copy) || *copy == '+' || *copy == '-')
		error = find_number(copy, &places);
	else if (colon)
		error = find_in_file(copy, colon, &places);
	else
		error = find_function(copy, NULL, NULL, &places);
	free(copy);
	if (error) {
		free(places.list);
		return error;
	}
	*ret = places.list;
	*n = places.n;
	return NULL;
}
