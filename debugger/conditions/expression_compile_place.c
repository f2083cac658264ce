/* SPDX-License-Identifier: Apache-2.0 */
/* expression_compile_place.c - where objects are: variables, members, elements, what pointers
 * point at; and their values loaded from there. */
#include <string.h>

#include "expression_compile.h"

/* A reference's slot holds where its object is. */
static void follow_reference(struct compiler *c, const struct type **type, bool *safe)
{
	const struct type *stripped = type_strip(*type);
	if (stripped->kind != TYPE_REFERENCE)
		return;
	struct operation *load = compile_emit(c, LOAD);
	load->form = FORM_U64;
	load->safe = *safe;
	*type = stripped->target;
	*safe = false;
}

static bool variable_place(struct compiler *c, const struct node *node, const struct type **ret,
			   bool *ret_safe)
{
	if (node->frame_of)
		return false;
	*ret = node->type;
	*ret_safe = true;
	switch (node->location.kind) {
	case LOCATION_FRAME:
		compile_emit(c, PUSH_FRAME)->u.integer = node->location.offset;
		break;
	case LOCATION_FRAME_DEREF:
		compile_emit(c, PUSH_FRAME_DEREF)->u.integer = node->location.offset;
		break;
	case LOCATION_ADDRESS:
		compile_push(c, node->location.offset);
		break;
	default:
		return false;
	}
	follow_reference(c, ret, ret_safe);
	return true;
}

static bool global_place_of(struct compiler *c, const struct node *node, const struct type **ret,
			    bool *ret_safe)
{
	size_t i = 0;
	while (i < c->n_globals && c->globals[i].variable != node->variable)
		i++;
	if (i == MAX_GLOBALS)
		return false;
	if (i == c->n_globals)
		c->globals[c->n_globals++].variable = node->variable;
	compile_emit(c, PUSH_GLOBAL)->index = (uint32_t)i;
	*ret = node->type;
	*ret_safe = true;
	follow_reference(c, ret, ret_safe);
	return true;
}

bool compile_is_place(const struct node *node)
{
	return node->kind == NODE_VARIABLE || node->kind == NODE_GLOBAL ||
	       node->kind == NODE_MEMBER || node->kind == NODE_SUBSCRIPT ||
	       node->kind == NODE_DEREFERENCE;
}

/* Where an object or array is, or where the pointer points that node is. Either way is
 * compiled once only: trying both would double the work at each level. */
static bool compile_base(struct compiler *c, const struct node *node, const struct type **ret,
			 bool *ret_safe)
{
	const struct type *type;
	if (!compile_is_place(node)) {
		if (!compile_node(c, node, &type) || type_strip(type)->kind != TYPE_POINTER)
			return false;
		*ret = type_strip(type)->target;
		*ret_safe = false;
		return *ret != NULL;
	}
	if (!compile_place_of(c, node, &type, ret_safe))
		return false;
	*ret = type;
	const struct type *pointer = type_strip(type);
	if (pointer->kind != TYPE_POINTER)
		return true;
	struct operation *load = compile_emit(c, LOAD);
	load->form = FORM_U64;
	load->safe = *ret_safe;
	*ret = pointer->target;
	*ret_safe = false;
	return pointer->storage != STORAGE_SHARED && *ret;
}

static bool member_place(struct compiler *c, const struct node *node, const struct type **ret,
			 bool *ret_safe)
{
	struct member_path path;
	const struct type *type;
	if (!compile_base(c, node->a, &type, ret_safe))
		return false;
	type = type_strip(type);
	if (type->kind != TYPE_STRUCT || !member_find(type, node->name, &path) || !path.member ||
	    path.is_virtual_base || path.member->is_static || path.member->bit_size)
		return false;
	uint64_t offset = path.offset + path.member->offset;
	if (offset)
		compile_emit(c, OFFSET)->u.integer = (int64_t)offset;
	*ret = path.member->type;
	follow_reference(c, ret, ret_safe);
	return true;
}

static bool subscript_place(struct compiler *c, const struct node *node, const struct type **ret,
			    bool *ret_safe)
{
	const struct type *index, *element, *declared = compile_type(node->a);
	uint64_t bound = 0;
	/* Arrays have become pointers there: what is indexed either way. */
	if (!declared || declared->kind != TYPE_POINTER ||
	    !compile_base(c, node->a, &element, ret_safe))
		return false;
	if (type_strip(element)->kind == TYPE_ARRAY && !type_same(element, declared->target)) {
		bound = type_strip(element)->n;
		element = type_strip(element)->target;
	}
	uint64_t size = element ? type_strip(element)->size : 0;
	if (!size || size > UINT32_MAX || bound > UINT32_MAX || !compile_node(c, node->b, &index) ||
	    !type_is_integral(index))
		return false;
	struct operation *operation = compile_emit(c, INDEX);
	operation->u.array.size = (uint32_t)size;
	operation->u.array.n = (uint32_t)bound;
	*ret = element;
	return true;
}

bool compile_place_of(struct compiler *c, const struct node *node, const struct type **ret,
		      bool *ret_safe)
{
	const struct type *type;
	switch (node->kind) {
	case NODE_VARIABLE:
		return variable_place(c, node, ret, ret_safe);
	case NODE_GLOBAL:
		return global_place_of(c, node, ret, ret_safe);
	case NODE_MEMBER:
		return member_place(c, node, ret, ret_safe);
	case NODE_SUBSCRIPT:
		return subscript_place(c, node, ret, ret_safe);
	case NODE_DEREFERENCE:
		if (!compile_node(c, node->a, &type) || type_strip(type)->kind != TYPE_POINTER)
			return false;
		*ret = type_strip(type)->target;
		*ret_safe = false;
		return type_strip(*ret)->size != 0;
	default:
		return false;
	}
}

/* threadIdx.x and its like. */
static bool builtin_member(struct compiler *c, const struct node *node, const struct type **ret)
{
	if (node->a->kind != NODE_BUILTIN || node->a->number == BUILTIN_WARP_SIZE ||
	    strlen(node->name) != 1 || *node->name < 'x' || *node->name > 'z')
		return false;
	compile_emit(c, PUSH_BUILTIN)->index =
		(uint32_t)(4 * node->a->number + (*node->name - 'x'));
	*ret = type_base("unsigned int");
	return true;
}

bool compile_load(struct compiler *c, const struct node *node, const struct type **ret)
{
	bool safe;
	enum form form;
	if (node->kind == NODE_MEMBER && builtin_member(c, node, ret))
		return true;
	if (!compile_place_of(c, node, ret, &safe))
		return false;
	if (type_strip(*ret)->kind == TYPE_ARRAY) { /* a pointer to its first element */
		*ret = type_pointer(type_strip(*ret)->target, STORAGE_GENERIC);
		return true;
	}
	if (!compile_form(*ret, &form))
		return false;
	struct operation *last = c->n ? &c->operations[c->n - 1] : NULL;
	if (last && last->code == PUSH_FRAME && c->n < MAX_OPERATIONS) {
		last->code = LOAD_FRAME;
		last->form = (uint8_t)form;
		return true;
	}
	struct operation *load = compile_emit(c, LOAD);
	load->form = (uint8_t)form;
	load->safe = safe;
	return true;
}
