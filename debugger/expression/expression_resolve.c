/* SPDX-License-Identifier: Apache-2.0 */
/* expression_resolve.c - what names mean: variables of the scopes around a place,
 * members of this, what cuda defines in device code, and globals, functions,
 * enumerators and types of the namespaces around. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expression_tree.h"
#include "stack.h"

/* ---- locals ------------------------------------------------------------------------ */

static const struct variable *find_in_scopes(const struct scope *scopes, size_t n, const char *name,
					     size_t length)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < scopes[i].n_variables; k++) {
			const struct variable *variable = &scopes[i].variables[k];
			if (variable->name && strlen(variable->name) == length &&
			    !memcmp(variable->name, name, length))
				return variable;
		}
		if (scopes[i].inlined)
			break; /* what is around belongs to the caller */
	}
	return NULL;
}

bool resolve_is_local(struct parser *p, const char *name, size_t length)
{
	return find_in_scopes(p->scopes, p->n_scopes, name, length) != NULL;
}

static struct node *global_node(struct parser *p, const struct variable *variable)
{
	struct node *node = node_new(p, NODE_GLOBAL, NULL, NULL);
	if (node) {
		node->name = variable->name;
		node->variable = variable;
		node->type = variable->type;
	}
	return node;
}

static struct node *variable_node(struct parser *p, const struct variable *variable, uint64_t pc)
{
	if (variable->is_static && variable->storage != STORAGE_SHARED)
		return global_node(p, variable);
	struct node *node = node_new(p, NODE_VARIABLE, NULL, NULL);
	if (!node)
		return NULL;
	node->name = variable->name;
	node->variable = variable;
	node->type = variable->type;
	struct cudasim_error *error = symbols_location(variable, pc, &node->location);
	return error ? parser_fail(p, error) : node;
}

/* A member of *this, written without this->. */
static struct node *member_of_this(struct parser *p, const char *name)
{
	const struct variable *self = find_in_scopes(p->scopes, p->n_scopes, "this", 4);
	struct member_path path;
	if (!self || !self->type)
		return NULL;
	const struct type *type = type_strip(self->type);
	if (type->kind != TYPE_POINTER || !member_find(type_strip(type->target), name, &path))
		return NULL;
	struct node *node = node_new(p, NODE_MEMBER, variable_node(p, self, p->pc), NULL);
	if (node) {
		node->name = name;
		node->relative = true;
	}
	return node;
}

static struct node *builtin_node(struct parser *p, const char *name)
{
	static const char *const names[] = {"threadIdx",  "blockIdx",   "blockDim", "gridDim",
					    "clusterIdx", "clusterDim", "warpSize"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (p->is_device && !strcmp(names[i], name)) {
			struct node *node = node_new(p, NODE_BUILTIN, NULL, NULL);
			if (node)
				node->number = (int64_t)i;
			return node;
		}
	return NULL;
}

/* function::variable, of the innermost frame of that function. */
static struct node *variable_of_function(struct parser *p, const char *name)
{
	char prefix[MAX_NAME];
	const char *at = name_last_scope(name);
	const struct function *functions[16];
	if (!at || (size_t)(at - name) >= sizeof prefix)
		return NULL;
	memcpy(prefix, name, (size_t)(at - name));
	prefix[at - name] = 0;
	size_t n = symbols_functions(prefix, functions, 16);
	if (n > 16)
		n = 16;
	const struct frame *frames;
	size_t n_frames = n ? frames_of_focus(&frames) : 0;
	for (size_t i = 0; i < n_frames; i++)
		for (size_t k = 0; k < n; k++) {
			if (frames[i].function != functions[k] || frames[i].is_inlined)
				continue;
			const struct variable *variable = find_in_scopes(
				frames[i].scopes, frames[i].n_scopes, at + 2, strlen(at + 2));
			if (!variable)
				continue;
			struct node *node = variable_node(p, variable, frames[i].lookup);
			if (node)
				node->frame_of = functions[k];
			return node;
		}
	/* Its static variables are there without a frame. */
	for (size_t k = 0; k < n; k++) {
		const struct scope *scopes;
		uint64_t pc = symbols_after_prologue(functions[k]);
		size_t n_scopes = symbols_scopes(pc, &scopes);
		const struct variable *variable = find_in_scopes(scopes, n_scopes, at + 2,
								 strlen(at + 2));
		if (!variable)
			continue;
		struct node *node = variable_node(p, variable, pc);
		if (node && node->kind == NODE_VARIABLE &&
		    node->location.kind != LOCATION_ADDRESS &&
		    node->location.kind != LOCATION_VALUE)
			return parser_fail(
				p,
				cudasim_error_new(CUDASIM_E_NOTFOUND,
						  "No frame is currently executing in block %s.",
						  functions[k]->signature ? functions[k]->signature
									  : functions[k]->name));
		return node;
	}
	return NULL;
}

/* ---- globals -------------------------------------------------------------------------- */

#define MAX_FOUND 64

static struct node *function_node(struct parser *p, const char *name,
				  const struct function *const *functions, size_t n)
{
	struct node *node = node_new(p, NODE_FUNCTION, NULL, NULL);
	const struct function **kept = expression_allocate(p->expression, n * sizeof *kept);
	if (!node || !kept)
		return node ? parser_fail(p, &cudasim_error_nomem) : NULL;
	memcpy(kept, functions, n * sizeof *kept);
	node->name = name;
	node->functions = kept;
	node->n_functions = n;
	return node;
}

/* The name as it would be written outside of n_outer scopes of the function around:
 * "geo::Dog::x", "geo::x", "x". false when there are no more. */
static bool qualify(struct parser *p, const char *name, int level, char *ret, size_t size)
{
	if (!p->function || !p->function->name || strlen(p->function->name) >= size) {
		snprintf(ret, size, "%s", name);
		return level == 0;
	}
	strcpy(ret, p->function->name);
	for (int i = 0; i <= level; i++) {
		char *at = (char *)name_last_scope(ret);
		if (!at) {
			if (i < level)
				return false;
			snprintf(ret, size, "%s", name);
			return true;
		}
		*at = 0;
	}
	size_t n = strlen(ret);
	snprintf(ret + n, size - n, "::%s", name);
	return true;
}

static struct node *find_global(struct parser *p, const char *name)
{
	const struct variable *found[MAX_FOUND], *variable;
	char full[MAX_NAME];
	size_t n = symbols_globals(name, found, MAX_FOUND);
	if (n > MAX_FOUND)
		n = MAX_FOUND;
	if (p->is_global)
		return n && (variable = symbols_nearest(found, n, name, p->function))
			       ? global_node(p, variable)
			       : NULL;
	for (int level = 0; n && qualify(p, name, level, full, sizeof full); level++)
		if ((variable = symbols_nearest(found, n, full, p->function)))
			return global_node(p, variable);
	variable = symbols_nearest(found, n, NULL, p->function);
	return variable ? global_node(p, variable) : NULL;
}

/* Moves functions of the own file to the front, where the first of several wins. */
static void sort_by_nearness(struct parser *p, const struct function **found, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const struct function *f = found[i];
		int near = symbols_nearness(f->unit, f->file, p->function);
		size_t at = i;
		for (; at > 0 && near > symbols_nearness(found[at - 1]->unit, found[at - 1]->file,
							 p->function);
		     at--)
			found[at] = found[at - 1];
		found[at] = f;
	}
}

static struct node *find_function(struct parser *p, const char *name)
{
	const struct function *found[MAX_FOUND], *same[MAX_FOUND];
	char full[MAX_NAME];
	size_t n = symbols_functions(name, found, MAX_FOUND), n_same = 0;
	if (n > MAX_FOUND)
		n = MAX_FOUND;
	sort_by_nearness(p, found, n);
	for (int level = 0; n && !n_same && qualify(p, name, level, full, sizeof full); level++)
		for (size_t i = 0; i < n; i++)
			if (found[i]->name && !strcmp(found[i]->name, full))
				same[n_same++] = found[i];
	if (n_same)
		return function_node(p, name, same, n_same);
	return n ? function_node(p, name, found, n) : NULL;
}

static struct node *find_enumerator(struct parser *p, const char *name)
{
	const struct type *type;
	int64_t value;
	if (!symbols_enumerator(name, p->function, &type, &value))
		return NULL;
	struct node *node = node_new(p, NODE_LITERAL, NULL, NULL);
	if (node)
		node->literal = value_integer(type, value);
	return node;
}

/* file.cu::name: only what that file defines. */
static struct node *find_in_file(struct parser *p, const char *name)
{
	char file[MAX_NAME];
	bool ambiguous;
	const char *at = strstr(name, "::");
	if (!at || !memchr(name, '.', (size_t)(at - name)) || (size_t)(at - name) >= sizeof file)
		return NULL;
	memcpy(file, name, (size_t)(at - name));
	file[at - name] = 0;
	const char *known = symbols_file(file, &ambiguous);
	if (!known)
		return parser_fail(
			p, cudasim_error_new(CUDASIM_E_NOTFOUND,
					     "No symbol table is loaded for file \"%s\".", file));
	const struct variable *variables[MAX_FOUND];
	size_t n = symbols_globals(at + 2, variables, MAX_FOUND);
	for (size_t i = 0; i < n && i < MAX_FOUND; i++) {
		const char *own = variables[i]->file ? symbols_file(variables[i]->file, &ambiguous)
						     : NULL;
		if (own && !strcmp(own, known))
			return global_node(p, variables[i]);
	}
	const struct function *functions[MAX_FOUND], *same[MAX_FOUND];
	size_t n_same = 0;
	n = symbols_functions(at + 2, functions, MAX_FOUND);
	for (size_t i = 0; i < n && i < MAX_FOUND; i++) {
		const char *own = functions[i]->file ? symbols_file(functions[i]->file, &ambiguous)
						     : NULL;
		if (own && !strcmp(own, known))
			same[n_same++] = functions[i];
	}
	if (n_same)
		return function_node(p, at + 2, same, n_same);
	return parser_fail(p, cudasim_error_new(CUDASIM_E_NOTFOUND,
						"No symbol \"%s\" in specified context.", at + 2));
}

/* Class::member, without an object. */
static struct node *find_field(struct parser *p, const char *name)
{
	char owner[MAX_NAME];
	const char *at = name_last_scope(name);
	struct member_path path;
	snprintf(owner, sizeof owner, "%.*s", (int)(at - name), name);
	const struct type *type = symbols_type(owner, p->function);
	if (!type || !member_find(type_strip(type), at + 2, &path) ||
	    (path.member && path.member->is_static))
		return NULL;
	struct node *node = node_new(p, NODE_FIELD, NULL, NULL);
	if (node) {
		node->type = type;
		node->name = at + 2;
	}
	return node;
}

struct node *resolve_name(struct parser *p, const char *name)
{
	struct node *node = NULL;
	bool qualified = name_last_scope(name) != NULL;
	if (!qualified && !p->is_global) {
		const struct variable *variable = find_in_scopes(p->scopes, p->n_scopes, name,
								 strlen(name));
		if (variable)
			return variable_node(p, variable, p->pc);
		if (!(node = member_of_this(p, name)) && !p->error)
			node = builtin_node(p, name);
	} else if (qualified) {
		node = find_in_file(p, name);
	}
	if (!node && !p->error)
		node = find_global(p, name);
	if (!node && !p->error)
		node = find_function(p, name);
	if (!node && !p->error)
		node = find_enumerator(p, name);
	if (!node && !p->error && qualified)
		node = variable_of_function(p, name);
	if (!node && !p->error && qualified)
		node = find_field(p, name);
	return p->error ? NULL : node;
}

/* A variable hides a class or enumeration of the same name, [basic.scope.hiding]. */
static bool is_hidden(const char *name, const struct type *type)
{
	const struct variable *found[MAX_FOUND];
	size_t n = symbols_globals(name, found, MAX_FOUND);
	for (size_t i = 0; type->name && i < n && i < MAX_FOUND; i++)
		if (found[i]->name && !strcmp(found[i]->name, type->name))
			return true;
	return false;
}

const struct type *resolve_type(struct parser *p, const char *name, bool is_elaborated)
{
	if (!is_elaborated && !name_last_scope(name) && resolve_is_local(p, name, strlen(name)))
		return NULL;
	const struct type *type = symbols_type(name, p->function);
	if (!type)
		return type_base(name);
	return !is_elaborated && is_hidden(name, type) ? NULL : type;
}

/* ---- failures --------------------------------------------------------------------------- */

struct prefix {
	const char *text;
	size_t n;
	bool found;
};

static void look(struct prefix *prefix, const char *name)
{
	if (name && !strncmp(name, prefix->text, prefix->n) && name[prefix->n] == ':')
		prefix->found = true;
}

static void look_function(void *user, const struct function *function)
{
	look(user, function->name);
}

static void look_global(void *user, const struct variable *variable)
{
	look(user, variable->name);
}

static void look_type(void *user, const struct type *type, const struct type_place *place)
{
	(void)place;
	look(user, type->name);
}

struct cudasim_error *resolve_failure(const char *name)
{
	const char *at = name_last_scope(name);
	if (!at)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "No symbol \"%s\" in current context.",
					 name);
	char prefix_text[MAX_NAME];
	snprintf(prefix_text, sizeof prefix_text, "%.*s", (int)(at - name), name);
	const struct type *type = symbols_type(prefix_text, NULL);
	if (type)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "There is no field named %s", at + 2);
	struct prefix prefix = {.text = prefix_text, .n = strlen(prefix_text)};
	symbols_each_function(look_function, &prefix);
	symbols_each_global(look_global, &prefix);
	symbols_each_type(look_type, &prefix);
	if (prefix.found)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "No symbol \"%s\" in namespace \"%s\".", at + 2,
					 prefix_text);
	const char *outer = name_last_scope(prefix_text);
	if (outer)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "No type \"%s\" within class or namespace \"%.*s\".",
					 outer + 2, (int)(outer - prefix_text), prefix_text);
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "No symbol \"%s\" in current context.",
				 prefix_text);
}
