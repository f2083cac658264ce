/* SPDX-License-Identifier: Apache-2.0 */
/* command_symbols.c - info symbol, address, scope, functions, variables, types. */
#define _GNU_SOURCE
#include <gelf.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "command_stack.h"
#include "console.h"
#include "error.h"
#include "expression.h"
#include "location.h"
#include "stack.h"
#include "symbols_dwarf.h"
#include "symbols_state.h"

/* ---- info symbol -------------------------------------------------------------------- */

static const char *section_at(uint64_t address)
{
	for (size_t i = 0; i < symbols_state()->n_files; i++) {
		struct file *file = symbols_state()->files[i];
		size_t names;
		if (address < file->low || address >= file->high ||
		    elf_getshdrstrndx(file->elf, &names))
			continue;
		for (Elf_Scn *section = NULL; (section = elf_nextscn(file->elf, section));) {
			GElf_Shdr header;
			uint64_t offset = address - file->elf_bias;
			if (gelf_getshdr(section, &header) && header.sh_addr &&
			    offset >= header.sh_addr && offset < header.sh_addr + header.sh_size)
				return elf_strptr(file->elf, names, header.sh_name);
		}
	}
	return NULL;
}

struct cudasim_error *command_info_symbol(const char *argument)
{
	const char *name, *mangled, *file;
	uint64_t address, offset;
	struct value value;
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Argument required (address).");
	struct cudasim_error *error = evaluate_text(argument, &value);
	if (error)
		return error;
	const struct type *type = value.type ? type_target(value.type) : NULL;
	/* A variable that is no pointer means its value, as gdb takes it. */
	if (value.is_lvalue && type && type->kind == TYPE_STRUCT)
		address = value.address;
	else
		error = value_to_address(&value, &address, NULL);
	value_fini(&value);
	if (error)
		return error;
	const char *section = section_at(address);
	if (!section || !symbols_symbol_at(address, &name, &mangled, &offset, &file)) {
		fprintf(console(), "No symbol matches %s.\n", argument);
		return NULL;
	}
	fputs(name, console());
	if (offset)
		fprintf(console(), " + %" PRIu64, offset);
	fprintf(console(), " in section %s of %s\n", section, file);
	return NULL;
}

/* ---- where variables are ---------------------------------------------------------------- */

static void print_signed_offset(int64_t offset)
{
	fprintf(console(), "offset 0%+" PRId64, offset);
}

static void print_location(const struct variable *variable, uint64_t pc)
{
	struct location location;
	struct cudasim_error *error = symbols_location(variable, pc, &location);
	if (error) {
		fprintf(console(), "<error: %s>", error->message);
		cudasim_error_free(error);
		return;
	}
	switch (location.kind) {
	case LOCATION_NONE:
		fputs("optimized out", console());
		return;
	case LOCATION_FRAME:
		fputs("a variable at frame base reg $rbp ", console());
		print_signed_offset(location.offset);
		return;
	case LOCATION_FRAME_DEREF:
		fprintf(console(), "a %s whose address is at frame base reg $rbp ",
			variable->storage == STORAGE_SHARED ? "__shared__ variable" : "variable");
		print_signed_offset(location.offset);
		return;
	case LOCATION_ADDRESS:
		fprintf(console(), "static storage at address 0x%" PRIx64,
			(uint64_t)location.offset);
		return;
	case LOCATION_REGISTER:
		fprintf(console(), "a variable in register %" PRId64, location.offset);
		return;
	case LOCATION_VALUE:
		fprintf(console(), "constant %" PRId64, location.offset);
		return;
	case LOCATION_EXPRESSION:
		fprintf(console(), "a complex DWARF expression of %zu operations",
			location.n_operations);
		return;
	}
}

static const struct variable *find_local(const struct scope *scopes, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = scopes[i].n_variables; k-- > 0;)
			if (!strcmp(scopes[i].variables[k].name, name))
				return &scopes[i].variables[k];
	return NULL;
}

static struct cudasim_error *print_global(const char *name, const struct variable *variable)
{
	const struct frame *frame = frame_selected();
	uint64_t address;
	uint32_t device = frame && frame->thread ? frame->thread->block->device : 0;
	struct cudasim_error *error = symbols_global_address(variable, device, &address);
	if (!error)
		fprintf(console(), "Symbol \"%s\" is static storage at address 0x%" PRIx64 ".\n",
			name, address);
	return error;
}

struct cudasim_error *command_info_address(const char *argument)
{
	const struct frame *frame = frame_selected();
	const struct variable *variable;
	const struct function *function;
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Argument required.");
	variable = frame ? find_local(frame->scopes, frame->n_scopes, argument) : NULL;
	if (variable && !variable->is_static) {
		fprintf(console(), "Symbol \"%s\" is ", argument);
		print_location(variable, frame->lookup);
		fputs(".\n", console());
		return NULL;
	}
	if (!variable) {
		const struct variable *found[64];
		size_t n = symbols_globals(argument, found, 64);
		variable = symbols_nearest(found, n < 64 ? n : 64, NULL,
					   frame ? frame->function : NULL);
	}
	if (variable)
		return print_global(argument, variable);
	if (symbols_functions(argument, &function, 1)) {
		fprintf(console(), "Symbol \"%s\" is a function at address 0x%" PRIx64 ".\n",
			function->signature ? function->signature : function->name, function->low);
		return NULL;
	}
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "No symbol \"%s\" in current context.",
				 argument);
}

struct cudasim_error *command_info_scope(const char *argument)
{
	struct program_location *places;
	const struct scope *scopes;
	size_t n_places, n = 0;
	if (!*argument)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"requires an argument (an expression or variable): a linespec");
	struct cudasim_error *error = location_find(argument, &places, &n_places);
	if (error)
		return error;
	uint64_t pc = n_places ? places[0].pc : 0;
	free(places);
	size_t n_scopes = symbols_scopes(pc, &scopes);
	fprintf(console(), "Scope for %s:\n", argument);
	for (size_t i = 0; i < n_scopes; i++)
		for (size_t k = 0; k < scopes[i].n_variables; k++) {
			const struct variable *variable = &scopes[i].variables[k];
			if (variable->is_template)
				continue;
			n++;
			fprintf(console(), "Symbol %s is ", variable->name);
			print_location(variable, pc);
			fprintf(console(), ", length %" PRIu64 ".\n",
				type_strip(variable->type)->size);
		}
	if (!n)
		fputs("Contains no locals or arguments.\n", console());
	return NULL;
}

/* ---- lists of symbols ------------------------------------------------------------------------- */

/* A line of such a list. */
struct entry_line {
	const char *file;
	uint32_t line;
	char *text;
};
struct entry_list {
	struct entry_line *all;
	size_t n, capacity;
	regex_t *regex;
	bool failed;
};

static void list_add(struct entry_list *list, const char *file, uint32_t line, char *text)
{
	if (list->n == list->capacity) {
		size_t more = list->capacity ? 2 * list->capacity : 64;
		struct entry_line *all = realloc(list->all, more * sizeof *all);
		if (!all) {
			list->failed = true;
			free(text);
			return;
		}
		list->all = all;
		list->capacity = more;
	}
	list->all[list->n++] = (struct entry_line){file ? file : "", line, text};
}

static int by_file_and_text(const void *a, const void *b)
{
	const struct entry_line *x = a, *y = b;
	/* What no file declares comes last. */
	int order = !*x->file - !*y->file;
	if (!order)
		order = strcmp(x->file, y->file);
	if (!order)
		order = strcmp(x->text, y->text);
	return order ? order : (x->line > y->line) - (x->line < y->line);
}

static bool matches(const struct entry_list *list, const char *name)
{
	return name && (!list->regex || !regexec(list->regex, name, 0, NULL, 0));
}

static void add_function(void *user, const struct function *function)
{
	char *text = NULL;
	if (!matches(user, function->name))
		return;
	const struct type *type = symbols_function_type(function);
	const char *result = type && type->target ? type_text(type->target) : "void";
	if (asprintf(&text, "%s %s;", result,
		     function->signature ? function->signature : function->name) >= 0)
		list_add(user, function->file, function->line, text);
}

/* The host's half of a __device__ variable. */
static bool is_shadow(const struct variable *variable)
{
	const struct variable *first;
	return !variable->is_device && symbols_globals(variable->name, &first, 1) &&
	       first->is_device && first->line == variable->line && first->file && variable->file &&
	       !strcmp(first->file, variable->file);
}

static void add_variable(void *user, const struct variable *variable)
{
	char *text = NULL;
	const struct type *type = variable->type;
	char bounds[128] = "";
	if (!matches(user, variable->name) || is_shadow(variable))
		return;
	/* Array bounds stand behind the name. */
	while (type->kind == TYPE_ARRAY) {
		size_t n = strlen(bounds);
		if (type->n)
			snprintf(bounds + n, sizeof bounds - n, "[%" PRIu64 "]", type->n);
		else
			snprintf(bounds + n, sizeof bounds - n, "[]");
		type = type->target;
	}
	if (asprintf(&text, "%s%s %s%s;", variable->is_static ? "static " : "", type_text(type),
		     variable->name, bounds) >= 0)
		list_add(user, variable->file, variable->line, text);
}

/* A type's entry: classes and enumerations by name, typedefs as they are written. */
static void add_type(void *user, const struct type *type, const struct type_place *place)
{
	char *text = NULL;
	if (!matches(user, type->name))
		return;
	if (type->kind != TYPE_TYPEDEF)
		text = place->line && asprintf(&text, "%s;", type->name) < 0 ? NULL
		       : place->line                                         ? text
									     : strdup(type->name);
	else if (asprintf(&text, "typedef %s %s;", type_text(type->target), type->name) < 0)
		text = NULL;
	if (text)
		list_add(user, place->file, place->line, text);
}

static void print_list(struct entry_list *list)
{
	const char *file = NULL;
	const struct entry_line *last = NULL;
	if (list->n)
		qsort(list->all, list->n, sizeof *list->all, by_file_and_text);
	for (size_t i = 0; i < list->n; i++) {
		const struct entry_line *line = &list->all[i];
		if (last && !by_file_and_text(last, line))
			continue;
		last = line;
		if (*line->file && (!file || strcmp(file, line->file)))
			fprintf(console(), "\nFile %s:\n", line->file);
		else if (!*line->file && (!file || *file))
			fputc('\n', console());
		file = line->file;
		if (line->line)
			fprintf(console(), "%u:", line->line);
		fprintf(console(), "\t%s\n", line->text);
	}
}

static struct cudasim_error *show_list(const char *pattern, const char *what,
				       void (*collect)(struct entry_list *list))
{
	struct entry_list list = {0};
	regex_t regex;
	char why[256];
	int code = *pattern ? regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) : 0;
	if (code) {
		regerror(code, &regex, why, sizeof why);
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid regexp: %s", why);
	}
	if (*pattern) {
		list.regex = &regex;
		fprintf(console(), "All %ss matching regular expression \"%s\":\n", what, pattern);
	} else {
		fprintf(console(), "All defined %ss:\n", what);
	}
	collect(&list);
	print_list(&list);
	for (size_t i = 0; i < list.n; i++)
		free(list.all[i].text);
	free(list.all);
	if (list.regex)
		regfree(&regex);
	return list.failed ? &cudasim_error_nomem : NULL;
}

static void collect_functions(struct entry_list *list)
{
	symbols_each_function(add_function, list);
}

static void collect_variables(struct entry_list *list)
{
	symbols_each_global(add_variable, list);
}

static void collect_types(struct entry_list *list)
{
	symbols_each_type(add_type, list);
}

static bool has_debug_information(const char *kernel)
{
	const struct function *function;
	return symbols_functions(kernel, &function, 1) > 0;
}

/* Kernels of modules that were stripped: their table tells names and addresses. */
static void print_without_debug_information(const char *pattern)
{
	const struct cudasim_module *const *modules;
	regex_t regex;
	size_t n;
	bool any = false;
	if (*pattern && regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB))
		return;
	cudasim_modules(&modules, &n);
	for (size_t m = 0; m < n; m++)
		for (uint64_t k = 0; k < modules[m]->n_kernels; k++) {
			const struct cudasim_kernel *kernel = &modules[m]->kernels[k];
			uint64_t pc = (uint64_t)kernel->entry[CUDASIM_BODY_WATCHED];
			if (has_debug_information(kernel->display) ||
			    (*pattern && regexec(&regex, kernel->display, 0, NULL, 0)))
				continue;
			if (!any)
				fputs("\nNon-debugging symbols:\n", console());
			any = true;
			fprintf(console(), "0x%016" PRIx64 "  %s\n", pc, kernel->display);
		}
	if (*pattern)
		regfree(&regex);
}

struct cudasim_error *command_info_functions(const char *argument)
{
	struct cudasim_error *error = show_list(argument, "function", collect_functions);
	if (!error)
		print_without_debug_information(argument);
	return error;
}

struct cudasim_error *command_info_variables(const char *argument)
{
	return show_list(argument, "variable", collect_variables);
}

struct cudasim_error *command_info_types(const char *argument)
{
	return show_list(argument, "type", collect_types);
}
