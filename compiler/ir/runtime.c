/* SPDX-License-Identifier: Apache-2.0 */
/* runtime.c - the functions of abi.h as device code declares and calls them. */
#include <assert.h>
#include <string.h>

#include "attributes.h"
#include "device.h"

/* What LLVM may know of a runtime function. None unwinds. */
enum {
	CONVERGENT = 1u << 0, /* threads meet here: not to be moved or duplicated */
	CONST = 1u << 1,      /* same answer all through a thread's life, no effects */
	NORETURN = 1u << 2,
	READS_CLOCK = 1u << 3, /* no effects on memory that device code sees */
	ALLOCATES = 1u << 4,   /* the result aliases nothing */
	NONNULL = 1u << 5,     /* the result is not NULL */
	ANNOUNCES = 1u << 6,   /* no effects on memory that device code sees, but it may end the
	                        * thread */
};

enum { MAX_PARAMS = 12 };

/* Types: v void, i 32 bits, l 64 bits, p pointer, s site (a pointer, last). */
static const struct runtime_function {
	const char *name;
	char result;
	const char *params;
	unsigned flags;
} functions[] = {
	/* made by the device compiler, lowered by pass_context */
	{"__cudasim_context", 'p', "", CONST | NONNULL},
	{"__cudasim_window", 'p', "", CONST | NONNULL},
	{"__cudasim_window_bytes", 'l', "", CONST},
	{"__cudasim_dynamic", 'p', "", CONST | NONNULL},
	{"__cudasim_variables", 'p', "", CONST | NONNULL},
	{"__cudasim_managed", 'p', "l", CONST | NONNULL},
	/* events of the thread `linear` of a watched loop, lowered by pass_loop_events */
	{"__cudasim_loop_access", 'v', "iplils", ANNOUNCES},
	{"__cudasim_loop_bounds", 'v', "iplipls", ANNOUNCES},
	{"__cudasim_loop_unwritten", 'v', "iplps", ANNOUNCES},
	/* of libcudasim */
	{"__cudasim_barrier", 'v', "iis", CONVERGENT},
	{"__cudasim_barrier_arrive", 'v', "iis", CONVERGENT},
	{"__cudasim_barrier_reduce", 'i', "iiiis", CONVERGENT},
	{"__cudasim_cluster_arrive", 'v', "s", CONVERGENT},
	{"__cudasim_cluster_wait", 'v', "s", CONVERGENT},
	{"__cudasim_cluster_map", 'p', "pi", 0},
	{"__cudasim_syncwarp", 'v', "is", CONVERGENT},
	{"__cudasim_shfl", 'l', "iiiiis", CONVERGENT},
	{"__cudasim_vote", 'i', "iiis", CONVERGENT},
	{"__cudasim_match_any", 'i', "ils", CONVERGENT},
	{"__cudasim_match_all", 'l', "ils", CONVERGENT},
	{"__cudasim_redux", 'i', "iiis", CONVERGENT},
	{"__cudasim_elect", 'l', "is", CONVERGENT},
	{"__cudasim_mma", 'v', "ips", CONVERGENT},
	{"__cudasim_mma_lanes", 'v', "ip", 0},
	{"__cudasim_activemask", 'i', "s", CONVERGENT},
	{"__cudasim_reconverge", 'v', "s", CONVERGENT},
	{"__cudasim_post_barrier", 'v', "s", CONVERGENT},
	{"__cudasim_yield", 'v', "pis", 0},
	{"__cudasim_mbarrier_wake", 'v', "p", 0},
	{"__cudasim_mbarrier_woken", 'i', "", 0},
	{"__cudasim_mbarrier_arrive", 'l', "lils", 0},
	{"__cudasim_mbarrier_wait", 'i', "lils", CONVERGENT},
	{"__cudasim_nanosleep", 'v', "is", 0},
	{"__cudasim_exit", 'v', "s", NORETURN},
	{"__cudasim_trap", 'v', "is", NORETURN},
	{"__cudasim_assertfail", 'v', "ppips", NORETURN},
	{"__cudasim_brkpt", 'v', "s", 0},
	{"__cudasim_vprintf", 'i', "pps", 0},
	{"__cudasim_host", 'v', "pps", 0},
	{"__cudasim_graph_condition", 'v', "lis", 0},
	{"__cudasim_launch", 'v', "pppplps", 0},
	{"__cudasim_rt_get_last_error", 'i', "s", 0},
	{"__cudasim_rt_peek_at_last_error", 'i', "s", 0},
	{"__cudasim_rt_get_error_string", 'p', "is", 0},
	{"__cudasim_rt_get_error_name", 'p', "is", 0},
	{"__cudasim_rt_get_device_count", 'i', "ps", 0},
	{"__cudasim_rt_get_device", 'i', "ps", 0},
	{"__cudasim_rt_get_attribute", 'i', "piis", 0},
	{"__cudasim_rt_get_limit", 'i', "pis", 0},
	{"__cudasim_rt_get_cache_config", 'i', "ps", 0},
	{"__cudasim_rt_get_shared_mem_config", 'i', "ps", 0},
	{"__cudasim_rt_stream_create", 'i', "pis", 0},
	{"__cudasim_rt_stream_destroy", 'i', "ps", 0},
	{"__cudasim_rt_stream_wait_event", 'i', "ppis", 0},
	{"__cudasim_rt_event_create", 'i', "pis", 0},
	{"__cudasim_rt_event_record", 'i', "pps", 0},
	{"__cudasim_rt_event_record_with_flags", 'i', "ppis", 0},
	{"__cudasim_rt_event_destroy", 'i', "ps", 0},
	{"__cudasim_rt_func_get_attributes", 'i', "pps", 0},
	{"__cudasim_rt_cuda_free", 'i', "ps", 0},
	{"__cudasim_rt_cuda_malloc", 'i', "pls", 0},
	{"__cudasim_rt_memcpy", 'i', "pplips", 0},
	{"__cudasim_rt_memcpy_2d", 'i', "plplllips", 0},
	{"__cudasim_rt_memcpy_3d", 'i', "pps", 0},
	{"__cudasim_rt_memset", 'i', "pilps", 0},
	{"__cudasim_rt_memset_2d", 'i', "plillps", 0},
	{"__cudasim_rt_memset_3d", 'i', "pipps", 0},
	{"__cudasim_rt_runtime_get_version", 'i', "ps", 0},
	{"__cudasim_rt_get_parameter_buffer", 'p', "lls", 0},
	{"__cudasim_rt_get_parameter_buffer_v2", 'p', "pppis", 0},
	{"__cudasim_rt_launch_device", 'i', "ppppips", 0},
	{"__cudasim_rt_launch_device_v2", 'i', "pps", 0},
	{"__cudasim_rt_occupancy", 'i', "ppils", 0},
	{"__cudasim_rt_occupancy_with_flags", 'i', "ppilis", 0},
	{"__cudasim_malloc", 'p', "ls", ALLOCATES},
	{"__cudasim_free", 'v', "ps", 0},
	{"__cudasim_loop_thread", 'p', "pi", NONNULL},
	{"__cudasim_loop_watched", 'p', "pi", NONNULL},
	{"__cudasim_loop_goes_on", 'i', "p", 0},
	{"__cudasim_texture", 'v', "ilpps", 0},
	{"__cudasim_surface", 'v', "ilpps", 0},
	{"__cudasim_loop_frame", 'p', "pl", ALLOCATES | NONNULL},
	{"__cudasim_loop_warp", 'i', "ppppiii", 0},
	{"__cudasim_loop_lanes", 'i', "ppppii", 0},
	{"__cudasim_loop_open", 'i', "ppp", 0},
	{"__cudasim_clock64", 'l', "", READS_CLOCK},
	{"__cudasim_globaltimer", 'l', "", READS_CLOCK},
	{"__cudasim_sreg", 'i', "i", 0},
	{"__cudasim_is_local", 'i', "p", 0},
	{"__cudasim_on_access", 'v', "plis", 0},
	{"__cudasim_on_loop_barrier", 'v', "psp", 0},
	{"__cudasim_on_loop_meet", 'v', "pppii", 0},
	{"__cudasim_on_lanes", 'v', "piiplplipls", 0},
	{"__cudasim_on_bounds", 'v', "plipls", 0},
	{"__cudasim_on_unwritten", 'v', "plps", 0},
	{"__cudasim_on_line", 'v', "s", 0},
	{"__cudasim_on_call", 'v', "sp", 0},
	{"__cudasim_on_return", 'v', "sppl", 0},
	{"__cudasim_on_fence", 'v', "iis", 0},
	{"__cudasim_on_mbarrier", 'v', "ipiiiis", 0},
};

static const struct runtime_function *find(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	}
	return NULL;
}

LLVMTypeRef runtime_type(LLVMContextRef context, char code)
{
	switch (code) {
	case 'v':
		return LLVMVoidTypeInContext(context);
	case 'i':
		return LLVMInt32TypeInContext(context);
	case 'l':
		return LLVMInt64TypeInContext(context);
	default:
		return LLVMPointerTypeInContext(context, 0);
	}
}

static void set_attributes(LLVMValueRef function, unsigned flags)
{
	/* The value of memory(): two bits (read 1, write 2) for each of argument
	 * memory (bit 0), inaccessible memory (bit 2), the rest (bit 4). */
	enum { MEMORY_NONE = 0, MEMORY_INACCESSIBLE = 3 << 2 };
	attribute_add(function, WHOLE_FUNCTION, "nounwind", 0);
	if (flags & CONVERGENT)
		attribute_add(function, WHOLE_FUNCTION, "convergent", 0);
	if (flags & NORETURN)
		attribute_add(function, WHOLE_FUNCTION, "noreturn", 0);
	if (flags & CONST) {
		attribute_add(function, WHOLE_FUNCTION, "memory", MEMORY_NONE);
		attribute_add(function, WHOLE_FUNCTION, "speculatable", 0);
		attribute_add(function, WHOLE_FUNCTION, "willreturn", 0);
	}
	if (flags & (READS_CLOCK | ANNOUNCES))
		attribute_add(function, WHOLE_FUNCTION, "memory", MEMORY_INACCESSIBLE);
	if (flags & ALLOCATES)
		attribute_add(function, LLVMAttributeReturnIndex, "noalias", 0);
	if (flags & NONNULL) {
		attribute_add(function, LLVMAttributeReturnIndex, "nonnull", 0);
		attribute_add(function, LLVMAttributeReturnIndex, "noundef", 0);
	}
}

LLVMValueRef device_runtime(struct device_module *dm, const char *name)
{
	const struct runtime_function *row = find(name);
	assert(row);
	LLVMValueRef function = LLVMGetNamedFunction(dm->module, name);
	if (!function) {
		LLVMTypeRef params[MAX_PARAMS];
		unsigned n = 0;
		for (; row->params[n]; n++)
			params[n] = runtime_type(dm->context, row->params[n]);
		LLVMTypeRef type = LLVMFunctionType(runtime_type(dm->context, row->result), params,
						    n, 0);
		function = LLVMAddFunction(dm->module, name, type);
	}
	set_attributes(function, row->flags);
	return function;
}

LLVMValueRef device_call_runtime(struct device_module *dm, LLVMBuilderRef builder, const char *name,
				 LLVMValueRef *args, unsigned n_args, LLVMValueRef where,
				 enum cudasim_site_kind kind)
{
	LLVMValueRef function = device_runtime(dm, name);
	const char *params = find(name)->params;
	size_t n = strlen(params);
	LLVMValueRef all[MAX_PARAMS];
	if (n_args)
		memcpy(all, args, n_args * sizeof(*args));
	if (n && params[n - 1] == 's')
		all[n_args++] = site_for(dm, where, kind);
	assert(n_args == n);
	return LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, all, n_args, "");
}

void device_declare_runtime(struct device_module *dm)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		LLVMValueRef function = LLVMGetNamedFunction(dm->module, functions[i].name);
		if (function && LLVMIsDeclaration(function))
			set_attributes(function, functions[i].flags);
	}
}
