/* SPDX-License-Identifier: Apache-2.0 */
/* work.h - how much a launch does: barriers, divergence, bytes.
 *
 *	cudasim_work work = cudasim_measure([&] { sum<<<n, 256>>>(in, out); });
 *	cudasim_assert_at_most(work, barriers_per_thread, 9);
 *
 * The simulator counts these; on a GPU the assertions are skipped, and how many were
 * is said. Counting runs the watched bodies, one launch at a time. */
#ifndef CUDASIM_TEST_WORK_H
#define CUDASIM_TEST_WORK_H

#ifdef __CUDASIM__
#include "../inspect.h"
#endif

struct cudasim_work {
	bool known; /* counted */
	uint64_t launches, threads;
	uint64_t barriers_per_thread;     /* the most that any thread came to */
	uint64_t divergent_branches;      /* lines that a warp came to with a part of the lanes
	                                   * that had been at the line before, counted each time */
	uint64_t bytes_loaded, bytes_stored;               /* global memory, atomics both */
	uint64_t shared_bytes_loaded, shared_bytes_stored; /* shared memory */
};

namespace cudasim
{
namespace test
{

#ifdef __CUDASIM__
/* The lanes of one warp, as they come to lines: how often each came to each. */
struct warp_lines {
	std::map<const cudasim_site *, std::vector<uint32_t>> visits;
};
struct block_work {
	std::vector<uint64_t> barriers;   /* by thread */
	std::vector<warp_lines> warps;
};

struct meter {
	cudasim_observer observer{};
	cudasim_work work{};
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
};
inline meter metering;

inline block_work *work_of(cudasim_block *block)
{
	void **slot = cudasim_block_data(block, &metering.observer);
	return slot ? static_cast<block_work *>(*slot) : nullptr;
}

inline uint32_t meter_want(void *, const cudasim_launch *)
{
	return CUDASIM_WANT_LINE | CUDASIM_WANT_ACCESS | CUDASIM_WANT_BLOCK | CUDASIM_WANT_BARRIER |
	       CUDASIM_WANT_THREAD;
}

inline void meter_block_begin(void *, cudasim_block *block)
{
	void **slot = cudasim_block_data(block, &metering.observer);
	uint32_t n = cudasim_block_size(block);
	block_work *w = new block_work;
	w->barriers.resize(n);
	w->warps.resize((n + CUDASIM_WARP_SIZE - 1) / CUDASIM_WARP_SIZE);
	*slot = w;
}

/* A lane that comes to a line for the k-th time diverges from those of its warp that
 * never come there so often. */
inline uint64_t divergence(const warp_lines &warp, uint32_t n_lanes)
{
	uint64_t ret = 0;
	for (const auto &line : warp.visits) {
		uint32_t least = ~0u, most = 0;
		for (uint32_t i = 0; i < n_lanes; i++) {
			least = std::min(least, line.second[i]);
			most = std::max(most, line.second[i]);
		}
		ret += most - least;
	}
	return ret;
}

inline void meter_block_end(void *, cudasim_block *block)
{
	block_work *w = work_of(block);
	if (!w)
		return;
	uint32_t n = cudasim_block_size(block);
	uint64_t most = 0, divergent = 0;
	for (uint64_t b : w->barriers)
		most = std::max(most, b);
	for (size_t i = 0; i < w->warps.size(); i++)
		divergent += divergence(w->warps[i], std::min<uint32_t>(32, n - 32 * (uint32_t)i));
	pthread_mutex_lock(&metering.lock);
	metering.work.threads += n;
	metering.work.barriers_per_thread = std::max(metering.work.barriers_per_thread, most);
	metering.work.divergent_branches += divergent;
	pthread_mutex_unlock(&metering.lock);
	delete w;
}

inline cudasim_verdict meter_barrier(void *, cudasim_thread *thread, const cudasim_barrier *)
{
	if (block_work *w = work_of(thread->block))
		w->barriers[thread->linear]++;
	return CUDASIM_GO;
}

inline cudasim_verdict meter_line(void *, cudasim_thread *thread, const cudasim_site *site)
{
	if (block_work *w = work_of(thread->block)) {
		std::vector<uint32_t> &lanes = w->warps[thread->warp].visits[site];
		lanes.resize(CUDASIM_WARP_SIZE);
		lanes[thread->lane]++;
	}
	return CUDASIM_GO;
}

inline cudasim_verdict meter_access(void *, cudasim_thread *, const cudasim_access *access)
{
	bool shared = access->space == CUDASIM_SPACE_SHARED;
	if (access->space != CUDASIM_SPACE_GLOBAL && !shared)
		return CUDASIM_GO;
	cudasim_work &work = metering.work;
	if (access->what & CUDASIM_ACCESS_LOAD)
		__atomic_fetch_add(shared ? &work.shared_bytes_loaded : &work.bytes_loaded,
				   access->size, __ATOMIC_RELAXED);
	if (access->what & CUDASIM_ACCESS_STORE)
		__atomic_fetch_add(shared ? &work.shared_bytes_stored : &work.bytes_stored,
				   access->size, __ATOMIC_RELAXED);
	return CUDASIM_GO;
}

inline void meter_launch(void *, cudasim_launch *)
{
	__atomic_fetch_add(&metering.work.launches, 1, __ATOMIC_RELAXED);
}
#endif

template <typename F> cudasim_work measure(place at, F launches)
{
#ifdef __CUDASIM__
	if (simulated()) {
		cudasim_observer &o = metering.observer;
		o.version = CUDASIM_OBSERVER_VERSION;
		o.name = "cudasim/test/work.h";
		o.want = meter_want;
		o.block_begin = meter_block_begin;
		o.block_end = meter_block_end;
		o.barrier_arrive = meter_barrier;
		o.line = meter_line;
		o.access = meter_access;
		o.launch_end = meter_launch;
		need(cudaDeviceSynchronize(), "cudaDeviceSynchronize", at);
		metering.work = cudasim_work{};
		metering.work.known = true;
		if (cudasim_error *error = cudasim_observer_add(&o)) {
			std::string message = error->message;
			cudasim_error_free(error);
			fail_at(at, "cudasim_measure: " + message);
		}
		launches();
		cudaError_t error = outcome();
		cudasim_error_free(cudasim_observer_remove(&o));
		need(error, "the measured launch", at);
		return metering.work;
	}
#endif
	launches();
	need(outcome(), "the measured launch", at);
	return cudasim_work{};
}

inline void at_most(place at, const cudasim_work &work, const char *what, uint64_t actual,
		    uint64_t most)
{
	if (!work.known)
		current.n_skipped++;
	else if (actual > most)
		fail_at(at, std::string(what) + ": " + std::to_string(actual) + ", more than " +
				    std::to_string(most));
}

} // namespace test
} // namespace cudasim

/* What the launches of a callable did. */
#define cudasim_measure(...) (::cudasim::test::measure(CUDASIM_TEST_HERE, (__VA_ARGS__)))
#define cudasim_assert_at_most(work, member, most)                                                 \
	(::cudasim::test::at_most(CUDASIM_TEST_HERE, (work), #member, (work).member, (most)))

#endif
