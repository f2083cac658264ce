/* SPDX-License-Identifier: Apache-2.0 */
/* observer.h - the events of a simulated program that a tool can receive.
 *
 * A tool is a shared object that libcudasim opens by path
 * (CUDASIM_OBSERVER=path[:path...]) before main() runs. It exports
 * cudasim_observer_init(), which returns a table of callbacks. Every callback
 * is optional: a NULL slot means "not interested". observer_events.def lists them.
 * Beside these a tool needs only inspect.h (state, holding and resuming threads) and
 * abi.h (modules, kernels, sites, threads as device code sees them).
 *
 * Guarantees:
 * - An event of a CUDA thread is delivered before it happens, on the
 *   stack of that CUDA thread. After GO it happens.
 * - All events of one block come from one pthread at a time; different blocks
 *   may report concurrently from different pthreads, unless an observer
 *   wants CUDASIM_WANT_ORDERED.
 * - Pointers in events are valid until the callback returns, unless the
 *   member says otherwise. Modules, kernels and sites are valid as long as the process.
 * - A callback must not call the CUDA API and must not leave by longjmp or an
 *   exception. It may block, write files and call inspect.h. It has at least
 *   32 KiB of stack; a tool that needs more switches to a stack of its own.
 * - Observers receive an event, and finish(), in the order in which they were
 *   registered: first the tools of CUDASIM_OBSERVER as they are listed, then the
 *   checkers, then the debugger. A tool's cudasim_observer_init() may register others,
 *   which come before the one that it returns: what that does in an event is done
 *   after all of them. The largest verdict is used, so that the order never matters
 *   to the program. */
#ifndef CUDASIM_OBSERVER_H
#define CUDASIM_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudasim/abi.h"
#include "cudasim/error.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CUDASIM_OBSERVER_VERSION 2u
#define CUDASIM_EXPORT __attribute__((visibility("default")))

/* What an observer wants done after it has seen an event of a thread. */
enum cudasim_verdict {
	CUDASIM_GO,    /* continue */
	/* Wait for the lanes of the warp that can still reach a MEET; when none can,
	 * met() selects those that continue. Only in launches for which an observer wants
	 * ORDERED; elsewhere as GO. */
	CUDASIM_MEET,
	CUDASIM_HOLD,  /* park this thread until cudasim_thread_resume() */
	CUDASIM_STOP,  /* end the launch; it ends with an error that no call returns, and the
	                * device stays usable */
	CUDASIM_ABORT, /* end the launch with cudaErrorLaunchFailure */
};

/* The events that an observer requests of a launch, besides the CUDASIM_WANT_* bits
 * of abi.h (LINE, ACCESS, LOCAL, CALL, FENCE). Any of those bits, and BODY,
 * make the launch run its watched bodies; the rest cost nothing in the code. */
enum {
	CUDASIM_WANT_BLOCK = 1u << 8,    /* block_begin, block_end */
	CUDASIM_WANT_THREAD = 1u << 9,   /* thread_begin, thread_end */
	CUDASIM_WANT_BARRIER = 1u << 10, /* barrier_arrive, barrier_open */
	CUDASIM_WANT_WARP = 1u << 11,    /* warp_arrive, warp_meet */
	CUDASIM_WANT_BODY = 1u << 12,    /* watched bodies, for armed sites, frames, locals */
	CUDASIM_WANT_ORDERED = 1u << 13, /* one block at a time moves; the run is a function
	                                  * of program, input and CUDASIM_SCHEDULE */
	CUDASIM_WANT_CHOOSE = 1u << 14,  /* choose; implies ORDERED */
	/* Also those accesses through pointers that turn out to lie in the thread's own
	 * stack; where ACCESS is wanted, and much cheaper than LOCAL. */
	CUDASIM_WANT_STACK = 1u << 15,
	/* Beside others: accesses may be told of many threads at once, by access_lanes(), and in
	 * launches that are told so events of single threads that order nothing (thread_begin,
	 * thread_end) may be left out, and those of arrivals (barrier_arrive, warp_arrive) where all
	 * threads of the block or lanes of the warp have come to one place, with masks that name
	 * them, and accesses of own variables in functions that have not returned (STACK). Where all observers of a launch want this, or nothing of
	 * single threads, it may run its watched loops, which take less time by far. Such an
	 * observer never answers HOLD or MEET, and wants no more later. */
	CUDASIM_WANT_LANES = 1u << 16,
	/* The bits that make watched bodies run. */
	CUDASIM_WANT_WATCHED = CUDASIM_WANT_LINE | CUDASIM_WANT_ACCESS | CUDASIM_WANT_LOCAL |
			       CUDASIM_WANT_CALL | CUDASIM_WANT_FENCE | CUDASIM_WANT_MBARRIER |
			       CUDASIM_WANT_BODY,
};

/* ---- what events carry --------------------------------------------------- */

struct cudasim_watch; /* libcudasim's own */

/* A kernel launch, from the API call to its end: the one description of it, which libcudasim
 * itself works with, too. Lives until launch_end() returns. Constant from launch_submit(), but
 * for body, error, watch and launcher. */
struct cudasim_launch {
	uint64_t id;      /* process-wide, 1.. in the order of submission */
	uint64_t gridid;  /* per device, 1.. */
	uint64_t stream;  /* 0 is the legacy default stream */
	uint32_t device;  /* ordinal */
	bool cooperative; /* all blocks are resident at once, and may wait for each other */
	const struct cudasim_module *module;
	const struct cudasim_kernel *kernel;
	uint32_t grid[3];              /* blocks, 1.. in each dimension */
	uint32_t block[3];             /* threads, 1.. in each dimension */
	uint32_t cluster[3];           /* blocks, divides grid; 1,1,1 without clusters */
	uint32_t dynamic_shared_bytes; /* of each block, beside the kernel's static ones */
	const void *params;            /* packed, as kernel->params lays it out */
	/* Return address of the host's launching call, 0 where unknown. The
	 * host's whole stack can be read inside launch_submit(). */
	uint64_t host_pc;
	enum cudasim_body body; /* the form that runs; set before launch_begin() */
	/* Its threads run as watched loops (CUDASIM_WANT_LANES); set before launch_begin(). Functions
	 * are inlined there: cudasim_thread_frames() knows one frame, for the debug information to
	 * take apart. */
	bool looped;
	int error; /* a cudaError_t, valid in launch_end() */
	struct cudasim_watch *watch;
	/* Of a launch from device code: the launch that made it, which lives as long, and the
	 * block, thread and place; else NULL and zeros. */
	const struct cudasim_launch *parent;
	uint32_t parent_block[3], parent_thread[3];
	const struct cudasim_site *parent_site;
	/* The thread itself, which stands still, inside launch_submit(); NULL later, and where it
	 * has ended by then (the tail stream). */
	struct cudasim_thread *launcher;
	/* Where a cooperative launch's grid_group::sync() keeps its barrier: memory of the
	 * launch's own, which no allocation holds. NULL and 0 elsewhere. */
	const void *workspace;
	uint64_t workspace_bytes;
};

/* Streams of device code have numbers above this one (cudasim_launch.stream). */
#define CUDASIM_DEVICE_STREAMS (1ull << 32)

/* Where an address lies, found out at run time. */
enum cudasim_space {
	CUDASIM_SPACE_UNKNOWN,
	CUDASIM_SPACE_GLOBAL, /* device, managed and pinned memory, __device__ variables,
	                         * and whatever else is in none of the others */
	CUDASIM_SPACE_SHARED, /* the block's shared window, or another's of its cluster */
	CUDASIM_SPACE_CONSTANT, /* __constant__ variables, kernel parameters */
	CUDASIM_SPACE_LOCAL, /* the thread's own stack */
	CUDASIM_N_SPACES,
};

struct cudasim_access {
	const void *address;
	uint64_t size; /* bytes, 1.. */
	/* Bytes: what a GPU needs the address to be a multiple of. If it is not,
	 * the launch ends with cudaErrorMisalignedAddress after all observers. */
	uint32_t alignment;
	uint32_t what; /* CUDASIM_ACCESS_LOAD, _STORE, _ATOMIC, _VOLATILE */
	enum cudasim_space space; /* where the address lies */
	uint32_t declared_space; /* as the code says: 0 generic, 1 global, 3, 4, 5 */
	enum cudasim_scope scope; /* THREAD for what is not atomic */
	enum cudasim_order order; /* WEAK for what is not atomic */
	enum cudasim_atomic_op op; /* NONE for what is not atomic */
	const struct cudasim_site *site;
};

/* An access that several threads of a block make at one place of the code: see access_lanes(). */
struct cudasim_lanes {
	uint32_t first; /* linear index of lane 0's thread; lane i's is first + i */
	/* Lane i's address is base + i * stride; or, where addresses is not NULL, addresses[i]. */
	const void *base;
	int64_t stride; /* bytes */
	const uint64_t *addresses;
	/* As in struct cudasim_access, the same for all. */
	uint64_t size;
	uint32_t alignment, what, declared_space;
	enum cudasim_space space; /* GLOBAL or SHARED */
	enum cudasim_scope scope;
	enum cudasim_order order;
	enum cudasim_atomic_op op;
	const struct cudasim_site *site;
};

static inline uint64_t cudasim_lane_address(const struct cudasim_lanes *accesses, uint32_t lane)
{
	return accesses->addresses ? accesses->addresses[lane]
				   : (uint64_t)(uintptr_t)accesses->base +
					     (uint64_t)(accesses->stride * (int64_t)lane);
}

/* An access at an address that the code computes from a variable's (an array's index, say),
 * and that leaves the variable, wherever it ends: seen by the watched body itself. */
struct cudasim_bounds {
	struct cudasim_access access;
	const void *variable; /* where it lies for this thread */
	uint64_t variable_bytes;
};

/* A read of a thread's own variable, of which no byte that is read was written since its scope
 * was entered. */
struct cudasim_unwritten {
	const void *address;
	uint64_t size;
	const char *name; /* the variable's; lives as long as the process */
	const struct cudasim_site *site;
};

/* A fence (__threadfence*, cuda::atomic_thread_fence). */
struct cudasim_fence {
	enum cudasim_scope scope;
	enum cudasim_order order;
	const struct cudasim_site *site;
};

/* A function entered or left. */
struct cudasim_call {
	const struct cudasim_site *entry; /* the callee's or returning function's */
	const void *frame; /* its frame address, the same for both events */
	/* Of call_leave: what is returned, as it lies in memory, and its bytes. NULL and 0
	 * for void, and in call_enter. */
	const void *value;
	uint64_t size;
};

enum cudasim_barrier_kind {
	CUDASIM_BARRIER_BLOCK, /* __syncthreads and its variants, bar.sync */
	CUDASIM_BARRIER_CLUSTER, /* cluster.sync */
};
struct cudasim_barrier {
	enum cudasim_barrier_kind kind;
	uint32_t id; /* 0..15 of a block barrier; 0 is __syncthreads' */
	bool arrive_only; /* bar.arrive: the thread does not wait */
	uint32_t n_expected; /* threads */
	uint32_t n_arrived; /* threads, without the one that arrives now; exited
	                      * threads are counted where the hardware counts them */
	uint64_t epoch; /* times this barrier of the block has opened before */
	const struct cudasim_site *site; /* of the arriving or, at open, the last one */
};

/* What was done to an mbarrier (cuda::barrier in shared memory). */
struct cudasim_mbarrier {
	enum cudasim_mbarrier_kind kind;
	const void *address; /* the object's, in a block's shared memory */
	uint32_t count; /* ARRIVE: arrivals; COPIED: bytes; INIT: arrivals of a phase;
	                      * WAITED: 1 if the phase ended while the thread waited, whatever
	                      * has become of the mbarrier since */
	/* As the operation found them (INIT: as it made them): arrivals that the phase still
	 * waited for, and those of later phases. */
	uint32_t pending, expected;
	bool ends; /* ARRIVE, COPIED: this completed the phase */
	const struct cudasim_site *site;
};

enum cudasim_warp_kind {
	CUDASIM_WARP_SYNC, /* __syncwarp */
	CUDASIM_WARP_SHFL, /* sub is CUDASIM_SHFL_* */
	CUDASIM_WARP_VOTE, /* sub is CUDASIM_VOTE_* */
	CUDASIM_WARP_MATCH_ANY,
	CUDASIM_WARP_MATCH_ALL,
	CUDASIM_WARP_REDUX, /* sub is CUDASIM_REDUX_* */
	CUDASIM_WARP_ELECT,
	CUDASIM_WARP_ACTIVEMASK, /* not synchronising in CUDA's memory model */
	CUDASIM_WARP_CONVERGE, /* put in by the compiler; not synchronising either */
	CUDASIM_WARP_MMA, /* mma.sync, wmma.mma; sub is a form of cudasim/mma.h, but 0 of
	                          * cudasim_thread_status() */
};
struct cudasim_warp_op {
	enum cudasim_warp_kind kind;
	uint32_t sub;
	uint32_t mask; /* the lanes named by the program; at meet, those that met */
	const struct cudasim_site *site;
	/* At meet, of a SHFL: the lanes that read from a lane that has not met (it is not in
	 * the mask, or has exited), whose result is undefined. Else 0. */
	uint32_t absent;
};

enum cudasim_memory_kind {
	CUDASIM_MEMORY_DEVICE, /* cudaMalloc and similar calls */
	CUDASIM_MEMORY_MANAGED,
	CUDASIM_MEMORY_HOST, /* pinned or mapped: cudaMallocHost, cudaHostAlloc */
	CUDASIM_MEMORY_REGISTERED, /* cudaHostRegister */
	CUDASIM_MEMORY_HEAP, /* malloc and new in device code */
	CUDASIM_MEMORY_VARIABLE, /* a __device__, __constant__ or __managed__ variable */
};
struct cudasim_memory {
	void *address;
	uint64_t size; /* bytes, as asked for */
	enum cudasim_memory_kind kind;
	int device; /* ordinal, -1 for host memory */
	uint64_t stream; /* of cudaMallocAsync and cudaFreeAsync, else 0 */
	uint64_t id; /* 1.. in order of allocation, 0 where not counted */
	const char *function; /* the CUDA function's name, or the variable's; may be NULL */
	struct cudasim_thread *thread; /* for HEAP, else NULL */
	const struct cudasim_site *site; /* for HEAP, else NULL */
	/* In freed(), of a free in a stream's order (cudaFreeAsync): the operation, as
	 * cudasim_order has it; else 0. */
	uint64_t free_id;
	bool forbidden; /* of a pool of host memory to which no device has access */
};

enum cudasim_copy_kind { CUDASIM_COPY, CUDASIM_SET };
/* A copy or set as it is carried out, in its stream's order. Rows of `width`
 * bytes, `height` rows, `depth` slices; pitches in bytes, 0 where height and
 * depth are 1. */
struct cudasim_copy {
	enum cudasim_copy_kind kind;
	void *to;
	const void *from; /* NULL for sets */
	uint64_t width, height, depth;
	uint64_t to_pitch, from_pitch, to_slice, from_slice;
	uint32_t value, value_bytes; /* of sets */
	int direction; /* a cudaMemcpyKind, resolved: never cudaMemcpyDefault */
	uint64_t stream;
	bool async; /* the call may return before the copy is made */
	uint64_t id; /* the operation's: see cudasim_order */
	uint64_t part_of; /* the operation of CUDASIM_ORDER_WITHIN, 0 for none */
	const char *function; /* the CUDA function's name */
};

enum cudasim_order_kind {
	CUDASIM_ORDER_SUBMIT, /* operation `id` (a launch's, a copy's, a host
	                              * function's) enters `stream` */
	CUDASIM_ORDER_EVENT_RECORD, /* `event` recorded in `stream` */
	CUDASIM_ORDER_STREAM_WAIT, /* later work of `stream` waits for `event` */
	CUDASIM_ORDER_EVENT_SYNC, /* the calling host thread has waited for `event` */
	CUDASIM_ORDER_STREAM_SYNC, /* ... for all of `stream` */
	CUDASIM_ORDER_DEVICE_SYNC, /* ... for all of `device` */
	CUDASIM_ORDER_STREAM_CREATE, /* flags as given to cudaStreamCreateWithFlags */
	CUDASIM_ORDER_STREAM_DESTROY,
	CUDASIM_ORDER_HOST_FUNCTION, /* operation `id`, a host function, begins: what is before it
	                              * is done, and it may tell other threads. On its pthread */
	/* A launch of a graph is a first operation of its stream, nodes, and a last one. */
	CUDASIM_ORDER_NODE_AFTER, /* the node announced next is after operation `after` */
	CUDASIM_ORDER_NODE, /* operation `id`, a node of a graph, enters `stream`: after
	                              * those of NODE_AFTER before it, and nothing else */
	CUDASIM_ORDER_STREAM_AFTER, /* later work of `stream` is after operation `after` */
	CUDASIM_ORDER_WITHIN, /* what this pthread announces from now on is a part of
	                              * operation `id`, a conditional node that chooses while it
	                              * runs; 0: no more */
	/* Device code of launch `launch` asks for operation `id`, in its own `stream` (above
	 * CUDASIM_DEVICE_STREAMS), after those of CHILD_AFTER before it; flags 1: in the tail
	 * stream, after all else of that launch. On the worker's pthread, right before
	 * launch_submit() where it is a launch. */
	CUDASIM_ORDER_CHILD,
	CUDASIM_ORDER_CHILD_AFTER, /* the child announced next is after operation `after`, too */
};
/* The order that the host asks for among operations, announced on the host
 * thread in the order of its calls. */
struct cudasim_order_event {
	enum cudasim_order_kind kind;
	uint32_t device;
	uint32_t flags;
	uint64_t stream, event, id, after;
	uint64_t launch; /* of CHILD and CHILD_AFTER: cudasim_launch.id */
	/* Of CHILD: the launching thread, which stands still; NULL if it has ended (the tail stream). */
	struct cudasim_thread *launcher;
};

/* A call of the CUDA API by the program. */
struct cudasim_api_call {
	const char *name; /* "cudaMalloc"; lives as long as the process */
	int result; /* a cudaError_t; valid in api_leave() */
	uint64_t host_pc; /* return address of the call, 0 where unknown */
	/* The program does not receive the result: a launch by <<<>>>. In api_leave(). */
	bool unseen;
};

enum cudasim_handle_kind {
	CUDASIM_HANDLE_STREAM,
	CUDASIM_HANDLE_EVENT,
	CUDASIM_HANDLE_GRAPH,
	CUDASIM_HANDLE_GRAPH_EXEC,
	CUDASIM_HANDLE_ARRAY,
	CUDASIM_HANDLE_MIPMAPPED_ARRAY,
	CUDASIM_HANDLE_TEXTURE,
	CUDASIM_HANDLE_SURFACE,
	CUDASIM_N_HANDLES,
};
/* A handle that a call has destroyed, or an argument of a call that is not a valid handle (any
 * more). An address may become another object's handle later. */
struct cudasim_handle {
	enum cudasim_handle_kind kind;
	uint64_t value;
	bool destroyed; /* by this call; else it is unknown */
};

enum cudasim_fault_kind {
	CUDASIM_FAULT_ADDRESS, /* illegal address */
	CUDASIM_FAULT_MISALIGNED,
	CUDASIM_FAULT_STACK, /* stack overflow */
	CUDASIM_FAULT_TRAP, /* __trap() */
	CUDASIM_FAULT_ILLEGAL, /* illegal instruction */
	CUDASIM_FAULT_ASSERT,
	CUDASIM_FAULT_TIMEOUT, /* CUDASIM_TIMEOUT has elapsed */
	CUDASIM_FAULT_DEADLOCK, /* no thread can ever run again */
	CUDASIM_FAULT_HEAP, /* device free() of an address that malloc() did not return */
	CUDASIM_FAULT_BARRIER, /* a barrier used against its rules */
	CUDASIM_FAULT_MASK, /* a warp-wide operation whose mask lacks the caller */
};
struct cudasim_fault {
	enum cudasim_fault_kind kind;
	int error; /* the cudaError_t that the launch will end with */
	const void *address; /* for ADDRESS, MISALIGNED, HEAP; else NULL */
	uint64_t pc; /* where known, else 0 */
	const struct cudasim_site *site; /* last one known, or NULL */
	const char *message; /* the text that stderr gets, one or more lines */
};

enum cudasim_severity { CUDASIM_FINDING_ERROR, CUDASIM_FINDING_WARNING, CUDASIM_FINDING_INFO };
/* What a checker has found wrong with the program. */
struct cudasim_finding {
	const char *tool; /* "memcheck"; lives as long as the process, as does kind */
	const char *kind; /* a word: "out-of-bounds" */
	const char *text; /* one or more lines */
	enum cudasim_severity severity;
	uint64_t launch; /* its id, 0 where it is of none */
	const struct cudasim_site *site; /* of the access, or NULL */
	const void *address; /* what it is about, or NULL */
};

/* Why no thread of a launch runs. */
enum cudasim_stall {
	CUDASIM_STALL_HELD, /* all that could run are held by observers, except
	                         * threads that only spin */
	CUDASIM_STALL_DEADLOCK, /* no thread is held, and none can ever run */
	CUDASIM_STALL_SPIN, /* no thread is held; all have waited or spun for seconds; the host or
	                         * another launch may still release them */
};

/* ---- the table ----------------------------------------------------------- */

/* What the callbacks of observer_events.def return. */
#define CUDASIM_RETURNS_VERDICT enum cudasim_verdict
#define CUDASIM_RETURNS_NOTHING void
#define CUDASIM_RETURNS_LANES uint32_t
#define CUDASIM_RETURNS_THREAD struct cudasim_thread *
/* The parameters of an event without their parentheses. */
#define CUDASIM_EVENT_LIST(...) __VA_ARGS__

struct cudasim_observer {
	uint32_t version; /* CUDASIM_OBSERVER_VERSION */
	const char *name; /* for messages, never NULL; unique among observers */
	void *tool; /* the first argument of each callback */

	/* The events to receive of this launch: bits CUDASIM_WANT_*. Called on the host
	 * thread when the launch is submitted. NULL: what the other slots need
	 * (access wants ACCESS without LOCAL, fence FENCE, line LINE, ...). */
	uint32_t (*want)(void *tool, const struct cudasim_launch *launch);
	/* The process ends; or the observer is removed. Last of all events. */
	void (*finish)(void *tool);

	/* A slot for each event of observer_events.def, which describes them:
	 *	RETURNS (*NAME)(void *tool, PARAMETERS); */
#define CUDASIM_EVENT(name, returns, about, wants, parameters, arguments)                          \
	CUDASIM_RETURNS_##returns (*name)(void *tool, CUDASIM_EVENT_LIST parameters);
#include "cudasim/observer_events.def"
};

/* What a tool's shared object exports. Called once, before main(). Returns the
 * tool's table, which must stay as it is until finish(); or NULL after the
 * tool has printed on stderr why it cannot work, which ends the process. */
typedef const struct cudasim_observer *cudasim_observer_init_fn(void);
CUDASIM_EXPORT cudasim_observer_init_fn cudasim_observer_init;

/* Report every later launch to observer, which may be a part of the program
 * itself; tools opened by path need not call this. observer is borrowed until it
 * is removed. Any number may be registered. From any host thread, not from a callback.
 * Errors:
 *   CUDASIM_E_FORMAT    another CUDASIM_OBSERVER_VERSION
 *   CUDASIM_E_TAKEN     another observer has the same name */
CUDASIM_EXPORT struct cudasim_error *cudasim_observer_add(const struct cudasim_observer *observer);

/* End an observer: finish() is called, later launches are not reported to it.
 *   CUDASIM_E_BUSY      a launch that it watches is in flight
 *   CUDASIM_E_NOTFOUND  it was never added */
CUDASIM_EXPORT struct cudasim_error *
cudasim_observer_remove(const struct cudasim_observer *observer);

/* The observer's own pointer in a block, NULL at block_begin(). Itself NULL where
 * observer does not watch the block's launch. It is an element of block->tool, and in each
 * block the same one for as long as observer is registered: a callback that has to be quick
 * may keep its number. */
CUDASIM_EXPORT void **cudasim_block_data(struct cudasim_block *block,
					 const struct cudasim_observer *observer);

#ifdef __cplusplus
}
#endif
#endif
