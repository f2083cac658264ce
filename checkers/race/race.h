/* SPDX-License-Identifier: Apache-2.0 */
/* race.h - the race checker's parts, and how they fit together.
 *
 * A race is two accesses to the same bytes, at least one of them a write, not
 * both atomic (or atomic, but with a scope that does not include the other
 * thread), neither ordered before the other by CUDA's memory model (PTX ISA,
 * "Memory Consistency Model"). What happened to come first does not matter: an
 * access is compared with those before it by what orders them, never by time.
 *
 * What orders accesses, from the cheapest question to the dearest:
 *   - one thread's program order;
 *   - __syncthreads(): the block's *epoch*, the number of its full barriers;
 *   - __syncwarp(): the warp's *sequence number*, which its synchronisations and
 *     releases move on, and what each lane knows of the others' numbers;
 *   - the order of launches: streams, events, host synchronisation (race_order.c);
 *   - release and acquire through memory (race_sync.c), but for what only the order of
 *     critical sections makes of it (race_lock.c).
 *
 * An access is known by its *segment*: the piece of one warp's run between two
 * moves of epoch or sequence number (race_segment.c), by its lane and by its
 * site. Each word of memory has a cell with the last plain write, two atomic
 * accesses and two plain reads, which stand for all there were (race_cell.h,
 * race_shadow.c).
 * The idea to keep as few representatives as the hierarchy of threads allows is
 * that of HiRace (Jacobson et al., SC'24); that of comparing by what orders, not
 * by time, and of replacing what a later access dominates, is FastTrack's
 * (Flanagan and Freund, PLDI'09). */
#ifndef CUDASIM_CHECKERS_RACE_H
#define CUDASIM_CHECKERS_RACE_H

#include <pthread.h>
#include <stdatomic.h>

#include "checker.h"
#include "must.h"
#include "race_cell.h"
#include "shadow.h"

struct sync_log;

/* ---- who accesses --------------------------------------------------------- */

/* The order of the host's operations: for each stream (by dense index) the number of
 * its operations that are before. Absent ones are 0. */
struct race_clock {
	uint32_t *n;
	uint32_t n_streams;
};

/* A launch. Never freed: segments name it by its index. */
struct race_launch {
	uint32_t index;
	uint64_t id;
	const struct cudasim_kernel *kernel;
	const struct cudasim_launch *launch; /* NULL once it has ended */
	uint32_t stream, number; /* its place in its stream: clock entries >= number are after it */
	struct race_clock before; /* the operations before it */
	/* Segments below this are ordered before all of this launch. */
	_Atomic uint32_t floor;
	uint32_t first_segment; /* none of its own is below; 0 until it begins */
	uint64_t grid[3], ntid[3];
	/* Of a launch from device code; NULL else. Its place in the host's order is its
	 * parent's, as the host has waited for both or for neither. */
	struct race_launch *parent;
	uint32_t depth; /* launches above it */
	uint32_t child_stream, child_number; /* its place among its parent's children */
	struct race_clock child_before; /* which of those are before it */
	bool tail; /* all of its parent is before it, too */
	struct race_point *point; /* where it was made; NULL for the tail stream */
	struct race_family *family; /* its own children's order, or NULL */
	bool begun;
	_Atomic bool beside; /* another one was in flight at the same time, unordered */
	/* Of the copies as they were in state number `copies >> 1` (race_copy_state): bit 0 says
	 * that there is one that this launch is not ordered with. */
	_Atomic uint64_t copies;
	/* It may synchronise with the host through memory: a fence or an atomic of the system's
	 * scope, or a volatile access to global memory. */
	_Atomic bool talks;
};

/* Where in its parent a launch was made: what is before it there. */
struct race_point {
	uint32_t block, epoch, sequence, known_all;
	uint32_t segment; /* none that is made later is below */
	uint16_t warp;
	uint8_t lane;
	bool synchronises; /* the thread has acquired what others released */
	bool has_known;
	uint32_t known[32];
};

/* An asynchronous copy or set that the host has not waited for. */
struct race_copy {
	uint64_t to, to_end, from, from_end; /* from is 0 for sets */
	const char *function;
};

/* A piece of a warp's run. */
struct race_segment {
	uint32_t block; /* race_block.id */
	uint32_t epoch; /* of the block */
	uint32_t sequence; /* of the warp */
	uint16_t warp;
};

/* What a block's identity is kept as: blocks end, segments name them for longer. */
struct race_block_name {
	uint64_t index; /* linear, in the grid */
	uint32_t launch; /* race_launch.index */
};

/* Logs that a thread has acquired from, and how far. */
struct race_known {
	struct {
		struct sync_log *log;
		uint32_t length; /* its first so many entries are known, */
		uint32_t joined; /* of those that critical sections made, up to this section */
		bool block_only; /* only what the same block released */
	} *items;
	uint32_t n, max;
};

/* A lock that a thread may have taken: a compare-and-swap that awaits its fence, or an
 * exchange. */
struct race_taken {
	uint64_t location;
	uint8_t size; /* bytes of it */
	uint8_t scope; /* enum race_scope of the operation */
	uint8_t fenced; /* of the widest fence since, RACE_PLAIN for none */
	bool used; /* plain accesses came since */
	bool judged; /* whether it was taken is known: log says so */
	uint32_t sequence; /* of the warp where those begin */
	uint64_t before; /* the location's value */
	/* Of one that is held (race_lock.c); NULL for others. */
	struct sync_log *log;
	uint64_t mine; /* the location's value since */
	bool block_only; /* as far as what was released is known */
	bool joined; /* all sections before are known: this one's release is no lock's */
	uint32_t from; /* of the warp's sequence, where it begins */
	uint32_t length, n_done; /* the log's, then */
	uint32_t section; /* its number */
};

enum { RACE_MAX_TAKEN = 4 };

/* Of a thread that fences or synchronises through memory. */
struct race_thread {
	/* At its last fence of block scope and of device scope: its warp's next sequence
	 * number (0: never), its block's epoch, and what all lanes knew. */
	struct race_fence {
		uint32_t sequence, epoch, known_all;
	} fence[2];
	uint64_t pending; /* location of a strong read just made: acquire at the next event */
	uint64_t pending_before; /* its value then, where it may be a lock that is taken: */
	bool pending_takes;
	uint8_t pending_size;
	uint8_t pending_scope;
	uint8_t n_taken;
	uint8_t n_held; /* of those taken */
	uint8_t n_doubts;
	struct race_taken taken[RACE_MAX_TAKEN];
	/* Releases just made that hold less if `doubted` has the value `before` then. */
	struct {
		struct sync_log *log;
		uint32_t entry, sequence;
	} doubt[2];
	uint64_t doubted;
	uint8_t doubted_size;
	uint64_t before;
	/* A lock just released, if it has its old value again; log is NULL for none. */
	struct {
		struct race_taken lock;
		uint32_t first, end, n_free; /* entries of the release; the log's n_free */
	} released;
	struct race_known known;
};

struct race_warp {
	uint32_t segment; /* 0: to be made at the next access */
	uint32_t sequence;
	uint32_t known_all; /* numbers below are known to all lanes */
	uint32_t (*known)
		[32]; /* [of whom][who]: numbers below are known; NULL where nobody differs */
};

/* Block data: cudasim_block_data(). All its events come from one pthread. */
struct race_block {
	uint32_t id;
	uint32_t epoch;
	uint32_t n_warps, n_threads;
	struct race_chunk *chunk; /* of the pthread that began it */
	uint32_t first_segment; /* of the chunk's, when the block began */
	uint32_t released; /* epochs below were fenced by all who wrote (device scope) */
	bool fenced; /* somebody fenced in this epoch */
	struct race_launch *launch;
	struct cudasim_block *block;
	struct race_hot *shared; /* [n_shared], as many struct race_cold behind them, and rows */
	size_t n_shared;
	/* Of this block's segments, those below are of epochs before this one. */
	uint32_t epoch_first;
	struct race_thread *threads; /* [n_threads], NULL until needed */
	struct race_known known; /* known to all threads since a barrier */
	uint32_t n_known; /* threads whose own `known` is not empty */
	uint32_t n_held; /* locks that threads hold */
	struct sync_log *named[16]; /* of barriers for some of the threads */
	/* [16]: the warp's sequence number at the thread's arrival, times two, and one more
	 * where it waits; 0 for others. NULL until needed. */
	uint32_t (*arrived)[1024];
	struct race_pending
		*pending; /* [n_threads]: stores whose value decides; NULL until needed */
	struct race_warp warps[32];
	uint8_t dirty[1024]; /* wrote to global memory since its last device fence */
};

/* An access that is being checked. */
struct race_me {
	struct race_block *block;
	struct race_warp *warp;
	struct cudasim_thread *thread;
	const struct cudasim_access *access;
	struct race_record record;
	uint32_t floor;
};

/* ---- race_segment.c ------------------------------------------------------- */

void race_segment_start(void);
extern struct race_segment *race_segments;
static inline const struct race_segment *race_segment(uint32_t id)
{
	return &race_segments[id];
}
const struct race_block_name *race_block_name(uint32_t block);
struct race_launch *race_launch_at(uint32_t index);
/* Registers a launch; sets its index. */
void race_launch_add(struct race_launch *launch);
/* A new block of the launch, begun by this pthread: its id, and where its segments' numbers
 * come from. */
struct race_chunk;
uint32_t race_block_new(const struct race_launch *launch, uint64_t index,
			struct race_chunk **chunk);
/* The segment of the warp as it stands now, made if need be. */
uint32_t race_segment_now(struct race_block *block, uint32_t warp);
/* No segment that any pthread makes from now on is below this; for the calling pthread
 * also: none that it made before is at or above it. */
uint32_t race_segment_next(void);
/* Nobody will ask for segments below this: whole OS pages of them are given back, those
 * below race_segment_gone() in all. Not from several pthreads at a time. */
void race_segment_release(uint32_t below);
extern _Atomic uint32_t race_segment_kept;
static inline uint32_t race_segment_gone(void)
{
	return atomic_load_explicit(&race_segment_kept, memory_order_relaxed);
}
static inline bool race_segment_released(uint32_t id)
{
	return id < race_segment_gone();
}
/* The block's next segment's id. */
uint32_t race_segment_own_next(const struct race_block *block);
/* The index of a site, 0 where it has none; and back. */
uint32_t race_site_find(const struct cudasim_site *site);
struct race_site_range {
	const struct cudasim_site *first;
	uint64_t bytes;
	uint32_t base;
};
/* The module that was asked for last. */
extern _Thread_local struct race_site_range race_site_last
	__attribute__((tls_model("initial-exec")));
static inline uint32_t race_site(const struct cudasim_site *site)
{
	uint64_t at = (uint64_t)((uintptr_t)site - (uintptr_t)race_site_last.first);
	if (__builtin_expect(at < race_site_last.bytes, 1))
		return race_site_last.base + (uint32_t)at / (uint32_t)sizeof *site;
	return race_site_find(site);
}
const struct cudasim_site *race_site_at(uint32_t index);

/* ---- race_order.c --------------------------------------------------------- */

void race_order_event(const struct cudasim_order_event *event);
/* On the host thread, in launch_submit(): a launch of the operation submitted last. */
struct race_launch *race_order_launch(const struct cudasim_launch *launch);
/* Its turn has come: sets floor. */
void race_order_begin(struct race_launch *launch);
void race_order_end(struct race_launch *launch);
struct race_launch *race_order_find(const struct cudasim_launch *launch);
/* Whether all of a is before all of b. */
bool race_order_before(const struct race_launch *a, const struct race_launch *b);
/* Whether the segment's lane, of launch a, is before all of b. */
bool race_order_before_child(const struct race_launch *a, uint32_t segment, uint32_t lane,
			     const struct race_launch *b);
/* race_family.c: device code's launches, under race_order.c's lock. */
void race_family_event(const struct cudasim_order_event *event, struct race_launch *parent);
/* Give the launch its place, if it was announced last on this pthread as the parent's. */
void race_family_launch(struct race_launch *launch, struct race_launch *parent);
/* The copy or set `id` as if it were a launch, that has no index: its place among the parent's
 * children. NULL where it is none of them. */
struct race_launch *race_family_copy(struct race_launch *parent, uint64_t id);
void race_clock_join(struct race_clock *to, const struct race_clock *from);
void race_clock_set(struct race_clock *clock, uint32_t stream, uint32_t n);
void race_clock_drop(struct race_clock *clock);
static inline uint32_t race_clock_at(const struct race_clock *clock, uint32_t stream)
{
	return stream < clock->n_streams ? clock->n[stream] : 0;
}
/* Whether the host has waited for the launch. */
bool race_order_waited(const struct race_launch *launch);
/* Are there launches that the host has not waited for, and that do not talk to it? */
bool race_order_any_open(void);
/* ---- race_copy.c ---------------------------------------------------------- */

/* A copy is carried out. */
void race_copy_made(const struct cudasim_copy *copy);
/* Memory is freed by an operation of a stream (free_id): as if it were written. */
void race_copy_freed(const struct cudasim_memory *memory);
/* Memory is allocated: frees of what was there before are forgotten. */
void race_copy_allocated(const struct cudasim_memory *memory);
/* Whether copies are there that this launch is not ordered with: then each of its
 * accesses to global memory goes through race_copy_access(). */
extern _Atomic uint64_t race_copy_state; /* 1.., another one after each change of the copies */
bool race_copy_look(struct race_launch *launch);
static inline bool race_copy_beside(struct race_launch *launch)
{
	uint64_t seen = atomic_load_explicit(&launch->copies, memory_order_acquire);
	if (__builtin_expect(
		    seen >> 1 == atomic_load_explicit(&race_copy_state, memory_order_acquire), 1))
		return seen & 1;
	return race_copy_look(launch);
}
void race_copy_access(const struct race_me *me);
/* Are there copies that the host has not waited for? */
bool race_copy_any(void);
/* Each copy of one row that was carried out and that the host has not waited for. */
void race_copy_each(void (*each)(void *data, const struct race_copy *copy), void *data);

/* ---- racecheck.c ---------------------------------------------------------- */

/* The block's, NULL where it is not checked. */
struct race_block *race_block_of(struct cudasim_block *block);
enum cudasim_verdict race_access(struct race_block *block, struct cudasim_thread *thread,
				 const struct cudasim_access *access, struct shadow_page *page);

/* The cell of the word at address will be looked at soon. */
static inline void race_prefetch(const struct shadow_page *page, uint64_t address)
{
	uint32_t i = (uint32_t)(address & (SHADOW_PAGE_BYTES - 1)) / 4;
	__builtin_prefetch(&page->body->hot[i], 1);
}

/* ---- race_shadow.c -------------------------------------------------------- */

/* Check the access and enter it. */
void race_shadow_access(struct race_me *me);
/* The bytes belong to a new allocation: nobody has accessed them. */
void race_shadow_forget(const void *address, uint64_t size);
/* Each recorded access to the bytes, in ascending order of words, until it answers false.
 * Returns the words that were looked at. */
uint64_t race_shadow_each(const void *address, uint64_t size, bool writes_only,
			  bool (*each)(void *data, struct race_record record, uint64_t address),
			  void *data);
struct race_hot *race_shadow_block(size_t n_cells);
void race_shadow_block_end(struct race_hot *cells, size_t n_cells);

/* ---- race_quick.c --------------------------------------------------------- */

/* The same for what is common. page is the access's, NULL for shared memory. False: nothing was done. */
/* race_lanes.c: the lanes (a mask) for which the accesses, all within the
 * page, or (NULL) in the block's shared memory, are not entered yet: race_access() has to look at
 * them. */
uint32_t race_lanes(struct race_block *block, uint32_t lanes, const struct cudasim_lanes *accesses,
		    struct shadow_page *page);
/* The thread's last store is made. */
void race_lane_stored(struct race_block *block, struct cudasim_thread *thread);
bool race_shadow_quick(struct race_block *block, const struct cudasim_thread *thread,
		       const struct cudasim_access *access, struct shadow_page *page);

/* ---- race_sync.c ---------------------------------------------------------- */

/* The value of a location of size bytes, at most 8 of them. */
uint64_t race_lock_value(uint64_t location, uint8_t size);
extern _Atomic bool race_sync_active; /* somebody has fenced or released */
/* Before an access of a thread that may synchronise: what it had pending. */
void race_sync_settle(struct race_block *block, struct cudasim_thread *thread);
void race_sync_strong(struct race_me *me, bool reads, bool writes);
void race_sync_plain(struct race_me *me);
void race_sync_fence(struct race_block *block, struct cudasim_thread *thread,
		     const struct cudasim_fence *fence);
void race_sync_barrier(struct race_block *block);
void race_sync_arrive(struct race_block *block, const struct cudasim_thread *thread, uint32_t id,
		      bool waits);
void race_sync_named(struct race_block *block, uint32_t id);
void race_sync_cluster(struct race_block *const *blocks, uint32_t n);
void race_sync_warp(struct race_block *block, uint32_t warp, uint32_t mask);
void race_sync_block_end(struct race_block *block);
/* Whether the access may take a lock: its result is to be known. */
static inline bool race_sync_takes(const struct cudasim_access *access)
{
	return access->op == CUDASIM_ATOMIC_CAS ||
	       (access->op == CUDASIM_ATOMIC_XCHG &&
		!race_lock_value((uint64_t)(uintptr_t)access->address, (uint8_t)access->size));
}

/* ---- race_lock.c ---------------------------------------------------------- */

/* A thread that holds locks accesses memory. */
void race_lock_touch(const struct race_me *me, bool reads, bool writes);
/* Whether the segment's lane held a lock then that me holds. */
bool race_lock_protects(const struct race_me *me, uint32_t segment, uint32_t lane);

/* ---- race_log.c ----------------------------------------------------------- */

void race_sync_start(void);
/* Whether me knows of what the segment's lane did, through memory. */
bool race_sync_knows(const struct race_me *me, uint32_t segment, uint32_t lane);
/* Whether it would, had each who took a lock learnt what those before did under it. */
bool race_sync_happened(const struct race_me *me, uint32_t segment, uint32_t lane);
/* Nothing runs: what was synchronised before is forgotten. */
void race_sync_reset(void);

/* ---- race_report.c -------------------------------------------------------- */

/* me and an earlier access are a race. */
void race_found(const struct race_me *me, struct race_record earlier, uint64_t address);
/* me races with a copy (or the copy with it), or with a free in a stream's order. */
enum race_copy_does { RACE_COPY_READS, RACE_COPY_WRITES, RACE_COPY_FREES };
void race_found_copy(const struct race_me *me, const char *function, enum race_copy_does does);
void race_found_by_copy(const char *function, enum race_copy_does does, struct race_record earlier,
			uint64_t address);
/* The host's code touches address, unordered with `earlier`. frames: its own. */
void race_found_by_host(bool host_writes, const uint64_t *frames, struct race_record earlier,
			uint64_t address);
extern _Atomic bool race_any; /* something was found */
/* The verdict of what was found in this event. */
enum cudasim_verdict race_verdict_found(void);
static inline enum cudasim_verdict race_verdict(void)
{
	return atomic_load_explicit(&race_any, memory_order_relaxed) ? race_verdict_found()
								     : CUDASIM_GO;
}
/* The thread's last store has been made: was it the value that was there? */
void race_settle_store(struct race_block *block, struct cudasim_thread *thread);
void race_settle_block(struct race_block *block);

#endif
