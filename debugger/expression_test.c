/* SPDX-License-Identifier: Apache-2.0 */
#include "expression_tree.h"

struct cudasim_error *expression_test(const struct expression *expression,
				      struct cudasim_thread *thread, uint64_t base, bool *ret)
{
	struct frame frame = {.pc = expression->pc, .lookup = expression->pc, .base = base,
			      .is_device = true, .thread = thread};
	frame.function = symbols_function_at(expression->pc);
	frame.registers.value[6] = base;
	frame.registers.known = 1u << 6;
	struct context context = {.thread = thread, .frame = &frame};
	struct value value;
	struct cudasim_error *error = expression_evaluate(expression, &context, &value);
	if (error)
		return error;
	error = value.is_void ? NULL : value_to_bool(&value, ret);
	if (value.is_void)
		*ret = false;
	value_fini(&value);
	return error;
}
