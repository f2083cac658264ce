/* SPDX-License-Identifier: Apache-2.0 */
/* layout_shared.c - offsets of __shared__ variables in a block's window.
 *
 * A variable has one offset in all kernels, since functions are shared between
 * kernels. Two variables may overlap unless some kernel reaches both. First fit
 * in order of falling alignment, then of the module, gives every kernel the size
 * that it would have had alone, in all but contrived cases. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Target.h>

#include "callgraph.h"
#include "layout.h"
#include "names.h"

/* reach[kernel * n_shared + variable]: the kernel reaches the variable. */
struct reach {
	size_t n_shared;
	bool *cells;
};

static bool is_shared(LLVMValueRef global)
{
	return LLVMGetPointerAddressSpace(LLVMTypeOf(global)) == 3;
}

static void collect(struct device_module *dm, struct device_layout *layout)
{
	LLVMTargetDataRef data = LLVMGetModuleDataLayout(dm->module);
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = LLVMGetNextGlobal(g)) {
		if (!is_shared(g))
			continue;
		layout->shared = realloc(layout->shared,
					 (layout->n_shared + 1) * sizeof(*layout->shared));
		assert(layout->shared);
		LLVMTypeRef type = LLVMGlobalGetValueType(g);
		bool dynamic = LLVMIsDeclaration(g);
		/* Not less than the type's own, as nvcc's. */
		unsigned align = LLVMGetAlignment(g), natural = LLVMABIAlignmentOfType(data, type);
		struct layout_shared *s = &layout->shared[layout->n_shared++];
		*s = (struct layout_shared){
			.name = strdup(name_of(g)),
			.size = dynamic ? 0 : LLVMABISizeOfType(data, type),
			.align = align > natural ? align : natural,
			.dynamic = dynamic,
		};
		assert(s->name);
	}
}

static size_t index_of(const struct device_layout *layout, const char *name)
{
	const struct layout_shared *s = layout_find_shared(layout, name);
	assert(s);
	return (size_t)(s - layout->shared);
}

/* uses[function * n_shared + variable], from the users of each variable, which
 * are instructions by now (constants_expand). */
static bool *collect_uses(struct device_module *dm, const struct device_layout *layout,
			  const struct callgraph *graph)
{
	bool *uses = calloc(graph->n * layout->n_shared + 1, sizeof(*uses));
	assert(uses);
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = LLVMGetNextGlobal(g)) {
		if (!is_shared(g))
			continue;
		size_t number = index_of(layout, name_of(g));
		for (LLVMUseRef use = LLVMGetFirstUse(g); use; use = LLVMGetNextUse(use)) {
			LLVMValueRef user = LLVMGetUser(use);
			if (!LLVMIsAInstruction(user)) {
				device_diagnose(dm, g,
						"the address of the __shared__ variable "
						"'%s' is used in an initialiser",
						name_of(g));
				break;
			}
			LLVMValueRef function =
				LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
			uses[callgraph_find(graph, function) * layout->n_shared + number] = true;
		}
	}
	return uses;
}

static struct reach reach_new(struct device_module *dm, const struct device_layout *layout)
{
	struct callgraph *graph = callgraph_new(dm, NULL, NULL);
	struct reach reach = {layout->n_shared,
			      calloc(layout->n_kernels * layout->n_shared + 1, sizeof(bool))};
	bool *uses = collect_uses(dm, layout, graph);
	bool *reached = calloc(graph->n + 1, sizeof(*reached));
	assert(reach.cells && reached);
	for (size_t k = 0; k < layout->n_kernels; k++) {
		LLVMValueRef kernel = LLVMGetNamedFunction(dm->module, layout->kernels[k].name);
		callgraph_reach(graph, callgraph_find(graph, kernel), reached);
		for (size_t f = 0; f < graph->n; f++) {
			for (size_t s = 0; reached[f] && s < layout->n_shared; s++)
				reach.cells[k * reach.n_shared + s] |= uses[f * reach.n_shared + s];
		}
	}
	free(reached);
	free(uses);
	callgraph_free(graph);
	return reach;
}

static bool interfere(const struct device_layout *layout, const struct reach *reach, size_t a,
		      size_t b)
{
	for (size_t k = 0; k < layout->n_kernels; k++) {
		const bool *row = reach->cells + k * reach->n_shared;
		if (row[a] && row[b])
			return true;
	}
	return false;
}

/* The lowest offset at which variable v overlaps none of the n placed ones that
 * it interferes with. */
static uint64_t first_fit(const struct device_layout *layout, const struct reach *reach, size_t v,
			  const size_t *placed, size_t n)
{
	const struct layout_shared *variable = &layout->shared[v];
	uint64_t offset = CUDASIM_RESERVED_SHARED_BYTES;
	for (bool moved = true; moved;) {
		moved = false;
		offset = (offset + variable->align - 1) / variable->align * variable->align;
		for (size_t i = 0; i < n; i++) {
			const struct layout_shared *other = &layout->shared[placed[i]];
			if (offset < other->offset + other->size &&
			    other->offset < offset + variable->size &&
			    interfere(layout, reach, v, placed[i])) {
				offset = other->offset + other->size;
				moved = true;
			}
		}
	}
	return offset;
}

static void place_all(struct device_layout *layout, const struct reach *reach)
{
	size_t *placed = calloc(layout->n_shared + 1, sizeof(*placed));
	assert(placed);
	size_t n = 0;
	for (unsigned align = 1u << 31; align; align >>= 1) {
		for (size_t v = 0; v < layout->n_shared; v++) {
			struct layout_shared *variable = &layout->shared[v];
			if (variable->dynamic || variable->align != align)
				continue;
			variable->offset = first_fit(layout, reach, v, placed, n);
			placed[n++] = v;
		}
	}
	free(placed);
}

/* Sort key: static ones by offset, then the dynamic ones. */
static bool comes_before(const struct layout_shared *a, const struct layout_shared *b)
{
	return a->dynamic != b->dynamic ? b->dynamic : a->offset < b->offset;
}

static void set_kernel(struct device_layout *layout, const struct reach *reach, size_t k)
{
	struct layout_kernel *kernel = &layout->kernels[k];
	kernel->shared = calloc(layout->n_shared + 1, sizeof(*kernel->shared));
	assert(kernel->shared);
	kernel->dynamic_shared_align = 16;
	for (size_t v = 0; v < layout->n_shared; v++) {
		const struct layout_shared *variable = &layout->shared[v];
		if (!reach->cells[k * reach->n_shared + v])
			continue;
		size_t at = kernel->n_shared++;
		for (; at && comes_before(variable, &layout->shared[kernel->shared[at - 1]]); at--)
			kernel->shared[at] = kernel->shared[at - 1];
		kernel->shared[at] = v;
		if (variable->dynamic && kernel->dynamic_shared_align < variable->align)
			kernel->dynamic_shared_align = variable->align;
		uint64_t end = variable->offset + variable->size;
		if (!variable->dynamic &&
		    end > CUDASIM_RESERVED_SHARED_BYTES + kernel->static_shared_bytes)
			kernel->static_shared_bytes = end - CUDASIM_RESERVED_SHARED_BYTES;
	}
}

struct cudasim_error *layout_shared(struct device_module *dm, struct device_layout *layout)
{
	collect(dm, layout);
	struct reach reach = reach_new(dm, layout);
	place_all(layout, &reach);
	for (size_t k = 0; k < layout->n_kernels; k++)
		set_kernel(layout, &reach, k);
	free(reach.cells);
	return NULL;
}

const struct layout_shared *layout_find_shared(const struct device_layout *layout, const char *name)
{
	for (size_t i = 0; i < layout->n_shared; i++) {
		if (!strcmp(layout->shared[i].name, name))
			return &layout->shared[i];
	}
	return NULL;
}
