/* SPDX-License-Identifier: Apache-2.0 */
/* layout_kernels.c - kernels, their parameters and launch bounds.
 *
 * Parameters lie in the packed buffer as in a C structure: in order, each at
 * the next multiple of its alignment. A `byval` pointer is the structure that
 * it points to. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "annotations.h"
#include "attributes.h"
#include "layout.h"
#include "must.h"
#include "names.h"

struct collector {
	struct device_module *dm;
	struct device_layout *layout;
};

static uint64_t align_up(uint64_t n, uint64_t align)
{
	return (n + align - 1) / align * align;
}

static struct layout_param param_of(struct device_module *dm, LLVMValueRef function, unsigned i)
{
	LLVMTargetDataRef data = LLVMGetModuleDataLayout(dm->module);
	LLVMTypeRef type = LLVMTypeOf(LLVMGetParam(function, i));
	LLVMAttributeRef byval = LLVMGetEnumAttributeAtIndex(function, i + 1,
							     attribute_kind("byval"));
	struct layout_param param;
	if (byval) {
		LLVMTypeRef held = LLVMGetTypeAttributeValue(byval);
		LLVMAttributeRef align = LLVMGetEnumAttributeAtIndex(function, i + 1,
								     attribute_kind("align"));
		param.size = LLVMABISizeOfType(data, held);
		param.align = align ? (unsigned)LLVMGetEnumAttributeValue(align)
				    : LLVMABIAlignmentOfType(data, held);
	} else {
		param.size = LLVMStoreSizeOfType(data, type);
		param.align = LLVMABIAlignmentOfType(data, type);
	}
	return param;
}

static void set_params(struct device_module *dm, LLVMValueRef function,
		       struct layout_kernel *kernel)
{
	kernel->n_params = LLVMCountParams(function);
	kernel->params = calloc(kernel->n_params + 1, sizeof(*kernel->params));
	assert(kernel->params);
	for (unsigned i = 0; i < kernel->n_params; i++) {
		struct layout_param *param = &kernel->params[i];
		*param = param_of(dm, function, i);
		param->offset = align_up(kernel->params_size, param->align);
		kernel->params_size = param->offset + param->size;
	}
}

static void collect_kernel(LLVMValueRef function, const char *property, uint64_t value, void *arg)
{
	struct collector *c = arg;
	struct device_layout *layout = c->layout;
	if (strcmp(property, "kernel") || !value || !LLVMIsAFunction(function) ||
	    LLVMIsDeclaration(function) || layout_find_kernel(layout, name_of(function)))
		return;
	layout->kernels = realloc(layout->kernels,
				  (layout->n_kernels + 1) * sizeof(*layout->kernels));
	assert(layout->kernels);
	struct layout_kernel *kernel = &layout->kernels[layout->n_kernels++];
	*kernel = (struct layout_kernel){.name = strdup(name_of(function))};
	assert(kernel->name);
	set_params(c->dm, function, kernel);
}

/* __launch_bounds__ and its kin. The bounds of a block are given per dimension
 * by some front ends, as one number in x by clang. */
static void collect_bounds(LLVMValueRef function, const char *property, uint64_t value, void *arg)
{
	struct collector *c = arg;
	struct layout_kernel *kernel = layout_find_kernel(c->layout, name_of(function));
	if (!kernel)
		return;
	if (!strncmp(property, "maxntid", 7) || !strncmp(property, "reqntid", 7))
		kernel->max_threads = (uint32_t)(kernel->max_threads ? kernel->max_threads : 1) *
				      (uint32_t)value;
	else if (!strcmp(property, "minctasm"))
		kernel->min_blocks = (uint32_t)value;
	else if (!strncmp(property, "cluster_dim_", 12) && property[12] >= 'x' &&
		 property[12] <= 'z')
		kernel->cluster[property[12] - 'x'] = (uint32_t)value;
}

/* annotate("cudasim_cluster_dims", x, y, z) */
static void collect_cluster(LLVMValueRef global, const char *text, const uint64_t *values,
			    size_t n_values, void *arg)
{
	struct collector *c = arg;
	if (strcmp(text, "cudasim_cluster_dims") || !LLVMIsAFunction(global))
		return;
	struct layout_kernel *kernel = layout_find_kernel(c->layout, name_of(global));
	for (size_t i = 0; kernel && i < 3; i++)
		kernel->cluster[i] = i < n_values ? (uint32_t)values[i] : 1;
}

struct device_layout *layout_new(struct device_module *dm)
{
	struct device_layout *layout = must(calloc(1, sizeof(*layout)));
	struct collector c = {dm, layout};
	annotations_visit_nvvm(dm, collect_kernel, &c);
	annotations_visit_nvvm(dm, collect_bounds, &c);
	annotations_visit(dm, collect_cluster, &c);
	dm->program->layout = layout;
	return layout;
}

struct layout_kernel *layout_find_kernel(const struct device_layout *layout, const char *name)
{
	for (size_t i = 0; i < layout->n_kernels; i++) {
		if (!strcmp(layout->kernels[i].name, name))
			return &layout->kernels[i];
	}
	return NULL;
}
