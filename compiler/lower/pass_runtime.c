/* SPDX-License-Identifier: Apache-2.0 */
/* pass_runtime.c - what CUDA's device runtime offers becomes calls of abi.h;
 * afterwards every function that is used is defined, an intrinsic of LLVM, or
 * one of the few that libcudasim or the C library bring. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Comdat.h>

#include <llvm-c/DebugInfo.h>

#include "lower.h"
#include "layout.h"
#include "llvm_functions.h"
#include "names.h"
#include "retarget.h"

/* Calls of `from` become calls of `to` with the first n_args arguments, and a
 * site where `to` takes one. */
static const struct replacement {
	const char *from, *to;
	unsigned n_args;
} replacements[] = {
	{"vprintf", "__cudasim_vprintf", 2},
	{"malloc", "__cudasim_malloc", 1},
	{"free", "__cudasim_free", 1},
	{"_Znwm", "__cudasim_malloc", 1},
	{"_Znam", "__cudasim_malloc", 1},
	{"_ZdlPv", "__cudasim_free", 1},
	{"_ZdaPv", "__cudasim_free", 1},
	{"_ZdlPvm", "__cudasim_free", 1},
	{"_ZdaPvm", "__cudasim_free", 1},
	{"cudasim_host_call", "__cudasim_host", 2}, /* device.h */
	{"cudasim_texture_call", "__cudasim_texture", 4}, /* cudasim_texture.h */
	{"cudasim_surface_call", "__cudasim_surface", 4},
	{"__assertfail", "__cudasim_assertfail", 4},
	{"cudaGraphSetConditional", "__cudasim_graph_condition", 2},
	/* The runtime of kernels that launch kernels: with -rdc=true only. */
	{"__cudaCDP2GetLastError", "__cudasim_rt_get_last_error", 0},
	{"__cudaCDP2PeekAtLastError", "__cudasim_rt_peek_at_last_error", 0},
	{"__cudaCDP2GetErrorString", "__cudasim_rt_get_error_string", 1},
	{"__cudaCDP2GetErrorName", "__cudasim_rt_get_error_name", 1},
	{"__cudaCDP2GetDeviceCount", "__cudasim_rt_get_device_count", 1},
	{"__cudaCDP2GetDevice", "__cudasim_rt_get_device", 1},
	{"__cudaCDP2DeviceGetAttribute", "__cudasim_rt_get_attribute", 3},
	{"__cudaCDP2DeviceGetLimit", "__cudasim_rt_get_limit", 2},
	{"__cudaCDP2DeviceGetCacheConfig", "__cudasim_rt_get_cache_config", 1},
	{"__cudaCDP2DeviceGetSharedMemConfig", "__cudasim_rt_get_shared_mem_config", 1},
	{"__cudaCDP2StreamCreateWithFlags", "__cudasim_rt_stream_create", 2},
	{"__cudaCDP2StreamDestroy", "__cudasim_rt_stream_destroy", 1},
	{"__cudaCDP2StreamWaitEvent", "__cudasim_rt_stream_wait_event", 3},
	{"__cudaCDP2StreamWaitEvent_ptsz", "__cudasim_rt_stream_wait_event", 3},
	{"__cudaCDP2EventCreateWithFlags", "__cudasim_rt_event_create", 2},
	{"__cudaCDP2EventRecord", "__cudasim_rt_event_record", 2},
	{"__cudaCDP2EventRecord_ptsz", "__cudasim_rt_event_record", 2},
	{"__cudaCDP2EventRecordWithFlags", "__cudasim_rt_event_record_with_flags", 3},
	{"__cudaCDP2EventRecordWithFlags_ptsz", "__cudasim_rt_event_record_with_flags", 3},
	{"__cudaCDP2EventDestroy", "__cudasim_rt_event_destroy", 1},
	{"__cudaCDP2FuncGetAttributes", "__cudasim_rt_func_get_attributes", 2},
	{"__cudaCDP2Free", "__cudasim_rt_cuda_free", 1},
	{"__cudaCDP2Malloc", "__cudasim_rt_cuda_malloc", 2},
	{"__cudaCDP2MemcpyAsync", "__cudasim_rt_memcpy", 5},
	{"__cudaCDP2MemcpyAsync_ptsz", "__cudasim_rt_memcpy", 5},
	{"__cudaCDP2Memcpy2DAsync", "__cudasim_rt_memcpy_2d", 8},
	{"__cudaCDP2Memcpy2DAsync_ptsz", "__cudasim_rt_memcpy_2d", 8},
	{"__cudaCDP2Memcpy3DAsync", "__cudasim_rt_memcpy_3d", 2},
	{"__cudaCDP2Memcpy3DAsync_ptsz", "__cudasim_rt_memcpy_3d", 2},
	{"__cudaCDP2MemsetAsync", "__cudasim_rt_memset", 4},
	{"__cudaCDP2MemsetAsync_ptsz", "__cudasim_rt_memset", 4},
	{"__cudaCDP2Memset2DAsync", "__cudasim_rt_memset_2d", 6},
	{"__cudaCDP2Memset2DAsync_ptsz", "__cudasim_rt_memset_2d", 6},
	{"__cudaCDP2Memset3DAsync", "__cudasim_rt_memset_3d", 4},
	{"__cudaCDP2Memset3DAsync_ptsz", "__cudasim_rt_memset_3d", 4},
	{"__cudaCDP2RuntimeGetVersion", "__cudasim_rt_runtime_get_version", 1},
	{"__cudaCDP2GetParameterBuffer", "__cudasim_rt_get_parameter_buffer", 2},
	{"__cudaCDP2GetParameterBufferV2", "__cudasim_rt_get_parameter_buffer_v2", 4},
	{"__cudaCDP2LaunchDevice", "__cudasim_rt_launch_device", 6},
	{"__cudaCDP2LaunchDevice_ptsz", "__cudasim_rt_launch_device", 6},
	{"__cudaCDP2LaunchDeviceV2", "__cudasim_rt_launch_device_v2", 2},
	{"__cudaCDP2LaunchDeviceV2_ptsz", "__cudasim_rt_launch_device_v2", 2},
	{"__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor", "__cudasim_rt_occupancy", 4},
	{"__cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
	 "__cudasim_rt_occupancy_with_flags", 5},
};

/* What generated code may call beside __cudasim_*: the C library's and the
 * compiler's own support functions, whose results are exact on every machine. */
static const char *const foreign[] = {"memcpy", "memmove", "memset", "memcmp", "fmod", "fmodf"};

static void replace_call(struct device_module *dm, LLVMValueRef call, const struct replacement *r)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	LLVMPositionBuilderBefore(builder, call);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
	LLVMValueRef args[12];
	assert(LLVMGetNumArgOperands(call) >= r->n_args);
	for (unsigned i = 0; i < r->n_args; i++)
		args[i] = LLVMGetOperand(call, i);
	LLVMValueRef made = device_call_runtime(dm, builder, r->to, args, r->n_args, call,
						CUDASIM_SITE_OTHER);
	LLVMDisposeBuilder(builder);
	if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
		LLVMReplaceAllUsesWith(call, made);
	LLVMInstructionEraseFromParent(call);
}

static void visit(struct device_module *dm, LLVMValueRef instruction, void *arg)
{
	(void)arg;
	if (!LLVMIsACallInst(instruction))
		return;
	LLVMValueRef callee = LLVMGetCalledValue(instruction);
	if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee))
		return;
	const char *name = name_of(callee);
	for (size_t i = 0; i < sizeof(replacements) / sizeof(replacements[0]); i++) {
		bool separate = !strncmp(name, "__cudaCDP2", 10);
		if (!strcmp(name, replacements[i].from) && (!separate || device_is_separate(dm))) {
			replace_call(dm, instruction, &replacements[i]);
			return;
		}
	}
	if (!strcmp(name, "llvm.trap") || !strcmp(name, "llvm.debugtrap")) {
		bool stop = !strcmp(name, "llvm.debugtrap");
		LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
		LLVMPositionBuilderBefore(builder, instruction);
		LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(instruction));
		LLVMValueRef kind = LLVMConstInt(LLVMInt32TypeInContext(dm->context),
						 CUDASIM_TRAP_TRAP, 0);
		device_call_runtime(dm, builder, stop ? "__cudasim_brkpt" : "__cudasim_trap", &kind,
				    stop ? 0 : 1, instruction, CUDASIM_SITE_OTHER);
		LLVMDisposeBuilder(builder);
		LLVMInstructionEraseFromParent(instruction);
	}
}

/* What a vtable holds for a pure virtual function: calling it is an error of the
 * program, which ends the launch. */
static void define_pure_virtual(struct device_module *dm, const char *name)
{
	LLVMValueRef function = LLVMGetNamedFunction(dm->module, name);
	if (!function || !LLVMIsDeclaration(function))
		return;
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(dm->context, function, ""));
	LLVMValueRef kind = LLVMConstInt(LLVMInt32TypeInContext(dm->context), CUDASIM_TRAP_ILLEGAL,
					 0);
	device_call_runtime(dm, builder, "__cudasim_trap", &kind, 1, function, CUDASIM_SITE_OTHER);
	LLVMBuildUnreachable(builder);
	LLVMDisposeBuilder(builder);
	LLVMSetLinkage(function, LLVMInternalLinkage);
}

static bool is_known(const char *name)
{
	if (!strncmp(name, "__cudasim_", 10))
		return true;
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		if (!strcmp(name, foreign[i]))
			return true;
	}
	return false;
}

/* The first instruction that uses a function, for the message. */
static LLVMValueRef first_user(LLVMValueRef function)
{
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		if (LLVMIsAInstruction(LLVMGetUser(use)))
			return LLVMGetUser(use);
	}
	return NULL;
}

static void check_undefined(struct device_module *dm)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		if (!LLVMIsDeclaration(f) || LLVMGetIntrinsicID(f) || !LLVMGetFirstUse(f) ||
		    is_known(name_of(f)))
			continue;
		if (dm->program->options->relocatable) {
			dm->program->incomplete = true;
			return;
		}
		char *shown = name_demangle(name_of(f), false);
		device_diagnose(dm, first_user(f), "undefined device function '%s'%s", shown,
				strncmp(shown, "__cudaCDP2", 10) || device_is_separate(dm)
					? ""
					: ": the device runtime requires -rdc=true");
		free(shown);
	}
	/* Else pass_layout tells. */
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = LLVMGetNextGlobal(g))
		dm->program->incomplete |= dm->program->options->relocatable &&
					   layout_is_undefined(g);
}

/* Builtins and libdevice came as modules of their own. */
static void internalize_linked(struct device_module *dm)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		retarget_strip(f);
		LLVMSetComdat(f, NULL);
		if (!LLVMIsDeclaration(f) && !layout_find_kernel(dm->program->layout, name_of(f)))
			LLVMSetLinkage(f, LLVMInternalLinkage);
	}
}

struct cudasim_error *pass_runtime(struct device_module *dm)
{
	internalize_linked(dm);
	device_visit(dm, visit, NULL);
	define_pure_virtual(dm, "__cxa_pure_virtual");
	define_pure_virtual(dm, "__cxa_deleted_virtual");
	device_declare_runtime(dm);
	struct cudasim_error *error = device_run_passes(dm, "globaldce");
	if (error)
		return error;
	check_undefined(dm);
	return NULL;
}
