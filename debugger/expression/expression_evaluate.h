/* SPDX-License-Identifier: Apache-2.0 */
/* expression_evaluate.h - what the files of the evaluator share; nobody else includes
 * it. Each evaluate_*() takes a node of its kind; *ret is the caller's to free. */
#ifndef CUDASIM_DEBUGGER_EXPRESSION_EVALUATE_H
#define CUDASIM_DEBUGGER_EXPRESSION_EVALUATE_H

#include "expression_tree.h"

/* Placeholders of a type: a value, an object. */
struct value value_typed(const struct type *type);
struct value value_typed_object(const struct type *type, enum storage storage);
/* Of a class that may have operators of its own; references are followed. */
bool value_is_class(const struct value *value);
/* With references followed: what C++ calls the value of an expression. */
struct cudasim_error *evaluate_object(struct evaluation *e, const struct node *node,
				      struct value *ret);
/* The object that a pointer or reference points at. */
struct cudasim_error *evaluate_pointee(struct evaluation *e, const struct value *pointer,
				       struct value *ret);
/* Argument to arithmetic operation not a number or boolean. */
struct cudasim_error *error_void_operand(void);
/* a op b by the operator that their class has. */
struct cudasim_error *call_operator_of(struct evaluation *e, enum operator op,
				       const struct value *a, const struct value *b,
				       struct value *ret);

/* expression_name.c */
struct cudasim_error *evaluate_variable(struct evaluation *e, const struct node *node,
					struct value *ret);
struct cudasim_error *evaluate_global(struct evaluation *e, const struct node *node,
				      struct value *ret);
struct cudasim_error *evaluate_builtin(struct evaluation *e, const struct node *node,
				       struct value *ret);
struct cudasim_error *evaluate_register(struct evaluation *e, const struct node *node,
					struct value *ret);
/* expression_place.c */
struct cudasim_error *evaluate_dereference(struct evaluation *e, const struct node *node,
					   struct value *ret);
struct cudasim_error *evaluate_address(struct evaluation *e, const struct node *node,
				       struct value *ret);
struct cudasim_error *evaluate_member(struct evaluation *e, const struct node *node,
				      struct value *ret);
struct cudasim_error *evaluate_subscript(struct evaluation *e, const struct node *node,
					 struct value *ret);
struct cudasim_error *evaluate_repeat(struct evaluation *e, const struct node *node,
				      struct value *ret);
struct cudasim_error *evaluate_slice(struct evaluation *e, const struct node *node,
				     struct value *ret);
/* expression_field.c: members without an object */
struct cudasim_error *evaluate_field(struct evaluation *e, const struct node *node,
				     struct value *ret);
struct cudasim_error *evaluate_field_address(const struct node *node, struct value *ret);
/* &Class::f; *found is false where the function is no member, or a static one. */
struct cudasim_error *evaluate_method_address(const struct node *node, bool *found,
					      struct value *ret);
struct cudasim_error *evaluate_member_pointer(struct evaluation *e, const struct node *node,
					      struct value *ret);
/* expression_assign.c */
struct cudasim_error *evaluate_assign(struct evaluation *e, const struct node *node,
				      struct value *ret);
struct cudasim_error *evaluate_step(struct evaluation *e, const struct node *node,
				    struct value *ret);

/* expression_internal.c: gdb's functions of strings and values, $_streq and its kin. */
bool internal_is_known(const char *name); /* without the $ */
/* Each of them, with its $; NULL behind the last. */
const char *internal_name(size_t i);
/* node: a NODE_CALL of a NODE_CONVENIENCE with such a name. */
struct cudasim_error *internal_evaluate(struct evaluation *e, const struct node *node,
					struct value *ret);

#endif
