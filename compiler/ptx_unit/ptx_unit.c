/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_unit.c - a PTX module's names and functions. First all names are declared, so that
 * bodies and initial values may use those that come later; then each is filled. */
#include "ptx_unit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block_order.h"
#include "ptx_register.h"

/* As clang's, so that pieces link with each other. */
static const char triple[] = "nvptx64-nvidia-cuda";
static const char data_layout[] = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64";

void ptx_unit_fail(struct ptx_unit *unit, uint32_t line, const char *format, ...)
{
	char message[512];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	unit->n_errors++;
	unit->report(unit->arg, line, message);
}

unsigned ptx_unit_bytes(const char *type)
{
	return ptx_bits(ptx_type_find(type)) / 8;
}

/* ---- names --------------------------------------------------------------- */

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 0x811c9dc5u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x01000193u;
	return hash;
}

static struct ptx_name *find_place(const struct ptx_unit *unit, const char *name)
{
	for (uint32_t at = hash_of(name);; at++) {
		struct ptx_name *place = &unit->names[at & (unit->n_room - 1)];

		if (!place->name || !strcmp(place->name, name))
			return place;
	}
}

const struct ptx_name *ptx_unit_name(const struct ptx_unit *unit, const char *name)
{
	const struct ptx_name *place = find_place(unit, name);

	return place->name ? place : NULL;
}

LLVMValueRef ptx_unit_find(const struct ptx_unit *unit, const char *name)
{
	return find_place(unit, name)->value;
}

static LLVMLinkage linkage_of(enum ptx_linkage linkage)
{
	switch (linkage) {
	case PTX_STATIC:
		return LLVMInternalLinkage;
	case PTX_WEAK:
		return LLVMWeakAnyLinkage;
	case PTX_COMMON:
		return LLVMWeakAnyLinkage; /* its values are zeros here */
	default:
		return LLVMExternalLinkage;
	}
}

static bool is_same_param(const struct ptx_param *a, const struct ptx_param *b)
{
	return ptx_unit_bytes(a->type) == ptx_unit_bytes(b->type) && a->is_array == b->is_array &&
	       a->n_elements == b->n_elements;
}

/* May both be heads of one function? */
static bool agree(const struct ptx_function *a, const struct ptx_function *b)
{
	bool same = a->is_entry == b->is_entry && a->n_params == b->n_params &&
		    a->n_returns == b->n_returns && !(a->has_body && b->has_body);

	for (uint32_t i = 0; same && i < a->n_params; i++)
		same = is_same_param(&a->params[i], &b->params[i]);
	for (uint32_t i = 0; same && i < a->n_returns; i++)
		same = is_same_param(&a->returns[i], &b->returns[i]);
	return same;
}

static void declare_function(struct ptx_unit *unit, const struct ptx_function *function)
{
	struct ptx_name *place = find_place(unit, function->name);
	unsigned convergent = LLVMGetEnumAttributeKindForName("convergent", 10);
	LLVMTypeRef type;

	if (!strncmp(function->name, "__cudasim", 9)) {
		ptx_unit_fail(unit, function->line, "the name '%s' is taken", function->name);
		return;
	}
	if (place->name && (!place->function || !agree(place->function, function))) {
		ptx_unit_fail(unit, function->line, "Duplicate definition of '%s'", function->name);
		return;
	}
	if (place->name) {
		/* The body's head counts, and a linkage other than .extern. */
		if (function->has_body || place->function->linkage == PTX_EXTERN) {
			if (function->has_body)
				place->function = function;
			if (function->linkage != PTX_EXTERN && function->has_body &&
			    !(function->is_entry && function->linkage == PTX_STATIC))
				LLVMSetLinkage(place->value, linkage_of(function->linkage));
		}
		return;
	}
	type = ptx_unit_function_type(unit, function);
	if (!type)
		return;
	*place = (struct ptx_name){function->name,
				   LLVMAddFunction(unit->module, function->name, type), function};
	LLVMAddAttributeAtIndex(place->value, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
				LLVMCreateEnumAttribute(unit->context, convergent, 0));
	/* Any kernel of a module is found by its name, .visible or not. */
	if (function->has_body && !(function->is_entry && function->linkage == PTX_STATIC))
		LLVMSetLinkage(place->value, linkage_of(function->linkage));
}

static void declare_global(struct ptx_unit *unit, const struct ptx_global *global)
{
	struct ptx_name *place = find_place(unit, global->name);
	LLVMValueRef value;

	if (!strncmp(global->name, "__cudasim", 9)) {
		ptx_unit_fail(unit, global->line, "the name '%s' is taken", global->name);
		return;
	}
	if (place->name && place->value && LLVMIsAGlobalVariable(place->value) &&
	    (global->linkage == PTX_EXTERN || LLVMIsDeclaration(place->value))) {
		/* .extern before or behind the definition */
		if (global->linkage == PTX_EXTERN)
			return;
		value = ptx_unit_declare_global(unit, global);
		if (!value)
			return;
		LLVMReplaceAllUsesWith(place->value, value);
		LLVMDeleteGlobal(place->value);
		LLVMSetValueName2(value, global->name, strlen(global->name));
		place->value = value;
		return;
	}
	if (place->name) {
		ptx_unit_fail(unit, global->line, "Duplicate definition of '%s'", global->name);
		return;
	}
	value = ptx_unit_declare_global(unit, global);
	if (!value)
		return;
	*place = (struct ptx_name){global->name, value, NULL};
	if (global->linkage != PTX_EXTERN)
		LLVMSetLinkage(value, linkage_of(global->linkage));
}

static void declare_aliases(struct ptx_unit *unit)
{
	for (uint32_t i = 0; i < unit->tree->n_aliases; i++) {
		const struct ptx_alias *alias = &unit->tree->aliases[i];
		const struct ptx_name *of = ptx_unit_name(unit, alias->of);
		struct ptx_name *place = find_place(unit, alias->name);

		if (!of || !of->function || !of->function->has_body) {
			ptx_unit_fail(unit, 1, "Unknown symbol '%s'", alias->of);
			continue;
		}
		if (place->value && LLVMIsAFunction(place->value) &&
		    LLVMIsDeclaration(place->value) &&
		    LLVMGlobalGetValueType(place->value) == LLVMGlobalGetValueType(of->value))
			place->value = of->value;
		else
			ptx_unit_fail(unit, 1, "'%s' is not declared as the function '%s' is",
				      alias->name, alias->of);
	}
}

static void declare(struct ptx_unit *unit)
{
	const struct ptx_module *tree = unit->tree;

	for (uint32_t i = 0; i < tree->n_functions; i++)
		declare_function(unit, &tree->functions[i]);
	for (uint32_t i = 0; i < tree->n_globals; i++)
		declare_global(unit, &tree->globals[i]);
	declare_aliases(unit);
}

/* ---- kernels ------------------------------------------------------------- */

static void annotate(struct ptx_unit *unit, LLVMValueRef function, const char *property,
		     uint32_t value)
{
	LLVMMetadataRef node[3] = {
		LLVMValueAsMetadata(function),
		LLVMMDStringInContext2(unit->context, property, strlen(property)),
		LLVMValueAsMetadata(
			LLVMConstInt(LLVMInt32TypeInContext(unit->context), value, false)),
	};
	LLVMMetadataRef whole = LLVMMDNodeInContext2(unit->context, node, 3);

	LLVMAddNamedMetadataOperand(unit->module, "nvvm.annotations",
				    LLVMMetadataAsValue(unit->context, whole));
}

static void annotate_kernel(struct ptx_unit *unit, LLVMValueRef kernel,
			    const struct ptx_function *function)
{
	static const struct {
		const char *directive, *property;
		bool has_dimensions;
	} known[] = {
		{"maxntid", "maxntid", true},
		{"reqntid", "reqntid", true},
		{"minnctapersm", "minctasm", false},
		{"maxnreg", "maxnreg", false},
		{"reqnctapercluster", "cluster_dim_", true},
	};

	annotate(unit, kernel, "kernel", 1);
	for (uint32_t i = 0; i < function->n_bounds; i++)
		for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++) {
			const struct ptx_bound *bound = &function->bounds[i];
			char property[24];

			if (strcmp(bound->name, known[k].directive))
				continue;
			if (!known[k].has_dimensions)
				annotate(unit, kernel, known[k].property, bound->values[0]);
			for (uint32_t d = 0; known[k].has_dimensions && d < 3; d++) {
				snprintf(property, sizeof(property), "%s%c", known[k].property,
					 "xyz"[d]);
				annotate(unit, kernel, property,
					 d < bound->n_values ? bound->values[d] : 1);
			}
		}
}

/* ---- bodies -------------------------------------------------------------- */

static void define(struct ptx_unit *unit, const struct ptx_function *function)
{
	const struct ptx_name *name = ptx_unit_name(unit, function->name);
	struct ptx_emit emit = {
		.context = unit->context,
		.module = unit->module,
		.unit = unit,
		.program = &function->body,
		.defined = function,
	};

	if (!name || name->function != function)
		return; /* reported */
	emit.function = name->value;
	emit.builder = LLVMCreateBuilderInContext(unit->context);
	LLVMPositionBuilderAtEnd(emit.builder,
				 LLVMAppendBasicBlockInContext(unit->context, emit.function, ""));
	if (function->is_entry)
		annotate_kernel(unit, emit.function, function);
	ptx_unit_debug_function(unit, &emit);
	if (ptx_emit_begin(&emit)) {
		ptx_unit_receive(&emit);
		ptx_emit_statements(&emit);
		if (!emit.error)
			ptx_unit_return(&emit);
	}
	if (emit.error) {
		ptx_unit_fail(unit, emit.at ? emit.at->line : function->line, "%s",
			      emit.error->message);
		LLVMBuildUnreachable(emit.builder);
	} else {
		block_order(emit.function);
	}
	ptx_emit_end(&emit);
	cudasim_error_free(emit.error);
	LLVMDisposeBuilder(emit.builder);
}

LLVMModuleRef ptx_unit_build(LLVMContextRef context, const struct ptx_module *tree,
			     const char *source,
			     void (*report)(void *arg, uint32_t line, const char *message),
			     void *arg)
{
	struct ptx_unit unit = {.context = context,
				.tree = tree,
				.source = source,
				.report = report,
				.arg = arg,
				.n_room = 16};

	while (unit.n_room < 2 * (tree->n_functions + tree->n_globals + tree->n_aliases + 1))
		unit.n_room *= 2;
	unit.names = calloc(unit.n_room, sizeof(*unit.names));
	if (!unit.names) {
		ptx_unit_fail(&unit, 1, "out of memory");
		return NULL;
	}
	unit.module = LLVMModuleCreateWithNameInContext(source, context);
	LLVMSetTarget(unit.module, triple);
	LLVMSetDataLayout(unit.module, data_layout);
	ptx_unit_debug_begin(&unit);
	declare(&unit);
	for (uint32_t i = 0; i < tree->n_globals && !unit.n_errors; i++)
		ptx_unit_initialize(&unit, &tree->globals[i]);
	for (uint32_t i = 0; i < tree->n_functions; i++)
		if (tree->functions[i].has_body)
			define(&unit, &tree->functions[i]);
	ptx_unit_debug_end(&unit);
	free(unit.names);
	if (unit.n_errors) {
		LLVMDisposeModule(unit.module);
		return NULL;
	}
	return unit.module;
}
