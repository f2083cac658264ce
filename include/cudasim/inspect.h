/* SPDX-License-Identifier: Apache-2.0 */
/* inspect.h - what a tool may read and do beyond hearing events.
 *
 * Everything here may be called from an observer's callback and from pthreads
 * of the tool's own. What is read of a thread, block or launch is exact while
 * it stands still: inside one of its own events, inside callbacks on the
 * worker's stack under CUDASIM_WANT_ORDERED, and for held threads. Otherwise
 * it is a snapshot that may be outdated when the call returns, and the pointer
 * must be known to live (see observer.h). */
#ifndef CUDASIM_INSPECT_H
#define CUDASIM_INSPECT_H

#include <sys/types.h>

#include "cudasim/observer.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- modules and sites --------------------------------------------------- */

/* Registered modules, in order of registration. *ret is an array of *n, valid
 * until the next module registers. */
CUDASIM_EXPORT void cudasim_modules(const struct cudasim_module *const **ret, size_t *n);

/* The module that the site belongs to, or NULL. */
CUDASIM_EXPORT const struct cudasim_module *cudasim_site_module(const struct cudasim_site *site);

/* Arm or disarm a site for observer: line() is called when a thread comes
 * there, in launches that run watched bodies. Sites of the kind LINE can be
 * armed; others return CUDASIM_E_ARGUMENT. The LINE sites of a function are
 * in code order: for a breakpoint at a line arm its first one in each function.
 * Takes effect at once, also in launches in flight. From any pthread. */
CUDASIM_EXPORT struct cudasim_error *cudasim_site_arm(const struct cudasim_observer *observer,
						      const struct cudasim_site *site, bool on);

/* ---- devices --------------------------------------------------------------- */

/* A simulated device, as cudaGetDeviceProperties() describes it. */
struct cudasim_device {
	const char *name;          /* "NVIDIA H200"; lives as long as the process */
	uint32_t ordinal;
	uint32_t major, minor;     /* compute capability */
	uint32_t n_sms;
	uint32_t n_warps_per_sm;   /* at most in flight */
	uint32_t n_registers;      /* of one thread, at most */
	uint32_t pci_bus, pci_device;
	bool active;               /* the program has used it: its context exists */
};
/* Device `ordinal`; false where the program does not see so many. */
CUDASIM_EXPORT bool cudasim_device_describe(uint32_t ordinal, struct cudasim_device *ret);

/* ---- launches and blocks ------------------------------------------------- */

/* Launches that have reached the front of their stream and have not ended, oldest
 * first: writes up to max to ret and returns how many there are. */
CUDASIM_EXPORT size_t cudasim_launches(struct cudasim_launch **ret, size_t max);

/* Change the events that observer receives of a launch in flight, from now on. Only the bits
 * of abi.h can be added after the launch was submitted, and those only where it
 * runs watched bodies; and CHOOSE, where the launch is ordered. From any pthread.
 * CUDASIM_E_ARGUMENT with the reason. */
CUDASIM_EXPORT struct cudasim_error *cudasim_launch_want(const struct cudasim_observer *observer,
							 struct cudasim_launch *launch,
							 uint32_t want);

/* Of this thread, or of this block's threads that begin from now on and those that have begun,
 * observer needs only these of the events that it wants of the launch (bits of abi.h), so that
 * the code announces no others, as far as nobody else wants them. More may be told all the same,
 * and all are again once anybody's wants have changed. For blocks in flight and threads that have
 * begun, from events of their launch. */
CUDASIM_EXPORT void cudasim_block_want(const struct cudasim_observer *observer,
				       struct cudasim_block *block, uint32_t want);
CUDASIM_EXPORT void cudasim_thread_want(const struct cudasim_observer *observer,
					struct cudasim_thread *thread, uint32_t want);

/* End a launch with cudaErrorLaunchFailure as soon as its threads can be
 * stopped; held ones count as stopped. From any pthread. */
CUDASIM_EXPORT void cudasim_launch_abort(struct cudasim_launch *launch);

/* Limit the blocks of the launch that are in flight at a time (0: as many as the device
 * can hold). More than one are in flight only while
 * the others cannot continue. */
CUDASIM_EXPORT void cudasim_launch_limit(struct cudasim_launch *launch, uint64_t n_blocks);

/* Start up to n more blocks of an ordered launch, as far as its limit allows; they
 * are in cudasim_blocks() then, block_begin() has been called, and none of their
 * threads has moved. Returns how many. From held(), stalled() and choose() only. */
CUDASIM_EXPORT uint32_t cudasim_launch_begin_blocks(struct cudasim_launch *launch, uint32_t n);

/* Whether the host's launching calls return only when the kernel is over, as with
 * CUDA_LAUNCH_BLOCKING=1, which is the value before the first call of this. */
CUDASIM_EXPORT void cudasim_launch_blocking(bool on);

/* A copy of the process as it is now, for a tool that wants to come back to this moment: as fork(),
 * but the device stays usable in the copy. There the calling pthread is the only one: what the
 * worker that calls this does to an ordered launch can go on, the host's code cannot, though its
 * memory can be read. Returns 0 in the copy, in the calling process the copy's number, or -1 with
 * errno: EOPNOTSUPP once the program has had memory that several mappings share (cuMemCreate(),
 * IPC), which a copy would share, too. From events of an ordered launch, on its worker. */
CUDASIM_EXPORT pid_t cudasim_fork(void);

/* While on, clock64(), %globaltimer and their like count what the worker does, as they do under
 * CUDASIM_SCHEDULE, so that a launch that is carried out again reads the same. From any
 * pthread. */
CUDASIM_EXPORT void cudasim_clock_repeatable(bool on);

/* While on, the time of CUDASIM_TIMEOUT stands still, as in a debugger's prompt. From any
 * pthread. */
CUDASIM_EXPORT void cudasim_timeout_hold(bool on);

enum cudasim_block_state {
	CUDASIM_BLOCK_WAITING, /* not begun */
	CUDASIM_BLOCK_RUNNING,
	CUDASIM_BLOCK_DONE,
};
/* State of a block by its linear index (x + grid.x * (y + grid.y * z)); *ret is
 * the block where it is running, else NULL. ret may be NULL. */
CUDASIM_EXPORT enum cudasim_block_state
cudasim_block_state(struct cudasim_launch *launch, uint64_t index, struct cudasim_block **ret);

/* Blocks of the launch in flight, by ascending index: writes up to max to ret
 * and returns how many there are. */
CUDASIM_EXPORT size_t cudasim_blocks(struct cudasim_launch *launch, struct cudasim_block **ret,
				     size_t max);

/* Number of threads of the block, and one of them by linear index; NULL where
 * linear is beyond the last. A thread that has not begun has no stack yet, but
 * its indices can be read. */
static inline uint32_t cudasim_block_size(const struct cudasim_block *block)
{
	return block->ntid[0] * block->ntid[1] * block->ntid[2];
}
static inline uint64_t cudasim_block_index(const struct cudasim_block *block)
{
	return block->ctaid[0] +
	       (uint64_t)block->nctaid[0] *
		       (block->ctaid[1] + (uint64_t)block->nctaid[1] * block->ctaid[2]);
}
CUDASIM_EXPORT struct cudasim_thread *cudasim_block_thread(struct cudasim_block *block,
							   uint32_t linear);

/* How often threads of the block have gone on after giving way in a loop: where one is in a launch is
 * known by this, by the back-edges that it has left (fuel) and by its place in the code. */
CUDASIM_EXPORT uint64_t cudasim_block_turns(const struct cudasim_block *block);

/* The state of a block barrier; false if no thread has arrived since it
 * opened last. id in 0..15. */
CUDASIM_EXPORT bool cudasim_block_barrier(struct cudasim_block *block, uint32_t id,
					  struct cudasim_barrier *ret);

/* What threads of the block wait for, as text: a line for threads with the same state, with the
 * place, the arrivals, and the missing threads at a barrier, a warp operation or an mbarrier
 * (cuda::barrier is one). malloc'ed; "" if no thread waits, NULL if out of memory. The block
 * has to stand still. */
CUDASIM_EXPORT char *cudasim_block_waits(const struct cudasim_block *block);

/* ---- threads ------------------------------------------------------------- */

enum cudasim_thread_state {
	CUDASIM_THREAD_WAITING, /* not begun */
	CUDASIM_THREAD_READY, /* could run */
	CUDASIM_THREAD_RUNNING,
	CUDASIM_THREAD_BARRIER, /* waits at a barrier */
	CUDASIM_THREAD_WARP, /* waits at a warp operation */
	CUDASIM_THREAD_SLEEPING, /* nanosleep */
	CUDASIM_THREAD_EXITED,
	CUDASIM_THREAD_FAULTED, /* the one that fault() was called for */
};
struct cudasim_thread_status {
	enum cudasim_thread_state state;
	uint32_t holds; /* times it is held; runs only at 0 */
	const struct cudasim_site *site; /* where it waits, or the last one announced; or NULL */
	struct cudasim_barrier barrier; /* where state is BARRIER */
	struct cudasim_warp_op warp; /* where state is WARP */
	uint64_t pc; /* of the innermost device frame, 0 where not known */
	uint64_t frame; /* its frame pointer, 0 where not known */
	const void *mbarrier; /* whose phase it waits for; NULL: none */
};
CUDASIM_EXPORT void cudasim_thread_status(struct cudasim_thread *thread,
					  struct cudasim_thread_status *ret);

/* Lanes of a warp, as masks: what each of them can do, without asking thread by
 * thread. A lane that is in none of these but in `live` waits at a barrier or warp
 * operation. */
struct cudasim_warp_lanes {
	uint32_t live; /* have not exited */
	uint32_t active; /* could run, or run; also those that have not begun */
	uint32_t yielded; /* could run, but yielded in this round (at a back-edge, asleep) */
	uint32_t spinning; /* of the yielded: with nothing done since they yielded before */
	uint32_t converging; /* wait until no other lane of the warp can run */
	uint32_t met; /* returned MEET and were not released */
	uint32_t held;
};
/* warp is below the block's number of warps. */
CUDASIM_EXPORT void cudasim_warp_lanes(struct cudasim_block *block, uint32_t warp,
				       struct cudasim_warp_lanes *ret);

/* Release lanes that wait since a MEET. From callbacks on the worker's stack only. */
CUDASIM_EXPORT void cudasim_warp_release(struct cudasim_block *block, uint32_t warp,
					 uint32_t lanes);

/* Hold a thread: it does not run until it was resumed as often as it was held.
 * The calling thread's own hold takes effect when the callback returns, just as
 * the verdict CUDASIM_HOLD does. From any pthread. */
CUDASIM_EXPORT void cudasim_thread_hold(struct cudasim_thread *thread);
CUDASIM_EXPORT void cudasim_thread_resume(struct cudasim_thread *thread);

/* A frame of a thread that stands still, or of the calling thread itself. */
struct cudasim_frame {
	uint64_t pc; /* return address in outer frames: look up pc - 1 there */
	uint64_t frame; /* frame pointer: what DWARF's DW_OP_fbreg counts from (rbp) */
	bool exact; /* innermost: pc is the next instruction itself */
};
/* Frames of device code, innermost first, up to max; returns how many there
 * are. Found by frame pointers, which watched bodies keep; of a plain body only
 * the innermost frame's pc is given. 0 for threads that have not begun. */
CUDASIM_EXPORT size_t cudasim_thread_frames(struct cudasim_thread *thread,
					    struct cudasim_frame *ret, size_t max);

/* For a tool that stops a thread in a signal handler of its own, on the thread's
 * pthread: where it was interrupted (program counter, frame pointer, stack pointer).
 * cudasim_thread_frames() and cudasim_thread_status() begin there, on any pthread, until
 * this is called with pc 0, which has to be before the handler returns. */
CUDASIM_EXPORT void cudasim_thread_interrupted(struct cudasim_thread *thread, uint64_t pc,
					       uint64_t frame, uint64_t sp);

/* The thread's stack: all of it (low is inclusive, high exclusive), and the
 * lowest address in use (exact while it stands still). All 0 for threads that
 * have no stack. The same addresses serve other threads later. */
CUDASIM_EXPORT void cudasim_thread_stack(struct cudasim_thread *thread, uint64_t *low,
					 uint64_t *high, uint64_t *used);

/* Make device functions that the tool calls run as this thread (for device
 * code called from a debugger's expressions); what that call has returned, to end.
 * Returns the thread before. The thread must stand still. Until the end its events are not reported;
 * waiting, printing, allocating, a trap or a misaligned access raises SIGSYS on
 * the calling pthread, whose handler must not return (siglongjmp). */
CUDASIM_EXPORT struct cudasim_thread *cudasim_self_swap(struct cudasim_thread *thread);

/* Protects a tool's own calls on a worker: handler is called
 * first for SIGSEGV, SIGBUS, SIGFPE and SIGILL, in the signal's handler, and for the SIGSYS
 * above, before it is raised. It leaves by siglongjmp() if the tool's call has failed,
 * and returns otherwise. One handler per process. */
typedef void cudasim_guard_fn(int number, const void *address);
CUDASIM_EXPORT void cudasim_call_guard(cudasim_guard_fn *handler);

/* ---- findings ------------------------------------------------------------ */

/* A checker has found something in an event of thread (or, with NULL, elsewhere): count it
 * for cudasim/check.h and report it to all observers with a finding(). The checker's callback
 * returns the verdict. */
CUDASIM_EXPORT enum cudasim_verdict cudasim_finding_tell(struct cudasim_thread *thread,
							 const struct cudasim_finding *finding);

/* Checkers are active in this process: cudasim/check.h counts from now on. */
CUDASIM_EXPORT void cudasim_finding_checked(void);

/* ---- memory and variables ------------------------------------------------ */

/* The allocation or variable that contains address; if none does, the nearest
 * within 1 MiB, with *inside false. Returns false if there is none. *freed:
 * address is in memory that was freed and not reused; *ret is what it was. Blocks of the
 * device heap are not told apart. From any pthread; takes a lock. */
CUDASIM_EXPORT bool cudasim_memory_find(const void *address, struct cudasim_memory *ret,
					bool *inside, bool *freed);

enum cudasim_channel { CUDASIM_CHANNEL_UNSIGNED, CUDASIM_CHANNEL_SIGNED, CUDASIM_CHANNEL_FLOAT };
/* Texels of a CUDA array, or of what a texture or surface object reads, as they lie in memory. */
struct cudasim_image {
	const void *base;
	uint32_t width, height, depth; /* texels, at least 1; depth counts layers or faces, too */
	uint64_t pitch, slice; /* bytes from one row, or slice, to the next */
	uint32_t n_levels; /* of detail */
	uint32_t bits, n_channels; /* bits of a channel; 1, 2 or 4 channels */
	enum cudasim_channel channel;
	bool is_surface;
};
/* A texture or surface object by its handle, and one of its levels; false if there is none. From
 * any pthread. */
CUDASIM_EXPORT bool cudasim_image_find(uint64_t handle, uint32_t level, struct cudasim_image *ret);
/* A CUDA array by its handle, a cudaArray_t. */
CUDASIM_EXPORT bool cudasim_array_describe(const void *array, struct cudasim_image *ret);

/* Whether address lies where device, managed and pinned memory is allocated, be it allocated,
 * freed or between allocations: whether a store there hits CUDA's memory or the host's. Variables
 * and registered memory lie in the host's. From any pthread; takes a lock. */
CUDASIM_EXPORT bool cudasim_memory_is_cuda(const void *address);

/* A __device__, __constant__ or __managed__ variable by its mangled or
 * demangled name, in one module or (NULL) in any: where its instance of the
 * device lies, and its entry. CUDASIM_E_NOTFOUND, CUDASIM_E_ARGUMENT (device). */
CUDASIM_EXPORT struct cudasim_error *cudasim_variable_find(const struct cudasim_module *module,
							   const char *name, uint32_t device,
							   void **address,
							   const struct cudasim_variable **ret);

/* In api_leave() of a call that fails, on its thread: the reason in words, if one is known
 * that is more specific than the error; else NULL. Until the thread's next call. */
CUDASIM_EXPORT const char *cudasim_api_reason(void);

/* From now on keep at least `padding` bytes free behind each allocation of device, managed
 * and pinned memory, and reuse freed memory only when `quarantine` bytes of newer
 * freed memory wait, or when no other is left. cudaMemGetInfo() counts neither
 * the quarantine nor the padding of small allocations as used. */
CUDASIM_EXPORT void cudasim_memory_apart(uint64_t padding, uint64_t quarantine);

/* ---- who wrote last ------------------------------------------------------ */

/* The last write to a byte that a tool has seen. */
struct cudasim_last_write {
	bool written; /* false: not written since the memory was allocated */
	const char *function; /* of a copy or set the CUDA function's name, else NULL */
	const struct cudasim_site *site; /* of a thread's write, and the rest, too */
	uint64_t launch; /* struct cudasim_launch.id */
	uint32_t ctaid[3], tid[3];
};
/* block: whose shared memory may contain the address, or NULL. False if the tool does not
 * know. From any pthread, while threads run or stand still. */
typedef bool cudasim_last_write_fn(const struct cudasim_block *block, const void *address,
				   struct cudasim_last_write *ret);
/* A tool that will call cudasim_last_write() announces it when opened: writes are then recorded. */
CUDASIM_EXPORT void cudasim_last_write_want(void);
CUDASIM_EXPORT bool cudasim_last_write_wanted(void);
/* The tool that records writes; one per process. */
CUDASIM_EXPORT void cudasim_last_write_handle(cudasim_last_write_fn *handler);
/* Calls the handler. False also if there is none. */
CUDASIM_EXPORT bool cudasim_last_write(const struct cudasim_block *block, const void *address,
				       struct cudasim_last_write *ret);

/* ---- memory that the host may not access --------------------------------- */

/* Host code has accessed memory that is protected (mprotect()) from it: by the tool that
 * handles touches or by cudasim_device_memory_close(). Called in the signal's handler, on
 * the accessing thread. True: the memory is accessible now, repeat the access. False: the
 * signal has another cause. pc: of the instruction. */
typedef bool cudasim_touch_fn(const void *address, bool write, uint64_t pc);
/* One handler per process. */
CUDASIM_EXPORT void cudasim_touch_handle(cudasim_touch_fn *handler);

/* Wait until all devices are idle, at most ns nanoseconds. False if that took
 * longer, and at once in a host function. Not on a CUDA thread. */
CUDASIM_EXPORT bool cudasim_wait_idle(uint64_t ns);

/* Protect all memory of the devices from the host, or end that; returns its bytes. Only
 * while all devices are idle and no thread is in a call of the CUDA API. */
CUDASIM_EXPORT uint64_t cudasim_device_memory_close(bool closed);

/* Space of an address as thread's device code would see it. */
CUDASIM_EXPORT enum cudasim_space cudasim_space_of(struct cudasim_thread *thread,
						   const void *address);

/* Reads or writes n bytes of the program's memory, host's or device's, without a fault if
 * it is not mapped: returns how many bytes could be read or written. */
CUDASIM_EXPORT size_t cudasim_memory_read(const void *address, void *to, size_t n);
CUDASIM_EXPORT size_t cudasim_memory_write(void *address, const void *from, size_t n);

#ifdef __cplusplus
}
#endif
#endif
