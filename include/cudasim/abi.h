/* SPDX-License-Identifier: Apache-2.0 */
/* abi.h - what compiled device code and libcudasim agree on.
 *
 * The device compiler (compiler/) emits one `struct cudasim_module` per
 * translation unit (per program under -rdc=true) and code that calls the
 * __cudasim_* functions declared at the end of this file. libcudasim (sim/)
 * defines those functions and reads those tables. Nothing else crosses the
 * border, and nothing here knows C++ or LLVM.
 *
 * Layout rules: every structure here is read by generated code through fixed
 * offsets, so a change of any field means a new CUDASIM_ABI_VERSION. */
#ifndef CUDASIM_ABI_H
#define CUDASIM_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "cudasim/mma.h"
#include "cudasim/texture.h"

#ifdef __cplusplus
extern "C" {
#endif

/* libcudasim is built with hidden symbols; these are its exports. */
#pragma GCC visibility push(default)

#define CUDASIM_ABI_VERSION 7u

/* Simulated devices in one process, at most. */
#define CUDASIM_MAX_DEVICES 16u

/* The first bytes of a block's shared window belong to the system on compute
 * capability 9.0, so the first __shared__ variable has offset 0x400 there. */
#define CUDASIM_RESERVED_SHARED_BYTES 1024u
/* Of these the first are the scratch memory of cooperative groups' tiles of several warps
 * (%reserved_smem_offset_1), which begins as zeros. */
#define CUDASIM_GROUP_SCRATCH_BYTES 288u

#define CUDASIM_WARP_SIZE 32u

/* Observers in one process, at most: one bit each in a byte of `armed`. */
#define CUDASIM_MAX_OBSERVERS 8u

/* Plain bodies add the low bits of an address that is misaligned for an access to that
 * address once more from this bit on, so that the access faults: it is not canonical then. */
#define CUDASIM_MISALIGNED_SHIFT 59u

/* The forms in which every device function exists. */
enum cudasim_body {
	CUDASIM_BODY_V3,      /* plain, optimised for x86-64-v3 */
	CUDASIM_BODY_V4,      /* plain, optimised for x86-64-v4 (AVX-512) */
	CUDASIM_BODY_WATCHED, /* variables in memory, every event announced */
	CUDASIM_N_BODIES,
};

/* ---- tables -------------------------------------------------------------- */

/* A device function whose address is taken. A function pointer in device
 * memory holds the address of this descriptor, never of code, so that it means
 * the same in every body; an indirect call loads entry[body]. */
struct cudasim_function {
	void (*entry[CUDASIM_N_BODIES])(void);
	const char *name; /* mangled */
};

/* What a place in the source does that somebody may want to know. */
enum cudasim_site_kind {
	CUDASIM_SITE_LINE,   /* a statement begins */
	CUDASIM_SITE_ACCESS, /* load, store or atomic */
	CUDASIM_SITE_SYNC,   /* barrier, warp operation, fence */
	CUDASIM_SITE_CALL,   /* a call of a device function */
	CUDASIM_SITE_ENTRY,  /* a function begins */
	CUDASIM_SITE_OTHER,  /* trap, assert, printf, malloc, back-edge */
	CUDASIM_SITE_STAYS,  /* back-edge or sleep in a loop that a thread never leaves as long as
	                      * memory stays as it is, whatever it counts, whichever clock it reads */
};

/* A place in the source, one for each place in the code that may announce an
 * event. Sites of a module are one array, in code order within a function. */
struct cudasim_site {
	const char *file;     /* as the compiler was given it, never NULL */
	const char *function; /* demangled, never NULL */
	uint32_t line;        /* 1.., 0 where the source is not known */
	uint16_t column;      /* 1.., 0 where not known */
	uint8_t kind;         /* enum cudasim_site_kind */
	uint8_t reserved;
};

/* One kernel parameter in the packed parameter buffer. Bytes. */
struct cudasim_param {
	uint32_t offset, size, align;
};

/* A __shared__ variable as one kernel sees it. */
struct cudasim_shared {
	const char *name; /* mangled */
	uint32_t offset;  /* from the start of the shared window */
	uint32_t size;    /* bytes; 0 for an extern __shared__ array */
};

enum {
	CUDASIM_KERNEL_BARRIER = 1u << 0,   /* may wait at a block barrier */
	CUDASIM_KERNEL_WARP = 1u << 1,      /* uses warp-wide operations */
	CUDASIM_KERNEL_YIELD = 1u << 2,     /* has yield points (spin loops) */
	CUDASIM_KERNEL_CONVERGE = 1u << 3,  /* relies on warp lockstep */
	CUDASIM_KERNEL_RECURSIVE = 1u << 4, /* recursion or unknown stack depth */
	CUDASIM_KERNEL_INDIRECT = 1u << 5,  /* calls through pointers */
	CUDASIM_KERNEL_EMPTY = 1u << 6,     /* its plain bodies do nothing at all */
	CUDASIM_KERNEL_WIDE = 1u << 7,      /* its loops run many threads in x at once */
	CUDASIM_KERNEL_SHORT = 1u << 8, /* it has a loop body, and that little to do for a thread */
	CUDASIM_KERNEL_ROW = 1u << 9, /* its loop body runs several blocks a call */
	CUDASIM_KERNEL_JOINED = 1u << 10, /* and their threads side by side, as one long row */
	CUDASIM_KERNEL_IN_ORDER = 1u << 11, /* but blocks of several rows of threads one a call */
	CUDASIM_KERNEL_ALONE = 1u << 12, /* it has a loop body, which calls nobody: its threads
	                                     * never wait and never leave it */
	CUDASIM_KERNEL_HEAP = 1u << 13, /* has malloc() or free() in it */
	CUDASIM_KERNEL_PRINTS = 1u << 14, /* has printf() in it */
};

#define CUDASIM_ROW_THREADS (1u << 26)

struct cudasim_block;
struct cudasim_launch;
struct cudasim_thread;

struct cudasim_kernel {
	const char *name; /* mangled */
	const char *display; /* demangled, without parameters: advance<32> */
	/* Runs the kernel for the thread __cudasim_self. params is the packed
	 * parameter buffer, laid out as params[] below says. */
	void (*entry[CUDASIM_N_BODIES])(const void *params);
	/* Runs all threads of a block in one call, in order of their linear index,
	 * for kernels that meet nobody; NULL where that form was not built. It begins
	 * as the block's first thread; see __cudasim_loop_thread. With CUDASIM_KERNEL_ROW,
	 * those of the n_blocks - 1 next blocks in x, too, row of threads by row; else
	 * n_blocks is 1. n_blocks * blockDim.x is at most CUDASIM_ROW_THREADS. Indexed by
	 * plain body. */
	void (*loop[2])(const void *params, struct cudasim_block *block, uint32_t n_blocks);
	const struct cudasim_param *params;
	uint32_t n_params;
	uint32_t params_size; /* bytes */
	const struct cudasim_shared *shared;
	uint32_t n_shared;
	uint32_t static_shared_bytes; /* without the reserved window */
	uint32_t dynamic_shared_align; /* of extern __shared__; at least 16 */
	uint32_t local_bytes; /* stack frames of one thread, estimate */
	uint32_t flags; /* CUDASIM_KERNEL_* */
	uint32_t max_threads; /* __launch_bounds__, 0 if absent */
	uint32_t min_blocks; /* __launch_bounds__, 0 if absent */
	uint32_t cluster[3]; /* __cluster_dims__, 0 if absent */
	uint32_t n_registers; /* estimate, for cudaFuncAttributes */
	const struct cudasim_site *site; /* where it is defined */
	const char *why_not_loop; /* one line for cudasim cc -v, or NULL */
};

enum {
	CUDASIM_VARIABLE_CONSTANT = 1u << 0, /* __constant__ */
	CUDASIM_VARIABLE_MANAGED = 1u << 1, /* __managed__: the slot at `offset`
	                                      * holds a pointer to the storage, which
	                                      * is the host's own variable; in the
	                                      * image, a pointer to its initial value,
	                                      * NULL where that is all zero */
};

/* A __device__, __constant__ or __managed__ variable. */
struct cudasim_variable {
	const char *name; /* mangled */
	const char *display; /* demangled */
	uint64_t offset; /* in the module's variables */
	uint64_t size; /* bytes (of the variable, for managed ones too) */
	uint32_t align;
	uint32_t flags; /* CUDASIM_VARIABLE_* */
};

/* Everything libcudasim knows of a compiled translation unit. Registered by a
 * constructor of the object, before or after the host's own registration. */
struct cudasim_module {
	uint32_t abi_version;
	/* Low 16 bits: the compute capability that the code was compiled for, times
	 * 10 (90); 0 if not told. */
	uint32_t flags;
	uint8_t id[16]; /* the same as in the host object's struct cudasim_blob */
	const char *source; /* the file's name */
	const struct cudasim_kernel *kernels;
	uint64_t n_kernels;
	const struct cudasim_variable *variables;
	uint64_t n_variables;
	const struct cudasim_site *sites;
	uint64_t n_sites;
	/* One byte per site: line hooks call __cudasim_on_line when it is not 0.
	 * Bit i is observer i's; see cudasim_site_arm() in inspect.h. */
	uint8_t *armed;
	/* All variables in one piece: the initial image, which is also device 0's
	 * instance (so that plain debuggers see it). Page aligned. */
	void *variables_image;
	uint64_t variables_size;
	/* [CUDASIM_MAX_DEVICES]; device code finds its variables at
	 * variables_base[ordinal] + offset. Filled by libcudasim. */
	void **variables_base;
	const struct cudasim_function *const *functions; /* address-taken ones */
	uint64_t n_functions;
	/* Offsets in variables_image of the pointers there that point into
	 * variables_image itself; another device's instance needs them moved. */
	const uint64_t *relocations;
	uint64_t n_relocations;
	/* Under -rdc=true: the linked GPU code of all translation units, id as above;
	 * NULL where there is none. Otherwise NULL: the host objects carry it. */
	const struct cudasim_blob *gpu;
};

/* What the host object carries in the place of NVIDIA's fat binary. That fat
 * binary itself, for a real GPU (cudasim cc --gpu), follows in the same bytes. */
#define CUDASIM_BLOB_MAGIC "CUDASIM\2"
struct cudasim_blob {
	char magic[8];
	uint8_t id[16];
	uint64_t gpu_offset; /* from the blob's start, a multiple of 64; 0: no GPU code */
	uint64_t gpu_size; /* bytes */
};

/* ---- state that device code reads ---------------------------------------- */

/* A thread block in flight. Constant while the block runs. */
struct cudasim_block {
	uint32_t ctaid[3];
	uint32_t ntid[3];
	uint32_t nctaid[3];
	uint32_t device; /* ordinal */
	unsigned char *shared; /* start of the shared window, 1 KiB aligned */
	uint32_t shared_bytes; /* of the window, reserved part included */
	uint32_t dynamic_shared_offset; /* in the window */
	uint32_t dynamic_shared_bytes;
	uint32_t smid;
	uint64_t gridid;
	uint32_t cluster_nctaid[3]; /* 1,1,1 without clusters */
	uint32_t cluster_ctaid[3];
	/* Not read by device code. */
	struct cudasim_launch *launch; /* observer.h */
	void *tool[CUDASIM_MAX_OBSERVERS]; /* observer.h: cudasim_block_data() */
};

/* What device code announces when a bit of `want` below is set. Observers ask
 * for these and more with CUDASIM_WANT_* of observer.h. */
enum {
	CUDASIM_WANT_LINE = 1u << 0, /* every line, armed or not */
	CUDASIM_WANT_ACCESS = 1u << 1, /* accesses that may leave the thread's stack */
	CUDASIM_WANT_LOCAL = 1u << 2, /* accesses to the thread's own variables */
	CUDASIM_WANT_CALL = 1u << 3, /* calls and returns */
	CUDASIM_WANT_FENCE = 1u << 4, /* fences */
	CUDASIM_WANT_MBARRIER = 1u << 5, /* what is done to mbarriers */
};

/* A CUDA thread, as far as device code reads it. The simulator's own thread
 * state begins with this. */
struct cudasim_thread {
	uint32_t tid[3];
	uint32_t lane; /* 0..31 */
	uint32_t warp; /* within the block */
	uint32_t want; /* CUDASIM_WANT_*; 0 in plain bodies */
	int32_t fuel; /* back-edges left until __cudasim_yield */
	uint32_t linear; /* tid.x + ntid.x * (tid.y + ntid.y * tid.z) */
	struct cudasim_block *block;
	const struct cudasim_site *site; /* last one announced */
};

/* The CUDA thread that runs on this pthread, NULL on host threads. A block's
 * threads never change pthreads, so device code may keep what it reads here
 * across waits. Device code does not name it directly but calls
 * __cudasim_context(), a memory(none) function that the device compiler lowers
 * to this load last of all. */
extern
#ifdef __cplusplus
	thread_local
#else
	_Thread_local
#endif
	struct cudasim_thread *__cudasim_self __attribute__((tls_model("initial-exec")));

/* ---- what device code calls ---------------------------------------------- */

/* Start-up. */
void __cudasim_module_register(const struct cudasim_module *module);
/* Under -rdc=true: what each __cudaRegisterLinkedBinary_NAME(globals, ...) that
 * the device compiler defines hands on. globals registers one translation
 * unit's kernels and variables. module need not be registered yet. */
void __cudasim_linked_register(const struct cudasim_module *module, void (*globals)(void **));

/* Before anything is registered, where the program's calls of the CUDA runtime are bound to
 * another one: let all that is loaded call libcudasim instead. Ends the process with a message
 * where that cannot be done. */
void __cudasim_adopt(void);

/* Block barriers 0..15. n_threads is the expected count, a multiple of 32, or 0
 * for all threads of the block. Exited threads count as arrived.
 * op: what __cudasim_barrier_reduce answers about pred over all threads. */
enum { CUDASIM_REDUCE_POPC, CUDASIM_REDUCE_AND, CUDASIM_REDUCE_OR };
void __cudasim_barrier(uint32_t id, uint32_t n_threads, const struct cudasim_site *);
void __cudasim_barrier_arrive(uint32_t id, uint32_t n_threads, const struct cudasim_site *);
uint32_t __cudasim_barrier_reduce(uint32_t id, uint32_t n_threads, uint32_t op, uint32_t pred,
				  const struct cudasim_site *);
/* Barriers of a thread block cluster. */
void __cudasim_cluster_arrive(const struct cudasim_site *);
void __cudasim_cluster_wait(const struct cudasim_site *);
/* Address in the shared window of block `rank` of the cluster that corresponds
 * to addr in this block's. */
void *__cudasim_cluster_map(const void *addr, uint32_t rank);

/* Warp operations; mask names the lanes that take part, as in CUDA's _sync
 * functions. Only lanes that have exited may be missing. */
void __cudasim_syncwarp(uint32_t mask, const struct cudasim_site *);
/* As PTX shfl.sync: b is the lane or offset, c packs clamp and segment mask.
 * Returns the value in the low half, the predicate in bit 32. */
enum { CUDASIM_SHFL_IDX, CUDASIM_SHFL_UP, CUDASIM_SHFL_DOWN, CUDASIM_SHFL_BFLY };
uint64_t __cudasim_shfl(uint32_t mode, uint32_t mask, uint32_t value, uint32_t b, uint32_t c,
			const struct cudasim_site *);
enum { CUDASIM_VOTE_ALL, CUDASIM_VOTE_ANY, CUDASIM_VOTE_UNI, CUDASIM_VOTE_BALLOT };
uint32_t __cudasim_vote(uint32_t kind, uint32_t mask, uint32_t pred, const struct cudasim_site *);
uint32_t __cudasim_match_any(uint32_t mask, uint64_t value, const struct cudasim_site *);
/* The mask in the low half, the predicate in bit 32. */
uint64_t __cudasim_match_all(uint32_t mask, uint64_t value, const struct cudasim_site *);
enum {
	CUDASIM_REDUX_ADD,
	CUDASIM_REDUX_MIN,
	CUDASIM_REDUX_MAX,
	CUDASIM_REDUX_UMIN,
	CUDASIM_REDUX_UMAX,
	CUDASIM_REDUX_AND,
	CUDASIM_REDUX_OR,
	CUDASIM_REDUX_XOR,
};
uint32_t __cudasim_redux(uint32_t op, uint32_t mask, uint32_t value, const struct cudasim_site *);
/* A matrix product of the warp (mma.h). registers: the lane's own, as the form tells; D is put
 * where C was. Lanes that have exited or never were bring zeros. */
void __cudasim_mma(uint32_t form, uint32_t *registers, const struct cudasim_site *);
/* The same of 32 lanes at once: words[i][lane] is register i of the lane. */
void __cudasim_mma_lanes(uint32_t form, uint32_t (*words)[CUDASIM_WARP_SIZE]);
/* The elected lane in the low half, the predicate in bit 32. */
uint64_t __cudasim_elect(uint32_t mask, const struct cudasim_site *);
/* Lanes that are converged with the caller at this site: waits until no other
 * lane of the warp can move on its own, then answers the lanes at the site. */
uint32_t __cudasim_activemask(const struct cudasim_site *);
/* Where a program counts on the lockstep of a warp (a shared store before, a
 * shared load after, no barrier between): waits as __cudasim_activemask does. */
void __cudasim_converge(const struct cudasim_site *);
/* Behind loads that follow a barrier where a store to the same memory comes before the
 * next one: waits until nobody else of the block can move on its own, so that all have
 * loaded, as all warps of a GPU do right behind a barrier. It orders nothing: the program
 * is at fault, and schedules drawn at random do not wait. */
void __cudasim_linger(const struct cudasim_site *);

/* At a loop's back-edge when fuel has run out: others may run; refills fuel. The loop waits for
 * what lies at the address, NULL where the compiler does not know it. */
enum {
	CUDASIM_WAIT_BYTES = 0xffff, /* how much lies there; 0: unknown */
	CUDASIM_WAIT_MBARRIER = 1 << 16, /* it is an mbarrier */
	CUDASIM_WAIT_ONLY = 1 << 17, /* as long as memory stays as it is, the thread stays in
	                                   * the loop, whatever it counts there */
};
void __cudasim_yield(const void *address, uint32_t wait, const struct cudasim_site *);
void __cudasim_nanosleep(uint32_t ns, const struct cudasim_site *);
/* The phase of the mbarrier has ended: threads of its block that have given way to wait for it
 * leave the wait, together, whatever becomes of the mbarrier before they run again. */
void __cudasim_mbarrier_wake(const void *mbarrier);
/* Did the phase end while the calling thread gave way for it (CUDASIM_WAIT_MBARRIER)? Answered
 * once. */
uint32_t __cudasim_mbarrier_woken(void);

/* Ends. exit ends the calling thread; trap and assertfail the launch. */
enum cudasim_trap {
	CUDASIM_TRAP_TRAP, /* __trap(): cudaErrorLaunchFailure */
	CUDASIM_TRAP_ILLEGAL, /* illegal instruction: cudaErrorIllegalInstruction */
	CUDASIM_TRAP_UNREACHABLE, /* control reached an unreachable place */
	CUDASIM_TRAP_MBARRIER, /* more arrivals than the phase waits for: LaunchFailure */
};
__attribute__((noreturn)) void __cudasim_exit(const struct cudasim_site *);
__attribute__((noreturn)) void __cudasim_trap(uint32_t kind, const struct cudasim_site *);
__attribute__((noreturn)) void __cudasim_assertfail(const char *message, const char *file,
						    uint32_t line, const char *function,
						    const struct cudasim_site *);
void __cudasim_brkpt(const struct cudasim_site *);

/* printf: args is the packed argument block that clang builds for vprintf. */
int32_t __cudasim_vprintf(const char *format, const void *args, const struct cudasim_site *);
/* For the loops over a block's threads (struct cudasim_kernel.loop), which keep
 * a thread's indices in registers. Before a call of anything that may look at
 * __cudasim_self, it becomes the thread with that linear index; the result is
 * that thread. By the call the threads may have left the loop: those before it
 * have ended, this one goes on by itself, the others have not begun. Then
 * __cudasim_loop_goes_on answers 0, and the loop returns at the thread's end. */
struct cudasim_thread *__cudasim_loop_thread(struct cudasim_block *, uint32_t linear);
uint32_t __cudasim_loop_goes_on(const struct cudasim_block *);
/* Memory for what the block's threads keep across barriers, until the loop returns;
 * 64-byte aligned, not cleared. */
void *__cudasim_loop_frame(struct cudasim_block *, uint64_t bytes);

/* cudaGraphSetConditional(): a handle that is none is said once and ignored. */
void __cudasim_graph_condition(uint64_t handle, uint32_t value, const struct cudasim_site *);

/* Launches from device code, and the other calls of CUDA's runtime for device code, under the
 * names and with the arguments of cuda_device_runtime_api.h; structures are passed by address.
 * A kernel as a value in device code is the address of its struct cudasim_kernel. grid, block:
 * three numbers each. Errors are kept for __cudasim_rt_get_last_error(), per thread. */
uint32_t __cudasim_rt_get_last_error(const struct cudasim_site *site);
uint32_t __cudasim_rt_peek_at_last_error(const struct cudasim_site *site);
void __cudasim_launch(const struct cudasim_kernel *kernel, const void *params, const uint32_t *grid,
		      const uint32_t *block, uint64_t shared, void *stream,
		      const struct cudasim_site *site);
void *__cudasim_rt_get_parameter_buffer(uint64_t align, uint64_t size,
					const struct cudasim_site *site);
void *__cudasim_rt_get_parameter_buffer_v2(const struct cudasim_kernel *kernel,
					   const uint32_t *grid, const uint32_t *block,
					   uint32_t shared, const struct cudasim_site *site);
uint32_t __cudasim_rt_launch_device(const struct cudasim_kernel *kernel, void *params,
				    const uint32_t *grid, const uint32_t *block, uint32_t shared,
				    void *stream, const struct cudasim_site *site);
uint32_t __cudasim_rt_launch_device_v2(void *params, void *stream, const struct cudasim_site *site);
uint32_t __cudasim_rt_stream_create(void **ret, uint32_t flags, const struct cudasim_site *site);
uint32_t __cudasim_rt_stream_destroy(void *stream, const struct cudasim_site *site);
uint32_t __cudasim_rt_stream_wait_event(void *stream, void *event, uint32_t flags,
					const struct cudasim_site *site);
uint32_t __cudasim_rt_event_create(void **ret, uint32_t flags, const struct cudasim_site *site);
uint32_t __cudasim_rt_event_record(void *event, void *stream, const struct cudasim_site *site);
uint32_t __cudasim_rt_event_record_with_flags(void *event, void *stream, uint32_t flags,
					      const struct cudasim_site *site);
uint32_t __cudasim_rt_event_destroy(void *event, const struct cudasim_site *site);
uint32_t __cudasim_rt_memcpy(void *to, const void *from, uint64_t n, uint32_t kind, void *stream,
			     const struct cudasim_site *site);
uint32_t __cudasim_rt_memcpy_2d(void *to, uint64_t to_pitch, const void *from, uint64_t from_pitch,
				uint64_t width, uint64_t height, uint32_t kind, void *stream,
				const struct cudasim_site *site);
uint32_t __cudasim_rt_memcpy_3d(const void *params, void *stream, const struct cudasim_site *site);
uint32_t __cudasim_rt_memset(void *to, uint32_t value, uint64_t n, void *stream,
			     const struct cudasim_site *site);
uint32_t __cudasim_rt_memset_2d(void *to, uint64_t pitch, uint32_t value, uint64_t width,
				uint64_t height, void *stream, const struct cudasim_site *site);
uint32_t __cudasim_rt_memset_3d(const void *where, uint32_t value, const void *extent, void *stream,
				const struct cudasim_site *site);
uint32_t __cudasim_rt_cuda_malloc(void **ret, uint64_t size, const struct cudasim_site *site);
uint32_t __cudasim_rt_cuda_free(void *address, const struct cudasim_site *site);
const char *__cudasim_rt_get_error_string(uint32_t error, const struct cudasim_site *site);
const char *__cudasim_rt_get_error_name(uint32_t error, const struct cudasim_site *site);
uint32_t __cudasim_rt_get_device_count(int *ret, const struct cudasim_site *site);
uint32_t __cudasim_rt_get_device(int *ret, const struct cudasim_site *site);
uint32_t __cudasim_rt_get_attribute(int *ret, uint32_t attribute, uint32_t ordinal,
				    const struct cudasim_site *site);
uint32_t __cudasim_rt_get_limit(size_t *ret, uint32_t limit, const struct cudasim_site *site);
uint32_t __cudasim_rt_get_cache_config(int *ret, const struct cudasim_site *site);
uint32_t __cudasim_rt_get_shared_mem_config(int *ret, const struct cudasim_site *site);
uint32_t __cudasim_rt_runtime_get_version(int *ret, const struct cudasim_site *site);
uint32_t __cudasim_rt_func_get_attributes(void *to, const struct cudasim_kernel *kernel,
					  const struct cudasim_site *site);
uint32_t __cudasim_rt_occupancy(int *ret, const struct cudasim_kernel *kernel, int n_threads,
				uint64_t dynamic, const struct cudasim_site *site);
uint32_t __cudasim_rt_occupancy_with_flags(int *ret, const struct cudasim_kernel *kernel,
					   int n_threads, uint64_t dynamic, uint32_t flags,
					   const struct cudasim_site *site);

/* Kernels whose threads meet are cut at the places where they do. A step runs one
 * thread from one cut to the next (compiler/regions/region_formation.h) and returns the number of the
 * region that begins there. What a thread keeps meanwhile lies in the frame: for each
 * warp of the block, 32 * thread_bytes bytes; in there, arrays over its 32 lanes, one
 * after the other. Behind all of them, a word for each warp: see CUDASIM_AT_*. */
enum cudasim_cut_kind {
	CUDASIM_CUT_LEAVE, /* behind it is what a thread can only do on a fiber */
	CUDASIM_CUT_BARRIER,
	CUDASIM_CUT_BARRIER_REDUCE,
	CUDASIM_CUT_SYNCWARP,
	CUDASIM_CUT_SHFL,
	CUDASIM_CUT_VOTE,
	CUDASIM_CUT_MATCH_ANY,
	CUDASIM_CUT_MATCH_ALL,
	CUDASIM_CUT_REDUX,
	CUDASIM_CUT_ELECT,
	CUDASIM_CUT_MMA,
	CUDASIM_CUT_ACTIVEMASK,
	CUDASIM_CUT_CONVERGE,
	CUDASIM_CUT_LINGER,
};
/* An argument of an operation: an array of the frame, size bytes (4 or 8) a lane, which
 * begins 32 * offset bytes into a warp's part; or, where size is 0, that constant. */
struct cudasim_cut_value {
	uint64_t constant;
	uint32_t offset, size;
};
/* An operation of libcudasim (__cudasim_shfl, ...) with its arguments in their order. Of a
 * matrix product: the form, and the first of the arrays of its registers, which lie one
 * behind the other.
 * low and high: arrays of words for the halves of its result, as offset above;
 * UINT32_MAX where that half is not wanted. */
struct cudasim_cut_op {
	struct cudasim_cut_value arg[5];
	const struct cudasim_site *site;
	uint32_t kind; /* enum cudasim_cut_kind */
	uint32_t low, high;
	uint32_t reserved;
};
/* The operations at a cut, in their order: ops[first], ... */
struct cudasim_cut {
	uint32_t first, n;
};
/* A thread's state, in the array of words at thread_at: the region that it stands
 * before in the low half, how many of the operations there are done in the high one.
 * A warp's word: the region that all its 32 lanes stand before, with nothing done;
 * or one of these two. */
#define CUDASIM_AT_EXIT UINT32_MAX /* has ended (all have) */
#define CUDASIM_AT_MIXED (UINT32_MAX - 1u) /* a warp's: what its threads' states say */
struct cudasim_loop {
	uint32_t (*step)(const void *params, const struct cudasim_block *, void *warp_frame,
			 uint32_t x, uint32_t y, uint32_t z, uint32_t linear, uint32_t n,
			 uint32_t lane, uint32_t region);
	const struct cudasim_cut *cuts; /* [n_regions]; that of region 0 has no operation */
	const struct cudasim_cut_op *ops;
	uint64_t thread_bytes;
	uint32_t n_regions;
	uint32_t thread_at; /* offset of the array of states */
};
/* Take all 32 lanes of a warp, one by one, through a region that they may begin. For
 * blocks whose rows do not hold whole warps. Returns the region that all have come to
 * (UINT32_MAX: their end), or CUDASIM_AT_MIXED: their states say. */
uint32_t __cudasim_loop_lanes(const struct cudasim_loop *, struct cudasim_block *,
			      const void *params, void *frame, uint32_t warp, uint32_t region);
/* Take the lanes of a warp, one by one, as far as they can go without other warps.
 * The warp's lanes stand before `region` (CUDASIM_AT_MIXED: where their states say);
 * `ready`: what they wait for there has happened. Returns the region that all 32 lanes
 * may begin together, CUDASIM_AT_MIXED if the warp waits for others or has ended, which
 * its word tells; or CUDASIM_AT_EXIT: the block's threads have left the loop, which
 * returns. */
uint32_t __cudasim_loop_warp(const struct cudasim_loop *, struct cudasim_block *,
			     const void *params, void *frame, uint32_t warp, uint32_t region,
			     uint32_t ready);
/* All warps wait for others or have ended: open the barrier that they wait at. 0 where
 * the loop returns: all have ended, or the threads have left it. */
uint32_t __cudasim_loop_open(const struct cudasim_loop *, struct cudasim_block *, void *frame);

/* The device heap. 16-byte aligned; NULL when it is full. */
void *__cudasim_malloc(uint64_t size, const struct cudasim_site *);
void __cudasim_free(void *, const struct cudasim_site *);

/* Run what the host has registered under this name (device.h), with `work`, on the
 * worker's own stack. One name may be registered several times: by every unit that
 * holds the same inline code. */
void __cudasim_host(const char *name, void *work, const struct cudasim_site *);
int cudasim_host_register(const char *name, void (*run)(void *work));

/* Texture fetches and surface accesses (cudasim/texture.h). ret: four words, the
 * channels' bits as in the registers of PTX's tex. */
void __cudasim_texture(uint32_t op, uint64_t object, const struct cudasim_fetch *how, void *ret,
		       const struct cudasim_site *);
void __cudasim_surface(uint32_t op, uint64_t object, const struct cudasim_surface_place *where,
		       void *value, const struct cudasim_site *);

/* Clocks, advancing at the device profile's rate. */
uint64_t __cudasim_clock64(void);
uint64_t __cudasim_globaltimer(void); /* ns */

/* Special registers that the structures above do not hold. */
enum {
	CUDASIM_SREG_WARPID,
	CUDASIM_SREG_NWARPID,
	CUDASIM_SREG_NSMID,
	CUDASIM_SREG_TOTAL_SMEM,
	CUDASIM_SREG_AGGR_SMEM,
	/* Address of the launch's workspace for cooperative groups, upper and
	 * lower half; 0 when the launch is not cooperative. */
	CUDASIM_SREG_ENVREG1,
	CUDASIM_SREG_ENVREG2,
};
uint32_t __cudasim_sreg(uint32_t which);

/* Nonzero if addr lies in this thread's stack. */
uint32_t __cudasim_is_local(const void *addr);

/* Events of watched bodies. Called only when wanted (`want`, `armed`), before
 * the thing happens. */
enum {
	/* low byte: what */
	CUDASIM_ACCESS_LOAD = 1u << 0,
	CUDASIM_ACCESS_STORE = 1u << 1,
	CUDASIM_ACCESS_ATOMIC = 1u << 2, /* with LOAD, STORE or both */
	CUDASIM_ACCESS_VOLATILE = 1u << 3,
	/* A volatile load whose value decides whether a loop around it goes on. */
	CUDASIM_ACCESS_SPIN = 1u << 4,
	/* Of a copy of bytes (memcpy, a structure's assignment), padding included. */
	CUDASIM_ACCESS_COPY = 1u << 5,
	/* With COPY, of code in the toolkit's headers, which copies structures in parts and
	 * hands values on without looking at them: may be nothing but padding. */
	CUDASIM_ACCESS_PART = 1u << 6,
	/* Of code in the toolkit's headers, to shared memory as far as the compiler can tell. */
	CUDASIM_ACCESS_TOOLKIT = 1u << 7,
	/* bits 8..11: address space as far as the compiler knows: 0 generic,
	 * 1 global, 3 shared, 4 constant, 5 local (as in NVVM IR) */
	CUDASIM_ACCESS_SPACE_SHIFT = 8,
	/* bits 12..15: enum cudasim_scope */
	CUDASIM_ACCESS_SCOPE_SHIFT = 12,
	/* bits 16..19: enum cudasim_order */
	CUDASIM_ACCESS_ORDER_SHIFT = 16,
	/* bits 20..23: the alignment that the GPU needs for it, 0..4 for 1..16 bytes;
	 * also called, whoever wants, when the address does not have it */
	CUDASIM_ACCESS_ALIGN_SHIFT = 20,
	/* bits 24..31: enum cudasim_atomic_op, of atomics */
	CUDASIM_ACCESS_OP_SHIFT = 24,
};
enum cudasim_scope {
	CUDASIM_SCOPE_THREAD,
	CUDASIM_SCOPE_BLOCK,
	CUDASIM_SCOPE_CLUSTER,
	CUDASIM_SCOPE_DEVICE,
	CUDASIM_SCOPE_SYSTEM,
};
enum cudasim_order {
	CUDASIM_ORDER_WEAK,
	CUDASIM_ORDER_RELAXED,
	CUDASIM_ORDER_ACQUIRE,
	CUDASIM_ORDER_RELEASE,
	CUDASIM_ORDER_ACQ_REL,
	CUDASIM_ORDER_SEQ_CST,
};
enum cudasim_atomic_op {
	CUDASIM_ATOMIC_NONE,
	CUDASIM_ATOMIC_LOAD,
	CUDASIM_ATOMIC_STORE,
	CUDASIM_ATOMIC_XCHG,
	CUDASIM_ATOMIC_CAS,
	CUDASIM_ATOMIC_ADD,
	CUDASIM_ATOMIC_SUB,
	CUDASIM_ATOMIC_AND,
	CUDASIM_ATOMIC_OR,
	CUDASIM_ATOMIC_XOR,
	CUDASIM_ATOMIC_MIN,
	CUDASIM_ATOMIC_MAX,
	CUDASIM_ATOMIC_INC,
	CUDASIM_ATOMIC_DEC,
};
void __cudasim_on_access(const void *addr, uint64_t size, uint32_t flags,
			 const struct cudasim_site *);
/* Before __cudasim_on_access of the same access, where its address was computed from a
 * variable of `bytes` bytes at `variable` and its bytes are not all of them that variable's. */
void __cudasim_on_bounds(const void *addr, uint64_t size, uint32_t flags, const void *variable,
			 uint64_t bytes, const struct cudasim_site *);
/* Before a read of size bytes of a local variable, of which none was written since its scope
 * was entered. */
void __cudasim_on_unwritten(const void *addr, uint64_t size, const char *name,
			    const struct cudasim_site *);
void __cudasim_on_line(const struct cudasim_site *);
/* frame is the callee's or returning function's frame address. */
void __cudasim_on_call(const struct cudasim_site *entry, const void *frame);
/* value: what is returned, size bytes, as it lies in memory; NULL and 0 for void. */
void __cudasim_on_return(const struct cudasim_site *entry, const void *frame, const void *value,
			 uint64_t size);
void __cudasim_on_fence(uint32_t scope, uint32_t order, const struct cudasim_site *);
/* After something was done to an mbarrier: see struct cudasim_mbarrier of observer.h. */
enum cudasim_mbarrier_kind {
	CUDASIM_MBARRIER_INIT,
	CUDASIM_MBARRIER_ARRIVE, /* count arrivals */
	CUDASIM_MBARRIER_COPIED, /* count bytes that the phase waited for have come */
	CUDASIM_MBARRIER_WAITED, /* a test or wait answered that its phase is over */
	CUDASIM_MBARRIER_INVALIDATE,
};
void __cudasim_on_mbarrier(uint32_t kind, const void *address, uint32_t count, uint32_t pending,
			   uint32_t expected, uint32_t ends, const struct cudasim_site *);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
#endif
