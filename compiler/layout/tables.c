/* SPDX-License-Identifier: Apache-2.0 */
#include "tables.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "layout.h"
#include "llvm_functions.h"
#include "names.h"
#include "pass_functions.h"

LLVMValueRef tables_i32(struct device_module *dm, uint64_t value)
{
	return LLVMConstInt(LLVMInt32TypeInContext(dm->context), value, 0);
}

LLVMValueRef tables_i64(struct device_module *dm, uint64_t value)
{
	return LLVMConstInt(LLVMInt64TypeInContext(dm->context), value, 0);
}

static LLVMValueRef null_pointer(struct device_module *dm)
{
	return LLVMConstNull(LLVMPointerTypeInContext(dm->context, 0));
}

static LLVMValueRef private_constant(struct device_module *dm, LLVMValueRef value)
{
	LLVMValueRef global = LLVMAddGlobal(dm->module, LLVMTypeOf(value), "");
	LLVMSetInitializer(global, value);
	LLVMSetLinkage(global, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
	return global;
}

LLVMValueRef tables_array(struct device_module *dm, LLVMTypeRef type, LLVMValueRef *values,
			  size_t n)
{
	return n ? private_constant(dm, LLVMConstArray2(type, values, n)) : null_pointer(dm);
}

LLVMValueRef tables_text(struct device_module *dm, const char *text)
{
	return private_constant(
		dm, LLVMConstStringInContext(dm->context, text, (unsigned)strlen(text), 0));
}

/* The global of that name, made if it is not there. */
static LLVMValueRef hidden_global(struct device_module *dm, const char *what, LLVMTypeRef type)
{
	char *name = name_shared(dm->program, what, NULL);
	LLVMValueRef global = LLVMGetNamedGlobal(dm->module, name);
	if (!global)
		global = LLVMAddGlobal(dm->module, type, name);
	free(name);
	LLVMSetVisibility(global, LLVMHiddenVisibility);
	return global;
}

enum { ALL_BODIES = (1 << CUDASIM_N_BODIES) - 1 };

static bool body_is_built(const struct device_program *program, unsigned body)
{
	const struct device_options *o = program->options;
	return body == CUDASIM_BODY_V3   ? o->body_plain
	       : body == CUDASIM_BODY_V4 ? o->body_v4
					 : o->body_watched;
}

/* The addresses of one function in those bodies (a mask) that have it; the AVX-512 body borrows
 * what is not its own (pass_share.c). */
static LLVMValueRef entries_of(struct device_module *dm, const char *what, const char *function,
			       unsigned bodies, bool own_v4)
{
	static const enum device_stage stages[] = {
		[CUDASIM_BODY_V3] = DEVICE_V3,
		[CUDASIM_BODY_V4] = DEVICE_V4,
		[CUDASIM_BODY_WATCHED] = DEVICE_WATCHED,
	};
	LLVMValueRef entries[CUDASIM_N_BODIES];
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(dm->context), NULL, 0, 0);
	for (unsigned i = 0; i < CUDASIM_N_BODIES; i++) {
		entries[i] = null_pointer(dm);
		if (!(bodies >> i & 1) || !body_is_built(dm->program, i))
			continue;
		bool borrowed = i == CUDASIM_BODY_V4 && !own_v4 && dm->program->options->body_plain;
		char *name = name_in_body(dm->program, what, function,
					  borrowed ? DEVICE_V3 : stages[i]);
		entries[i] = LLVMGetNamedFunction(dm->module, name);
		if (!entries[i])
			entries[i] = LLVMAddFunction(dm->module, name, type);
		LLVMSetVisibility(entries[i], LLVMHiddenVisibility);
		free(name);
	}
	return LLVMConstArray2(LLVMPointerTypeInContext(dm->context, 0), entries, CUDASIM_N_BODIES);
}

static LLVMValueRef loops_of(struct device_module *dm, const struct layout_kernel *kernel)
{
	unsigned bodies = 1 << CUDASIM_BODY_V3 | 1 << CUDASIM_BODY_V4;
	if (kernel->has_watched_loop)
		bodies |= 1 << CUDASIM_BODY_WATCHED;
	return entries_of(dm, "loop", kernel->name, kernel->why_not_loop ? 0 : bodies,
			  kernel->has_v4_loop);
}

/* Give each address-taken function its descriptor; the list of them. */
static LLVMValueRef build_functions(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	LLVMValueRef *list = calloc(layout->n_functions + 1, sizeof(*list));
	assert(list);
	for (size_t i = 0; i < layout->n_functions; i++) {
		const char *name = layout->functions[i];
		char *symbol = name_shared(dm->program, "function", name);
		list[i] = LLVMGetNamedGlobal(dm->module, symbol);
		free(symbol);
		assert(list[i]);
		LLVMValueRef fields[] = {entries_of(dm, "code", name, ALL_BODIES, false),
					 tables_text(dm, name)};
		LLVMSetInitializer(list[i], LLVMConstStructInContext(dm->context, fields, 2, 0));
	}
	LLVMValueRef table = tables_array(dm, LLVMPointerTypeInContext(dm->context, 0), list,
					  layout->n_functions);
	free(list);
	return table;
}

static LLVMValueRef row(struct device_module *dm, LLVMValueRef *fields, unsigned n)
{
	return LLVMConstStructInContext(dm->context, fields, n, 0);
}

static LLVMValueRef build_rows(struct device_module *dm, LLVMValueRef *rows, size_t n)
{
	return tables_array(dm, n ? LLVMTypeOf(rows[0]) : NULL, rows, n);
}

static LLVMValueRef build_params(struct device_module *dm, const struct layout_kernel *kernel)
{
	LLVMValueRef *rows = calloc(kernel->n_params + 1, sizeof(*rows));
	assert(rows);
	for (size_t i = 0; i < kernel->n_params; i++) {
		const struct layout_param *p = &kernel->params[i];
		LLVMValueRef fields[] = {tables_i32(dm, p->offset), tables_i32(dm, p->size),
					 tables_i32(dm, p->align)};
		rows[i] = row(dm, fields, 3);
	}
	LLVMValueRef table = build_rows(dm, rows, kernel->n_params);
	free(rows);
	return table;
}

static LLVMValueRef build_shared(struct device_module *dm, const struct layout_kernel *kernel)
{
	const struct device_layout *layout = dm->program->layout;
	LLVMValueRef *rows = calloc(kernel->n_shared + 1, sizeof(*rows));
	assert(rows);
	for (size_t i = 0; i < kernel->n_shared; i++) {
		const struct layout_shared *s = &layout->shared[kernel->shared[i]];
		LLVMValueRef fields[] = {tables_text(dm, s->name), tables_i32(dm, s->offset),
					 tables_i32(dm, s->size)};
		rows[i] = row(dm, fields, 3);
	}
	LLVMValueRef table = build_rows(dm, rows, kernel->n_shared);
	free(rows);
	return table;
}

static LLVMValueRef build_kernel(struct device_module *dm, struct device_module *base,
				 const struct layout_kernel *kernel)
{
	LLVMValueRef function = LLVMGetNamedFunction(base->module, kernel->name);
	LLVMValueRef null = null_pointer(dm);
	char *shown = name_demangle(kernel->name, true);
	LLVMValueRef cluster[] = {tables_i32(dm, kernel->cluster[0]),
				  tables_i32(dm, kernel->cluster[1]),
				  tables_i32(dm, kernel->cluster[2])};
	LLVMValueRef fields[] = {
		tables_text(dm, kernel->name),
		tables_text(dm, shown),
		entries_of(dm, "entry", kernel->name, ALL_BODIES, false),
		loops_of(dm, kernel),
		build_params(dm, kernel),
		tables_i32(dm, kernel->n_params),
		tables_i32(dm, kernel->params_size),
		build_shared(dm, kernel),
		tables_i32(dm, kernel->n_shared),
		tables_i32(dm, kernel->static_shared_bytes),
		tables_i32(dm, kernel->dynamic_shared_align),
		tables_i32(dm, kernel->local_bytes),
		tables_i32(dm, kernel->has_watched_loop ? kernel->watched_loop_bytes : 0),
		tables_i32(dm, kernel->flags | (kernel->empty ? CUDASIM_KERNEL_EMPTY : 0)),
		tables_i32(dm, kernel->max_threads),
		tables_i32(dm, kernel->min_blocks),
		LLVMConstArray2(LLVMInt32TypeInContext(dm->context), cluster, 3),
		tables_i32(dm, kernel->n_registers),
		site_for(dm, function, CUDASIM_SITE_ENTRY),
		kernel->why_not_loop ? tables_text(dm, kernel->why_not_loop) : null,
	};
	free(shown);
	return row(dm, fields, sizeof(fields) / sizeof(fields[0]));
}

/* The names by which device code has rows of the table (pass_launches.c). */
static void name_rows(struct device_module *dm, struct device_module *base, LLVMValueRef table,
		      LLVMTypeRef type)
{
	const struct device_layout *layout = dm->program->layout;
	for (size_t i = 0; i < layout->n_kernels; i++) {
		char *name = name_shared(dm->program, "kernel", layout->kernels[i].name);
		LLVMValueRef used = LLVMGetNamedGlobal(dm->module, name);
		LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(dm->context), i, 0);
		if (LLVMGetNamedGlobal(base->module, name)) {
			if (used)
				LLVMSetValueName2(used, "", 0);
			LLVMValueRef alias =
				LLVMAddAlias2(dm->module, type, 0,
					      LLVMConstInBoundsGEP2(type, table, &at, 1), name);
			LLVMSetVisibility(alias, LLVMHiddenVisibility);
			if (used) {
				LLVMReplaceAllUsesWith(used, alias);
				LLVMDeleteGlobal(used);
			}
		}
		free(name);
	}
}

static LLVMValueRef build_kernels(struct device_module *dm, struct device_module *base)
{
	const struct device_layout *layout = dm->program->layout;
	LLVMValueRef *rows = calloc(layout->n_kernels + 1, sizeof(*rows));
	assert(rows);
	for (size_t i = 0; i < layout->n_kernels; i++)
		rows[i] = build_kernel(dm, base, &layout->kernels[i]);
	LLVMValueRef table = build_rows(dm, rows, layout->n_kernels);
	if (layout->n_kernels)
		name_rows(dm, base, table, LLVMTypeOf(rows[0]));
	free(rows);
	return table;
}

static LLVMValueRef build_variable_rows(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	LLVMValueRef *rows = calloc(layout->n_variables + 1, sizeof(*rows));
	assert(rows);
	for (size_t i = 0; i < layout->n_variables; i++) {
		const struct layout_variable *v = &layout->variables[i];
		char *shown = name_demangle(v->name, false);
		LLVMValueRef fields[] = {
			tables_text(dm, v->name),  tables_text(dm, shown),
			tables_i64(dm, v->offset), tables_i64(dm, v->size),
			tables_i32(dm, v->align),  tables_i32(dm, v->flags),
		};
		free(shown);
		rows[i] = row(dm, fields, 6);
	}
	LLVMValueRef table = build_rows(dm, rows, layout->n_variables);
	free(rows);
	return table;
}

static LLVMValueRef id_value(struct device_module *dm)
{
	LLVMTypeRef i8 = LLVMInt8TypeInContext(dm->context);
	LLVMValueRef bytes[16];
	for (unsigned i = 0; i < 16; i++)
		bytes[i] = LLVMConstInt(i8, dm->program->options->id[i], 0);
	return LLVMConstArray2(i8, bytes, 16);
}

/* --gpu-blob's file as it is; true if it cannot be read. */
static bool build_gpu_blob(struct device_module *dm, LLVMValueRef *ret)
{
	const char *path = dm->program->options->gpu_blob;
	*ret = null_pointer(dm);
	if (!path)
		return false;
	LLVMMemoryBufferRef buffer;
	char *message = NULL;
	if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
		device_diagnose(dm, NULL, "%s: %s", path, message);
		LLVMDisposeMessage(message);
		return true;
	}
	LLVMValueRef bytes = LLVMConstStringInContext2(dm->context, LLVMGetBufferStart(buffer),
						       LLVMGetBufferSize(buffer), 1);
	LLVMDisposeMemoryBuffer(buffer);
	*ret = hidden_global(dm, "gpu", LLVMTypeOf(bytes));
	LLVMSetInitializer(*ret, bytes);
	LLVMSetGlobalConstant(*ret, 1);
	LLVMSetAlignment(*ret, 64);
	LLVMSetSection(*ret, ".nv_fatbin");
	return false;
}

/* The global with struct cudasim_module itself. */
static LLVMValueRef build_module(struct device_module *dm, struct device_module *base)
{
	const struct device_layout *layout = dm->program->layout;
	LLVMTypeRef ptr = LLVMPointerTypeInContext(dm->context, 0);
	struct tables_variables variables;
	LLVMValueRef functions = build_functions(dm);
	LLVMValueRef variable_rows = build_variable_rows(dm);
	if (tables_variables(dm, &variables))
		return NULL;
	LLVMValueRef kernels = build_kernels(dm, base); /* may add sites */
	LLVMTypeRef i8 = LLVMInt8TypeInContext(dm->context);
	LLVMTypeRef armed_type = LLVMArrayType2(i8, sites_count(dm->program));
	LLVMValueRef armed = hidden_global(dm, "armed", armed_type);
	LLVMSetInitializer(armed, LLVMConstNull(armed_type));
	LLVMTypeRef base_type = LLVMArrayType2(ptr, CUDASIM_MAX_DEVICES);
	LLVMValueRef bases = hidden_global(dm, "base", base_type);
	LLVMSetInitializer(bases, LLVMConstNull(base_type));
	LLVMValueRef gpu_blob;
	if (build_gpu_blob(dm, &gpu_blob))
		return NULL;
	LLVMValueRef fields[] = {
		tables_i32(dm, CUDASIM_ABI_VERSION),
		tables_i32(dm, dm->program->options->arch / 10 |
				       (dm->program->options->gpu_beside ? CUDASIM_MODULE_GPU : 0)),
		id_value(dm),
		tables_text(dm, dm->program->options->source),
		kernels,
		tables_i64(dm, layout->n_kernels),
		variable_rows,
		tables_i64(dm, layout->n_variables),
		hidden_global(dm, "sites", LLVMArrayType2(i8, 0)),
		tables_i64(dm, sites_count(dm->program)),
		armed,
		variables.image,
		tables_i64(dm, layout->variables_size),
		bases,
		functions,
		tables_i64(dm, layout->n_functions),
		variables.relocations,
		tables_i64(dm, variables.n_relocations),
		gpu_blob,
	};
	LLVMValueRef value = row(dm, fields, sizeof(fields) / sizeof(fields[0]));
	LLVMValueRef module = hidden_global(dm, "module", LLVMTypeOf(value));
	LLVMSetInitializer(module, value);
	LLVMSetGlobalConstant(module, 1);
	return module;
}

/* A function `void name(params)` that calls callee with args. */
static LLVMValueRef add_caller(struct device_module *dm, const char *name, LLVMTypeRef *params,
			       unsigned n_params)
{
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(dm->context), params, n_params,
					    0);
	LLVMValueRef function = LLVMAddFunction(dm->module, name, type);
	LLVMAppendBasicBlockInContext(dm->context, function, "");
	return function;
}

static void finish_caller(struct device_module *dm, LLVMValueRef function, const char *callee,
			  LLVMValueRef *args, unsigned n_args)
{
	LLVMTypeRef types[2];
	for (unsigned i = 0; i < n_args; i++)
		types[i] = LLVMTypeOf(args[i]);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(dm->context), types, n_args, 0);
	LLVMValueRef target = LLVMGetNamedFunction(dm->module, callee);
	if (!target)
		target = LLVMAddFunction(dm->module, callee, type);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	LLVMPositionBuilderAtEnd(builder, LLVMGetEntryBasicBlock(function));
	LLVMBuildCall2(builder, type, target, args, n_args, "");
	LLVMBuildRetVoid(builder);
	LLVMDisposeBuilder(builder);
}

/* The constructor that registers the module. */
static void add_constructor(struct device_module *dm, LLVMValueRef module)
{
	char *name = name_shared(dm->program, "register", NULL);
	LLVMValueRef constructor = add_caller(dm, name, NULL, 0);
	free(name);
	LLVMSetLinkage(constructor, LLVMInternalLinkage);
	finish_caller(dm, constructor, "__cudasim_module_register", &module, 1);
	LLVMValueRef fields[] = {tables_i32(dm, 65535), constructor, null_pointer(dm)};
	LLVMValueRef entry = row(dm, fields, 3);
	LLVMValueRef list = LLVMConstArray2(LLVMTypeOf(entry), &entry, 1);
	LLVMValueRef global = LLVMAddGlobal(dm->module, LLVMTypeOf(list), "llvm.global_ctors");
	LLVMSetInitializer(global, list);
	LLVMSetLinkage(global, LLVMAppendingLinkage);
}

/* Where attach/ opens libcudasim, if it is not there. */
static void add_library(struct device_module *dm)
{
	const char *path = dm->program->options->library;
	LLVMValueRef text = LLVMConstStringInContext2(dm->context, path, strlen(path), 0);
	LLVMValueRef global = LLVMAddGlobal(dm->module, LLVMTypeOf(text), "__cudasim_library");
	LLVMSetInitializer(global, text);
	LLVMSetGlobalConstant(global, 1);
	LLVMSetLinkage(global, LLVMWeakODRLinkage);
	LLVMSetVisibility(global, LLVMHiddenVisibility);
}

/* __cudaRegisterLinkedBinary_NAME(globals, fat binary, id, callback), which the
 * host object of each translation unit calls under -rdc=true. */
static void add_linked(struct device_module *dm, LLVMValueRef module, const char *id)
{
	LLVMTypeRef ptr = LLVMPointerTypeInContext(dm->context, 0);
	LLVMTypeRef params[] = {ptr, ptr, ptr, ptr};
	char name[1024];
	snprintf(name, sizeof(name), "__cudaRegisterLinkedBinary_%s", id);
	LLVMValueRef function = add_caller(dm, name, params, 4);
	LLVMValueRef args[] = {module, LLVMGetParam(function, 0)};
	finish_caller(dm, function, "__cudasim_linked_register", args, 2);
}

struct cudasim_error *tables_build(struct device_module *dm, struct device_module *base)
{
	const struct device_options *options = dm->program->options;
	LLVMStripModuleDebugInfo(dm->module);
	/* They have no image, and what is left of the functions is only declared. */
	shared_delete(dm->module);
	struct cudasim_error *error = pass_functions(dm);
	if (error)
		return error;
	LLVMValueRef module = build_module(dm, base);
	if (!module)
		return &cudasim_error_nomem;
	add_constructor(dm, module);
	add_library(dm);
	for (size_t i = 0; i < options->n_rdc_ids; i++)
		add_linked(dm, module, options->rdc_ids[i]);
	return pass_sites(dm);
}
