# SPDX-License-Identifier: Apache-2.0
"""The texts around the kernels of flow_fuzz.py: the reference, a fiber for each thread, and the program's main part."""

PRELUDE = r'''
__device__ inline void add(unsigned *to, unsigned n) { atomicAdd(to, n); }
__device__ inline void keep(unsigned *to, unsigned n) { *to += n; }
'''

REFERENCE = r'''
#include <cstdio>
#include <cstdlib>
#include <ucontext.h>
#include <vector>
#define __device__
#define __noinline__ __attribute__((noinline))
#define __forceinline__
#define __global__
#define __shared__ static
struct dim { unsigned x, y, z; };
static dim threadIdx, blockIdx, blockDim;
static void add(unsigned *to, unsigned n) { *to += n; }
static void keep(unsigned *to, unsigned n) { *to += n; }

/* A thread is a fiber; it waits with an operation, a value and an operand. */
enum { RUNS, AT_BARRIER, IN_WARP, ENDED, STACK = 1 << 16 };
struct fiber {
	ucontext_t context;
	int state, op;
	unsigned value, operand, result;
};
static fiber fibers[1024];
static std::vector<char> stacks(1024 * STACK);
static ucontext_t scheduler;
static fiber *self;
static void (*body)(void);

static unsigned wait(int state, int op, unsigned value, unsigned operand)
{
	fiber *mine = self;
	mine->state = state, mine->op = op, mine->value = value, mine->operand = operand;
	swapcontext(&mine->context, &scheduler);
	return mine->result;
}
static void run_fiber()
{
	body();
	self->state = ENDED;
	swapcontext(&self->context, &scheduler);
}

enum { SYNC, COUNT, AND, OR, WARP, XOR, DOWN, UP16, INDEX, BALLOT, ANY, ALL, SUM };
static void __syncthreads() { wait(AT_BARRIER, SYNC, 0, 0); }
static int __syncthreads_count(unsigned p) { return (int)wait(AT_BARRIER, COUNT, p != 0, 0); }
static int __syncthreads_and(unsigned p) { return (int)wait(AT_BARRIER, AND, p != 0, 0); }
static int __syncthreads_or(unsigned p) { return (int)wait(AT_BARRIER, OR, p != 0, 0); }
static void __syncwarp() { wait(IN_WARP, WARP, 0, 0); }
static unsigned __shfl_xor_sync(unsigned, unsigned v, int k) { return wait(IN_WARP, XOR, v, (unsigned)k); }
static unsigned __shfl_down_sync(unsigned, unsigned v, int k) { return wait(IN_WARP, DOWN, v, (unsigned)k); }
static unsigned __shfl_up_sync(unsigned, unsigned v, int k, int) { return wait(IN_WARP, UP16, v, (unsigned)k); }
static unsigned __shfl_sync(unsigned, unsigned v, int k) { return wait(IN_WARP, INDEX, v, (unsigned)k); }
static unsigned __ballot_sync(unsigned, unsigned p) { return wait(IN_WARP, BALLOT, p != 0, 0); }
static int __any_sync(unsigned, unsigned p) { return (int)wait(IN_WARP, ANY, p != 0, 0); }
static int __all_sync(unsigned, unsigned p) { return (int)wait(IN_WARP, ALL, p != 0, 0); }
static unsigned __reduce_add_sync(unsigned, unsigned v) { return wait(IN_WARP, SUM, v, 0); }

static void stuck(const char *what)
{
	printf("the reference is stuck: %s\n", what);
	exit(2);
}

/* All n that have not ended wait there, for one operation (a barrier's without a value may have
 * several places). */
static bool together(const fiber *first, unsigned n, int state)
{
	const fiber *one = nullptr;
	for (unsigned i = 0; i < n; i++) {
		if (first[i].state == ENDED)
			continue;
		if (first[i].state != state)
			return false;
		if (one && one->op != first[i].op)
			stuck("operations differ");
		one = &first[i];
	}
	return one != nullptr;
}
static void finish(fiber *first, unsigned n)
{
	unsigned count = 0, alive = 0, sum = 0, bits = 0;
	for (unsigned i = 0; i < n; i++)
		if (first[i].state != ENDED) {
			alive++, count += first[i].value != 0, sum += first[i].value;
			bits |= (unsigned)(first[i].value != 0) << (i & 31);
		}
	for (unsigned i = 0; i < n; i++) {
		fiber *f = &first[i];
		unsigned from = i;
		if (f->state == ENDED)
			continue;
		f->state = RUNS;
		switch (f->op) {
		case COUNT: f->result = count; break;
		case AND: case ALL: f->result = count == alive; break;
		case OR: case ANY: f->result = count > 0; break;
		case BALLOT: f->result = bits; break;
		case SUM: f->result = sum; break;
		case XOR: from = i ^ f->operand; break;
		case DOWN: from = i + f->operand < 32 ? i + f->operand : i; break;
		case UP16: from = (i & 15) >= f->operand ? i - f->operand : i; break;
		case INDEX: from = f->operand & 31; break;
		}
		if (f->op >= XOR && f->op <= INDEX)
			f->result = first[from].value;
	}
}

static void run_block(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		fiber *f = &fibers[i];
		getcontext(&f->context);
		f->context.uc_stack.ss_sp = &stacks[(size_t)i * STACK];
		f->context.uc_stack.ss_size = STACK;
		f->state = RUNS;
		makecontext(&f->context, run_fiber, 0);
	}
	for (;;) {
		unsigned n_ended = 0;
		for (unsigned i = 0; i < n; i++) {
			if (fibers[i].state == RUNS) {
				self = &fibers[i];
				threadIdx = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
				swapcontext(&scheduler, &self->context);
			}
			n_ended += fibers[i].state == ENDED;
		}
		if (n_ended == n)
			return;
		bool any = false;
		for (unsigned w = 0; w < n; w += 32)
			if (together(&fibers[w], n - w < 32 ? n - w : 32, IN_WARP)) {
				finish(&fibers[w], n - w < 32 ? n - w : 32);
				any = true;
			}
		if (!any && together(fibers, n, AT_BARRIER)) {
			finish(fibers, n);
			any = true;
		}
		if (!any)
			stuck("nobody can go on");
	}
}

static struct { const unsigned *in; unsigned *all, *counts; unsigned long long *out; unsigned p0, p1; } given;
template <void (*kernel)(const unsigned *, unsigned *, unsigned *, unsigned long long *, unsigned, unsigned)>
static void call() { kernel(given.in, given.all, given.counts, given.out, given.p0, given.p1); }
static void run_grid(void (*what)(void), unsigned grid, dim block)
{
	body = what, blockDim = block;
	for (unsigned b = 0; b < grid; b++) {
		blockIdx = {b, 0, 0};
		run_block(block.x * block.y * block.z);
	}
}
'''

MAIN = r'''
#include <cstdio>
#include <vector>
typedef void kernel_type(const unsigned *, unsigned *, unsigned *, unsigned long long *, unsigned, unsigned);
typedef void reference_type(const unsigned *, unsigned *, unsigned *, unsigned long long *, unsigned, unsigned);

template <typename T> static int differ(const char *kernel, const char *what, const std::vector<T> &got,
					const std::vector<T> &wanted, size_t row)
{
	for (size_t i = 0; i < got.size(); i++)
		if (got[i] != wanted[i]) {
			printf("%s: %s of thread %zu, place %zu: %llx is not %llx\n", kernel, what, i / row, i % row,
			       (unsigned long long)got[i], (unsigned long long)wanted[i]);
			return 1;
		}
	return 0;
}

static int compare(const char *name, kernel_type *kernel, reference_type *reference, unsigned grid, dim3 block,
		   unsigned p0, unsigned p1)
{
	const size_t n = (size_t)grid * block.x * block.y * block.z;
	std::vector<unsigned> in(N_IN), all(N_OWN * n), counts(N_COUNTS), got_all(all), got_counts(counts);
	std::vector<unsigned long long> out(ROW * n), got_out(ROW * n);
	for (unsigned i = 0; i < N_IN; i++)
		in[i] = (i * 2654435761u) >> 7;
	unsigned *d_in, *d_all, *d_counts;
	unsigned long long *d_out;
	cudaMalloc(&d_in, N_IN * 4), cudaMalloc(&d_all, all.size() * 4);
	cudaMalloc(&d_counts, N_COUNTS * 4), cudaMalloc(&d_out, out.size() * 8);
	cudaMemcpy(d_in, in.data(), N_IN * 4, cudaMemcpyHostToDevice);
	cudaMemset(d_all, 0, all.size() * 4), cudaMemset(d_counts, 0, N_COUNTS * 4);
	cudaMemset(d_out, 0, out.size() * 8);
	kernel<<<grid, block>>>(d_in, d_all, d_counts, d_out, p0, p1);
	cudaError_t error = cudaDeviceSynchronize();
	if (error != cudaSuccess) {
		printf("%s: %s\n", name, cudaGetErrorName(error));
		return 1;
	}
	reference(in.data(), all.data(), counts.data(), out.data(), p0, p1);
	cudaMemcpy(got_all.data(), d_all, all.size() * 4, cudaMemcpyDeviceToHost);
	cudaMemcpy(got_counts.data(), d_counts, N_COUNTS * 4, cudaMemcpyDeviceToHost);
	cudaMemcpy(got_out.data(), d_out, out.size() * 8, cudaMemcpyDeviceToHost);
	cudaFree(d_in), cudaFree(d_all), cudaFree(d_counts), cudaFree(d_out);
	return differ(name, "a variable", got_out, out, ROW) | differ(name, "memory", got_all, all, N_OWN) |
	       differ(name, "a count", got_counts, counts, N_COUNTS);
}
'''
