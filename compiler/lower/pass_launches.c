/* SPDX-License-Identifier: Apache-2.0 */
/* pass_launches.c - launches from device code become calls of __cudasim_launch, and a kernel
 * as a value the address of its row in the module's table of kernels.
 *
 * The driver has written each launch as an object with a virtual function (its
 * dialect_launch.c). Here the object's constructor tells which function that is, and both
 * are inlined as code of the launch's own line. What is left is what clang makes of any
 * launch:
 *
 *   if (!__cudaPushCallConfiguration(grid, block, shared, stream))
 *           kernel(arguments...);
 *
 * clang 22 knows launches from device code and makes calls of cudaGetParameterBuffer() and cudaLaunchDevice() of them,
 * static functions of the toolkit's headers:
 *
 *   if ((p = cudaGetParameterBuffer(64, size)))
 *           ... arguments to p ..., cudaLaunchDevice(kernel, p, grid, block, shared, stream);
 *
 * First of all passes, before anything looks at calls or asks for a site. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "annotations.h"
#include "attributes.h"
#include "lower.h"
#include "llvm_functions.h"
#include "llvm_versions.h"
#include "names.h"

static const char push[] = "__cudaPushCallConfiguration";
static const char launch_go[] = "__cudasim_launch_go";
static const char base_table[] = "_ZTV16__cudasim_launch";

/* The calls of a function, by itself. */
struct calls {
	LLVMValueRef *at;
	size_t n, capacity;
};

static void find_calls(LLVMValueRef function, struct calls *ret)
{
	*ret = (struct calls){0};
	for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef call = LLVMGetUser(use);
		if (!LLVMIsACallInst(call) || LLVMGetCalledValue(call) != function)
			continue;
		if (ret->n == ret->capacity) {
			ret->capacity = ret->capacity ? 2 * ret->capacity : 16;
			ret->at = realloc(ret->at, ret->capacity * sizeof(*ret->at));
			assert(ret->at);
		}
		ret->at[ret->n++] = call;
	}
}

static LLVMValueRef strip(LLVMValueRef value)
{
	while (value && LLVMIsAConstantExpr(value))
		value = LLVMGetOperand(value, 0);
	return value;
}

static LLVMValueRef called_function(LLVMValueRef instruction)
{
	LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMGetCalledValue(instruction) : NULL;
	return callee && LLVMIsAFunction(callee) ? callee : NULL;
}

/* The first instruction of the function for which this holds, or NULL. */
typedef bool (*chooser)(LLVMValueRef instruction, void *arg);
static LLVMValueRef find(LLVMValueRef function, chooser is_it, void *arg)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (is_it(i, arg))
				return i;
	return NULL;
}

/* ---- the object ------------------------------------------------------------------- */

static LLVMValueRef stored_table(LLVMValueRef i)
{
	LLVMValueRef global = LLVMIsAStoreInst(i) ? strip(LLVMGetOperand(i, 0)) : NULL;
	return global && LLVMIsAGlobalVariable(global) && !strncmp(name_of(global), "_ZTV", 4)
		       ? global
		       : NULL;
}

static bool stores_table(LLVMValueRef i, void *arg)
{
	(void)arg;
	return stored_table(i) && strcmp(name_of(stored_table(i)), base_table);
}

static bool stores_base_table(LLVMValueRef i, void *arg)
{
	(void)arg;
	return stored_table(i) && !strcmp(name_of(stored_table(i)), base_table);
}

static bool calls_with(LLVMValueRef i, void *object)
{
	LLVMValueRef callee = called_function(i);
	return callee && !LLVMIsDeclaration(callee) && LLVMGetNumArgOperands(i) &&
	       LLVMGetOperand(i, 0) == object;
}

/* The complete object's constructor calls the base object's, which sets the table. */
static bool calls_setter(LLVMValueRef i, void *arg)
{
	LLVMValueRef callee = called_function(i);
	return callee && !LLVMIsDeclaration(callee) && find(callee, stores_table, arg);
}

/* The virtual table's only function. */
static LLVMValueRef table_function(LLVMValueRef table)
{
	LLVMValueRef all = LLVMGetInitializer(table);
	LLVMValueRef rows = all ? LLVMGetAggregateElement(all, 0) : NULL;
	LLVMValueRef function = rows ? LLVMGetAggregateElement(rows, 2) : NULL;
	return function && LLVMIsAFunction(function) && !LLVMIsDeclaration(function) ? function
										     : NULL;
}

static void inline_here(LLVMValueRef call)
{
	debug_drop_locations(called_function(call));
	call_inline(call);
}

/* The object's constructor, and its function in the place of `call`, are inlined. */
static struct cudasim_error *take_apart(LLVMValueRef call)
{
	LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
	LLVMValueRef made = find(caller, calls_with, LLVMGetOperand(call, 0));
	if (made && !find(called_function(made), stores_table, NULL)) {
		LLVMValueRef inner = find(called_function(made), calls_setter, NULL);
		if (inner)
			inline_here(inner);
	}
	LLVMValueRef store = made ? find(called_function(made), stores_table, NULL) : NULL;
	LLVMValueRef go = store ? table_function(stored_table(store)) : NULL;
	if (!go)
		return device_error(
			call, "error: internal: a launch from device code was not understood");
	LLVMInstructionEraseFromParent(store);
	inline_here(made);
	LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, go);
	inline_here(call);
	return NULL;
}

static struct cudasim_error *take_all_apart(struct device_module *dm)
{
	struct calls calls;
	struct cudasim_error *error = NULL;
	LLVMValueRef declared = LLVMGetNamedFunction(dm->module, launch_go);
	find_calls(declared, &calls);
	for (size_t i = 0; i < calls.n && !error; i++)
		error = take_apart(calls.at[i]);
	free(calls.at);
	for (LLVMValueRef f = declared ? LLVMGetFirstFunction(dm->module) : NULL; f;
	     f = LLVMGetNextFunction(f))
		for (LLVMValueRef i; (i = find(f, stores_base_table, NULL));)
			LLVMInstructionEraseFromParent(i);
	return error;
}

/* ---- the launch --------------------------------------------------------------------- */

/* A row of the table of kernels (tables.c). */
static LLVMValueRef kernel_row(struct device_module *dm, const char *kernel)
{
	char *name = name_shared(dm->program, "kernel", kernel);
	LLVMValueRef global = LLVMGetNamedGlobal(dm->module, name);
	if (!global)
		global = LLVMAddGlobal(dm->module, LLVMInt8TypeInContext(dm->context), name);
	LLVMSetVisibility(global, LLVMHiddenVisibility);
	LLVMSetGlobalConstant(global, 1);
	free(name);
	return global;
}

/* What is called between the branch on the configuration and where it joins: arguments are
 * evaluated first, so the last call that is of a kernel or by a pointer. */
static LLVMValueRef find_kernel_call(LLVMValueRef pushed)
{
	LLVMUseRef use = LLVMGetFirstUse(pushed);
	LLVMValueRef compared = use ? LLVMGetUser(use) : NULL;
	use = compared && LLVMIsAICmpInst(compared) ? LLVMGetFirstUse(compared) : NULL;
	LLVMValueRef branch = use ? LLVMGetUser(use) : NULL;
	if (!branch || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch))
		return NULL;
	LLVMBasicBlockRef joined = LLVMGetSuccessor(branch, 0);
	for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(joined)); u;
	     u = LLVMGetNextUse(u)) {
		LLVMValueRef from = LLVMGetUser(u);
		if (from == branch || !LLVMIsABranchInst(from) || LLVMIsConditional(from))
			continue;
		for (LLVMValueRef i = from; i; i = LLVMGetPreviousInstruction(i)) {
			LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
			if (callee && (!LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee)))
				return i;
		}
	}
	return NULL;
}

/* The i-th argument's type as it lies in the buffer; *copied: the argument is its address. */
static LLVMTypeRef param_type(LLVMValueRef call, unsigned i, bool *copied)
{
	LLVMAttributeRef byval = LLVMGetCallSiteEnumAttribute(call, i + 1, attribute_kind("byval"));
	*copied = byval != NULL;
	return byval ? LLVMGetTypeAttributeValue(byval) : LLVMTypeOf(LLVMGetOperand(call, i));
}

/* clang gives a structure's alignment with the attribute, as its type may have less. */
static uint64_t param_align(struct device_module *dm, LLVMValueRef call, unsigned i,
			    LLVMTypeRef type, bool copied)
{
	LLVMAttributeRef given =
		copied ? LLVMGetCallSiteEnumAttribute(call, i + 1, attribute_kind("align")) : NULL;
	return given ? LLVMGetEnumAttributeValue(given)
		     : LLVMABIAlignmentOfType(LLVMGetModuleDataLayout(dm->module), type);
}

/* A variable for arguments of that many bytes, in the function of a call. */
static LLVMValueRef parameters_variable(struct device_module *dm, LLVMValueRef call, uint64_t bytes,
					unsigned align)
{
	LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(dm->context), bytes ? bytes : 1);
	LLVMBuilderRef start = LLVMCreateBuilderInContext(dm->context);
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
	LLVMPositionBuilderBefore(start, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
	LLVMValueRef variable = LLVMBuildAlloca(start, type, "");
	LLVMSetAlignment(variable, align);
	LLVMDisposeBuilder(start);
	return variable;
}

/* A variable with the arguments packed as the kernel's entry reads them. */
static LLVMValueRef pack(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef call)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(dm->module);
	LLVMTypeRef i8 = LLVMInt8TypeInContext(dm->context);
	unsigned n = LLVMGetNumArgOperands(call);
	uint64_t *offsets = calloc(n + 1, sizeof(*offsets)), end = 0;
	assert(offsets);
	bool copied;
	for (unsigned i = 0; i < n; i++) {
		LLVMTypeRef type = param_type(call, i, &copied);
		uint64_t align = param_align(dm, call, i, type, copied);
		offsets[i] = (end + align - 1) / align * align;
		end = offsets[i] + LLVMABISizeOfType(layout, type);
	}
	LLVMValueRef buffer = parameters_variable(dm, call, end, 16);
	for (unsigned i = 0; i < n; i++) {
		LLVMTypeRef type = param_type(call, i, &copied);
		LLVMValueRef value = LLVMGetOperand(call, i);
		LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(dm->context), offsets[i],
						  0);
		LLVMValueRef to = LLVMBuildInBoundsGEP2(builder, i8, buffer, &index, 1, "");
		if (copied) {
			LLVMBuildMemCpy(builder, to, 1, value, 1,
					LLVMConstInt(LLVMInt64TypeInContext(dm->context),
						     LLVMABISizeOfType(layout, type), 0));
			continue;
		}
		if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) < 8)
			value = LLVMBuildZExt(builder, value, i8, "");
		LLVMSetAlignment(LLVMBuildStore(builder, value, to), 1);
	}
	free(offsets);
	return buffer;
}

/* Builds before a call, in its place of the source. */
static LLVMBuilderRef builder_at(struct device_module *dm, LLVMValueRef call)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	LLVMPositionBuilderBefore(builder, call);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
	return builder;
}

/* What a launch of `callee` is refused for. */
static void check_launch(struct device_module *dm, LLVMValueRef call, LLVMValueRef callee)
{
	if (!device_is_separate(dm)) {
		device_diagnose(dm, call,
				"kernel launch from __device__ or __global__ functions requires "
				"separate compilation mode (-rdc=true)");
	} else if (LLVMIsAFunction(callee) && LLVMIsDeclaration(callee)) {
		char *shown = name_demangle(name_of(callee), false);
		device_diagnose(dm, call, "undefined __global__ function '%s'", shown);
		free(shown);
	}
}

static struct cudasim_error *lower(struct device_module *dm, LLVMValueRef pushed)
{
	LLVMValueRef call = find_kernel_call(pushed);
	if (!call)
		return device_error(
			pushed, "error: internal: a launch from device code was not understood");
	LLVMValueRef callee = LLVMGetCalledValue(call);
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
	/* The object's own function has lost its places where it was inlined; it was told of there. */
	bool told = !LLVMGetSubprogram(function);
	if (!told)
		check_launch(dm, call, callee);
	LLVMBuilderRef builder = builder_at(dm, call);
	LLVMValueRef args[] = {
		LLVMIsAFunction(callee) ? kernel_row(dm, name_of(callee)) : callee,
		pack(dm, builder, call),
		LLVMGetOperand(pushed, 0),
		LLVMGetOperand(pushed, 1),
		LLVMGetOperand(pushed, 2),
		LLVMGetOperand(pushed, 3),
	};
	device_call_runtime(dm, builder, "__cudasim_launch", args, 6, call, CUDASIM_SITE_OTHER);
	LLVMDisposeBuilder(builder);
	LLVMInstructionEraseFromParent(call);
	LLVMReplaceAllUsesWith(pushed, LLVMConstNull(LLVMTypeOf(pushed)));
	LLVMInstructionEraseFromParent(pushed);
	return NULL;
}

/* ---- clang's own form ------------------------------------------------------------------ */

/* Puts a variable, whose contents a launch copies, in the place of memory from cudaGetParameterBuffer(). */
static void lower_buffer(struct device_module *dm, LLVMValueRef call)
{
	uint64_t size = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 1));
	LLVMValueRef buffer = parameters_variable(dm, call, size, 64);
	LLVMReplaceAllUsesWith(call, buffer);
	LLVMInstructionEraseFromParent(call);
}

static bool is_toolkit_function(LLVMValueRef function, const char *wanted)
{
	if (!LLVMIsAFunction(function) || !strstr(name_of(function), wanted))
		return false;
	char *name = name_demangle(name_of(function), true);
	bool is = !strcmp(name, wanted);
	free(name);
	return is;
}

/* cudaGetParameterBuffer(alignment, size) with a size that is known. */
static bool is_buffer(LLVMValueRef value)
{
	return LLVMIsACallInst(value) &&
	       is_toolkit_function(LLVMGetCalledValue(value), "cudaGetParameterBuffer") &&
	       LLVMIsAConstantInt(LLVMGetOperand(value, 1));
}

/* cudaLaunchDevice(kernel, buffer, grid, block, shared, stream) */
static void lower_launch(struct device_module *dm, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetOperand(call, 0);
	if (!is_buffer(LLVMGetOperand(call, 1)))
		return; /* the program's own; libcudasim has the function */
	lower_buffer(dm, LLVMGetOperand(call, 1));
	check_launch(dm, call, callee);
	LLVMBuilderRef builder = builder_at(dm, call);
	LLVMValueRef args[] = {
		LLVMIsAFunction(callee) ? kernel_row(dm, name_of(callee)) : callee,
		LLVMGetOperand(call, 1),
		LLVMGetOperand(call, 2),
		LLVMGetOperand(call, 3),
		LLVMBuildZExt(builder, LLVMGetOperand(call, 4), LLVMInt64TypeInContext(dm->context),
			      ""),
		LLVMGetOperand(call, 5),
	};
	device_call_runtime(dm, builder, "__cudasim_launch", args, 6, call, CUDASIM_SITE_OTHER);
	LLVMDisposeBuilder(builder);
	LLVMReplaceAllUsesWith(call, LLVMConstNull(LLVMTypeOf(call)));
	LLVMInstructionEraseFromParent(call);
}

static void lower_launches(struct device_module *dm)
{
	LLVMValueRef next;
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = next) {
		next = LLVMGetNextFunction(f);
		if (!is_toolkit_function(f, "cudaLaunchDevice"))
			continue;
		struct calls calls;
		find_calls(f, &calls);
		for (size_t i = 0; i < calls.n; i++)
			lower_launch(dm, calls.at[i]);
		free(calls.at);
	}
}

/* ---- kernels as values ---------------------------------------------------------------- */

static void replace_address(LLVMValueRef global, const char *property, uint64_t value, void *dm)
{
	if (!strcmp(property, "kernel") && value && LLVMIsAFunction(global))
		function_replace_address(global, kernel_row(dm, name_of(global)));
}

struct cudasim_error *pass_launches(struct device_module *dm)
{
	struct cudasim_error *error = take_all_apart(dm);
	struct calls calls;
	find_calls(LLVMGetNamedFunction(dm->module, push), &calls);
	for (size_t i = 0; i < calls.n && !error; i++)
		error = lower(dm, calls.at[i]);
	free(calls.at);
	if (!error && clang_makes_launches())
		lower_launches(dm);
	if (!error)
		annotations_visit_nvvm(dm, replace_address, dm);
	return error;
}
