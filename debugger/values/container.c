/* SPDX-License-Identifier: Apache-2.0 */
/* container.c - what the room containers has registered, and members by their paths. */
#include "container.h"

#include <string.h>

#include "error.h"
#include "values_state.h"

enum { MAX_NESTING = 32 }; /* of bases; corrupt debug information may say otherwise */

void containers_set(container_open_fn *open)
{
	values_state()->container_open = open;
}

struct cudasim_error *container_open(const struct value *object, struct container *ret,
				     bool *is_container)
{
	container_open_fn *open = values_state()->container_open;
	*ret = (struct container){.index = 0};
	*is_container = false;
	return open ? open(object, ret, is_container) : NULL;
}

void container_close(struct container *c)
{
	value_fini(&c->object);
}

struct cudasim_error *container_next(struct container *c, struct value *ret, bool *end)
{
	*end = c->index >= c->n;
	if (*end)
		return NULL;
	if (c->next) {
		struct cudasim_error *error = c->next(c, ret, end);
		c->index++;
		return error;
	}
	*ret = value_at(c->element, c->storage,
			c->address + c->index++ * type_strip(c->element)->size);
	return NULL;
}

/* ---- members by their paths --------------------------------------------------------- */

static bool is_transparent(const struct member *member)
{
	return member->is_base || (!member->name && !member->is_static &&
				   type_strip(member->type)->kind == TYPE_STRUCT);
}

/* The member in the object or in what is part of it without a name of its own. */
static struct cudasim_error *find(const struct value *object, const char *name, size_t n, int depth,
				  bool *found, struct value *ret)
{
	const struct type *type = type_strip(object->type);
	*found = false;
	if (type->kind != TYPE_STRUCT || depth > MAX_NESTING)
		return NULL;
	for (size_t i = 0; i < type->n_members; i++) {
		const struct member *m = &type->members[i];
		if (m->name && !m->is_static && strlen(m->name) == n && !memcmp(m->name, name, n)) {
			*found = true;
			return value_member(object, m, ret);
		}
	}
	for (size_t i = 0; i < type->n_members; i++) {
		struct value part;
		if (!is_transparent(&type->members[i]))
			continue;
		struct cudasim_error *error = value_member(object, &type->members[i], &part);
		if (error)
			return error;
		error = find(&part, name, n, depth + 1, found, ret);
		value_fini(&part);
		if (error || *found)
			return error;
	}
	return NULL;
}

struct cudasim_error *value_field(const struct value *object, const char *path, struct value *ret)
{
	struct value at, part;
	struct cudasim_error *error = value_copy(object, &at);
	while (!error && *path) {
		bool found;
		size_t n = strcspn(path, ".");
		error = find(&at, path, n, 0, &found, &part);
		if (!error && !found)
			error = cudasim_error_new(CUDASIM_E_FORMAT,
						  "There is no member named %.*s.", (int)n, path);
		value_fini(&at);
		if (!error)
			at = part;
		path += n + (path[n] == '.');
	}
	if (!error)
		*ret = at;
	return error;
}
