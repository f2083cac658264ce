/* SPDX-License-Identifier: Apache-2.0 */
/* libcu++: atomics and synchronisation.
 *
 * Flags: -std=c++20 -expt-relaxed-constexpr -arch=sm_90 */
#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda/semaphore>
#include <cuda/std/atomic>
#include <cuda/std/utility>

#include "snippet.cuh"

namespace cs = cuda::std;
namespace cg = cooperative_groups;


__device__ cuda::atomic<int, cuda::thread_scope_device> counter_a{0};
SNIPPET(device_atomic, 64) { counter_a.fetch_add(2, cuda::std::memory_order_relaxed); __syncthreads(); if (!threadIdx.x) { o[0] = counter_a.load(); int e = 128; o[1] = counter_a.compare_exchange_strong(e, 5); o[2] = counter_a.exchange(9); o[3] = counter_a; } }
SNIPPET(atomic_ref, 64) { __shared__ int s; if (!threadIdx.x) s = -1; __syncthreads(); cuda::atomic_ref<int, cuda::thread_scope_block> r(s); r.fetch_max((int)threadIdx.x % 50); __syncthreads(); if (!threadIdx.x) { o[0] = s; r.fetch_min(3); r |= 8; o[1] = s; } }
SNIPPET(atomic_float, 32) { __shared__ float s; if (!threadIdx.x) s = 0; __syncthreads(); cuda::atomic_ref<float, cuda::thread_scope_block>(s).fetch_add(0.5f); __syncthreads(); if (!threadIdx.x) o[0] = (int)s; }
SNIPPET(atomic_flag, 64) { __shared__ cs::atomic_flag f; __shared__ int n; if (!threadIdx.x) { f.clear(); n = 0; } __syncthreads(); if (!f.test_and_set()) atomicAdd(&n, 1); __syncthreads(); if (!threadIdx.x) o[0] = n; }
SNIPPET(atomic_wait, 64) { __shared__ cuda::atomic<int, cuda::thread_scope_block> f; __shared__ int v; if (!threadIdx.x) f.store(0); __syncthreads(); if (threadIdx.x == 32) { v = 77; f.store(1, cs::memory_order_release); f.notify_all(); } if (!threadIdx.x) { f.wait(0, cs::memory_order_acquire); o[0] = v; } }
SNIPPET(fences, 64) { __shared__ volatile int data, flag; if (!threadIdx.x) flag = 0; __syncthreads(); if (threadIdx.x == 32) { data = 5; cuda::atomic_thread_fence(cs::memory_order_seq_cst, cuda::thread_scope_block); flag = 1; } if (!threadIdx.x) { while (!flag) {} cuda::atomic_thread_fence(cs::memory_order_seq_cst, cuda::thread_scope_block); o[0] = data; } }

struct alignas(16) two_words { unsigned long long a, b; };
__device__ two_words wide_word;
SNIPPET(atomic_128, 1) { two_words old = atomicCAS(&wide_word, two_words{0, 0}, two_words{3, 4}); o[0] = (int)(old.a + old.b); old = atomicCAS(&wide_word, two_words{0, 0}, two_words{9, 9}); o[1] = (int)(old.a * 10 + old.b); old = atomicExch(&wide_word, two_words{7, 8}); o[2] = (int)(old.a * 10 + old.b); o[3] = (int)(wide_word.a * 10 + wide_word.b); }
__device__ ulonglong2 sums_of_two;
SNIPPET(atomic_128_loop, 64) { alignas(16) ulonglong2 seen = sums_of_two, before; struct alignas(16) w { unsigned long long x, y; }; w s{seen.x, seen.y}, b; (void)before; do { b = s; s = atomicCAS((w *)&sums_of_two, b, w{b.x + 1, b.y + threadIdx.x}); } while (s.x != b.x || s.y != b.y); __syncthreads(); if (!threadIdx.x) { o[0] = (int)sums_of_two.x; o[1] = (int)sums_of_two.y; } }
SNIPPET(atomic_scopes, 32) { __shared__ int s; if (!threadIdx.x) s = 0; __syncthreads(); atomicAdd_block(&s, 1); atomicOr_system(&o[1], 1 << (threadIdx.x & 3)); atomicInc((unsigned *)&o[2], 9); __syncthreads(); if (!threadIdx.x) o[0] = s; }
SNIPPET(atomic_short, 1) { __shared__ unsigned short s; s = 7; unsigned short old = atomicCAS(&s, (unsigned short)7, (unsigned short)12); o[0] = old; o[1] = s; }

SNIPPET(barrier, 64) { __shared__ alignas(8) cuda::barrier<cuda::thread_scope_block> b; __shared__ int s[64]; if (!threadIdx.x) init(&b, blockDim.x); __syncthreads(); s[threadIdx.x] = threadIdx.x; b.arrive_and_wait(); if (threadIdx.x < 8) o[threadIdx.x] = s[63 - threadIdx.x]; }
SNIPPET(barrier_tokens, 64) { using bar = cuda::barrier<cuda::thread_scope_block>; __shared__ bar b; __shared__ int s; if (!threadIdx.x) { init(&b, 64); s = 0; } __syncthreads(); atomicAdd(&s, 1); auto t = b.arrive(); b.wait(cs::move(t)); if (!threadIdx.x) o[0] = s; }
struct bump { int *p; __device__ void operator()() const { ++*p; } };
SNIPPET(barrier_completion, 32) { using bar = cuda::barrier<cuda::thread_scope_block, bump>; __shared__ alignas(bar) char room[sizeof(bar)]; __shared__ int n; auto *b = reinterpret_cast<bar *>(room); if (!threadIdx.x) { n = 0; new (b) bar(32, bump{&n}); } __syncthreads(); for (int i = 0; i < 3; i++) b->arrive_and_wait(); if (!threadIdx.x) o[0] = n; }
SNIPPET(latch, 64) { __shared__ cuda::latch<cuda::thread_scope_block> *l; __shared__ char room[64]; __shared__ int s; if (!threadIdx.x) { s = 0; l = new ((void *)(((size_t)room + 15) & ~(size_t)15)) cuda::latch<cuda::thread_scope_block>(64); } __syncthreads(); atomicAdd(&s, 1); l->arrive_and_wait(); if (!threadIdx.x) { o[0] = s; o[1] = l->try_wait(); } }
SNIPPET(semaphore, 64) { using sem = cuda::binary_semaphore<cuda::thread_scope_block>; __shared__ alignas(16) char room[sizeof(sem)]; __shared__ int n; auto *s = reinterpret_cast<sem *>(room); if (!threadIdx.x) { n = 0; new (s) sem(1); } __syncthreads(); if (threadIdx.x % 32 == 0) for (int i = 0; i < 5; i++) { s->acquire(); int v = n; n = v + 1; __threadfence_block(); s->release(); } __syncthreads(); if (!threadIdx.x) o[0] = n; }
SNIPPET(memcpy_async_barrier, 64) { __shared__ alignas(16) int to[64]; __shared__ cuda::barrier<cuda::thread_scope_block> b; __shared__ alignas(16) int from[64]; from[threadIdx.x] = threadIdx.x * 2; if (!threadIdx.x) init(&b, 64); __syncthreads(); cuda::memcpy_async(cg::this_thread_block(), to, from, sizeof to, b); b.arrive_and_wait(); if (threadIdx.x < 8) o[threadIdx.x] = to[8 * threadIdx.x]; }
__device__ int global_source[128];
SNIPPET(memcpy_async_global, 32) { __shared__ alignas(16) int to[128]; __shared__ cuda::barrier<cuda::thread_scope_block> b; for (int i = 0; i < 4; i++) global_source[threadIdx.x + 32 * i] = threadIdx.x + 32 * i; if (!threadIdx.x) init(&b, 32); __syncthreads(); cuda::memcpy_async(cg::this_thread_block(), to, global_source, cuda::aligned_size_t<16>(sizeof to), b); b.arrive_and_wait(); if (threadIdx.x < 8) o[threadIdx.x] = to[16 * threadIdx.x]; }
SNIPPET(pipeline_thread, 1) { __shared__ alignas(16) int s[4]; global_source[0] = 6; auto p = cuda::make_pipeline(); p.producer_acquire(); cuda::memcpy_async(s, global_source, sizeof(int), p); p.producer_commit(); p.consumer_wait(); o[0] = s[0]; p.consumer_release(); }
SNIPPET(pipeline_block, 32) { __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state; __shared__ int s[2][32]; auto block = cg::this_thread_block(); auto p = cuda::make_pipeline(block, &state); for (int i = 0; i < 2; i++) { global_source[32 * i + threadIdx.x] = 10 * i + threadIdx.x; } block.sync(); for (int i = 0; i < 2; i++) { p.producer_acquire(); cuda::memcpy_async(block, s[i], global_source + 32 * i, sizeof s[i], p); p.producer_commit(); } int sum = 0; for (int i = 0; i < 2; i++) { p.consumer_wait(); block.sync(); sum += s[i][31 - threadIdx.x]; p.consumer_release(); } if (threadIdx.x < 4) o[threadIdx.x] = sum; }
SNIPPET(ptx_namespace, 1) { o[0] = cuda::ptx::get_sreg_tid_x(); o[1] = cuda::ptx::get_sreg_ntid_x(); o[2] = cuda::ptx::get_sreg_nctaid_x(); }
SNIPPET(mbarrier_ptx, 32) { __shared__ alignas(8) cs::uint64_t m; if (!threadIdx.x) cuda::ptx::mbarrier_init(&m, 32); __syncthreads(); auto t = cuda::ptx::mbarrier_arrive(&m); while (!cuda::ptx::mbarrier_try_wait(&m, t)) {} if (!threadIdx.x) o[0] = 1; }
