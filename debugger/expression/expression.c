/* SPDX-License-Identifier: Apache-2.0 */
/* expression.c - expressions as commands use them. */
#include <stdlib.h>
#include <string.h>

#include "expression_tree.h"
#include "focus.h"
#include "stack.h"

struct context context_of_focus(void)
{
	const struct focus *focus = focus_get();
	struct context context = {.frame = frame_selected()};
	if (focus->is_device) {
		context.thread = focus->thread;
		context.launch = focus->launch;
	}
	/* Below a kernel stand the host's frames: what is looked at there is no thread's. */
	if (context.frame && !context.frame->is_device)
		context.thread = NULL;
	return context;
}

struct cudasim_error *expression_type(const struct expression *expression, const struct type **ret,
				      enum storage *ret_storage)
{
	struct evaluation e = {.types_only = true};
	struct value value;
	struct cudasim_error *error = node_evaluate(&e, expression->root, &value);
	if (error)
		return error;
	*ret = value.type ? value.type : type_base("void");
	if (ret_storage)
		*ret_storage = value.is_lvalue ? value.storage : STORAGE_NONE;
	value_fini(&value);
	return NULL;
}

struct cudasim_error *expression_evaluate(const struct expression *expression,
					  const struct context *context, struct value *ret)
{
	struct evaluation e = {.context = *context};
	struct cudasim_thread *before = value_thread_swap(context->thread);
	struct cudasim_error *error = node_evaluate(&e, expression->root, ret);
	if (!error && !ret->is_void && ret->type && type_strip(ret->type)->kind != TYPE_FUNCTION &&
	    (error = value_fetch(ret)))
		value_fini(ret);
	value_thread_swap(before);
	return error;
}

struct cudasim_error *evaluate_text(const char *text, struct value *ret)
{
	struct expression *expression;
	struct context context = context_of_focus();
	struct cudasim_error *error = expression_parse_in(text, context.frame, &expression);
	if (error)
		return error;
	error = expression_evaluate(expression, &context, ret);
	expression_free(expression);
	return error;
}

struct cudasim_error *evaluate_integer(const char *text, int64_t *ret)
{
	struct value value;
	wide number = 0;
	struct cudasim_error *error = evaluate_text(text, &value);
	if (error)
		return error;
	error = value.is_void ? cudasim_error_new(CUDASIM_E_ARGUMENT,
						  "Value can't be converted to integer.")
			      : value_to_integer(&value, &number);
	value_fini(&value);
	*ret = (int64_t)number;
	return error;
}

/* ---- what an expression reads -------------------------------------------------------- */

struct listener {
	void (*f)(void *user, uint64_t address, uint64_t size, enum storage storage, bool local);
	void *user;
};

static void heard(void *user, const struct value *value)
{
	const struct listener *listener = user;
	uint64_t address = value->address, size = value->type ? type_strip(value->type)->size : 0;
	if (value->bit_size) {
		address += value->bit_offset / 8;
		size = (value->bit_offset % 8 + value->bit_size + 7) / 8;
	}
	if (size)
		listener->f(listener->user, address, size, value->storage,
			    value->storage == STORAGE_LOCAL || value->storage == STORAGE_PARAMETER);
}

struct cudasim_error *expression_objects(const struct expression *expression,
					 const struct context *context,
					 void (*f)(void *user, uint64_t address, uint64_t size,
						   enum storage storage, bool local),
					 void *user)
{
	struct listener listener = {.f = f, .user = user};
	struct value value;
	value_listen(heard, &listener);
	struct cudasim_error *error = expression_evaluate(expression, context, &value);
	value_listen(NULL, NULL);
	if (error)
		return error;
	if (value.is_lazy && value.is_lvalue) /* too large to be read at once */
		heard(&listener, &value);
	value_fini(&value);
	return NULL;
}
