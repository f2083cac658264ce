/* SPDX-License-Identifier: Apache-2.0 */
#include "expression_tree.h"
struct cudasim_error *call_evaluate(struct evaluation *e, const struct node *node, struct value *ret)
{
	(void)e, (void)node, (void)ret;
	return cudasim_error_new(CUDASIM_E_UNSUPPORTED, "calls are not there yet");
}
struct cudasim_error *call_operator(struct evaluation *e, const char *name, const struct node *a,
				    const struct node *b, struct value *ret)
{
	(void)e, (void)a, (void)b, (void)ret;
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "No symbol \"%s\" in current context.", name);
}
