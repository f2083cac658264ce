/* SPDX-License-Identifier: Apache-2.0 */
/* misaligned_lanes.cu - one thread's misaligned access among many others, in each form that
 * code of many threads takes: side by side, gathered, under masks, in loops that lanes leave
 * one by one, between barriers, of several blocks. Each case twice: with all addresses aligned
 * (0, and the sum of what was written), and with thread 37's two bytes on (716, as on every
 * GPU). Each is a process of its own, since 716 stays. */
#include <sys/wait.h>
#include <unistd.h>

#include "case.cuh"

enum { N = 4096, CULPRIT = 37 };

struct Data {
	char *bytes;   /* 16-aligned, N numbers 0, 1, ... and some room */
	int **address; /* each thread's own number */
	int *off;      /* 0, the culprit's 2 */
	int *out;
	int n, stride; /* 4, or 6 for what has no culprit alone */
};

#define THREAD int t = blockIdx.x * blockDim.x + threadIdx.x
#define K(name, ...) \
	__global__ void name(Data d) { THREAD; __VA_ARGS__ }

K(beside, if (t < d.n) d.out[t] = *(int *)(d.bytes + (long long)t * d.stride);)
K(beside_write, if (t < d.n) *(int *)(d.bytes + (long long)t * d.stride) = t; d.out[t] = t;)
K(gather, d.out[t] = *d.address[t];)
K(scatter, *d.address[t] = t; d.out[t] = t;)
K(masked, if (t % 3 == CULPRIT % 3) d.out[t] = *(int *)(d.bytes + 4 * t + d.off[t]); else d.out[t] = t;)
K(loop, int s = 0; for (int i = 0; i <= t % 7; i++) s += *(int *)(d.bytes + 4 * t + d.off[t]); d.out[t] = s;)
K(walk, char *p = d.bytes + 4 * t + d.off[t]; int s = 0;
	for (int i = 0; i < 5; i++, p += 4) s += *(int *)p; d.out[t] = s;)
K(bytewise, char *p = d.bytes + 4 * t + d.off[t]; int s = 0; for (int i = 0; i < 4; i++) s += p[i]; d.out[t] = s;)
K(vectors, if (t < d.n / 4) { int4 v = *(int4 *)(d.bytes + 16 * t + 4 * (d.off[t] != 0));
	d.out[t] = v.x + v.y + v.z + v.w; })
K(add, atomicAdd((int *)(d.bytes + 4 * t + d.off[t]), 1); d.out[t] = t;)
K(counter, __shared__ int all; if (!threadIdx.x) all = 0; __syncthreads();
	atomicAdd((int *)((char *)&all + (d.off[t] ? 2 : 0)), 1); __syncthreads(); d.out[t] = all;)
K(tile, __shared__ float tile[256 + 4]; tile[threadIdx.x] = t; __syncthreads();
	d.out[t] = *(float *)((char *)&tile[255 - threadIdx.x] + d.off[t]); )
K(shuffled, int v = *(int *)(d.bytes + 4 * t + d.off[t]);
	for (int i = 16; i; i /= 2) v += __shfl_xor_sync(~0u, v, i); d.out[t] = v;)
K(strides, for (int i = t; i < d.n; i += gridDim.x * blockDim.x)
	d.out[i] = *(int *)(d.bytes + (long long)i * d.stride);)
__device__ __noinline__ int fetch(const int &number) { return number; }
K(reference, d.out[t] = fetch(*(int *)(d.bytes + 4 * t + d.off[t]));)
/* Programs that ask for the alignment themselves have none that is wrong. */
K(asks, char *p = d.bytes + 16 * (t % 64) + 4 * (d.off[t] != 0); int s = 0;
	if (((unsigned long long)p & 15) == 0) { int4 v = *(int4 *)p; s = v.x + v.y + v.z + v.w; }
	else for (int i = 0; i < 4; i++) s += ((int *)p)[i];
	d.out[t] = s;)

static const struct {
	const char *name;
	void (*kernel)(Data);
} cases[] = {
#define R(name) {#name, name},
	R(beside) R(beside_write) R(gather) R(scatter) R(masked) R(loop) R(walk) R(bytewise) R(vectors)
	R(add) R(counter) R(tile) R(shuffled) R(strides) R(reference) R(asks)
#undef R
};

static void run(int k, bool guilty)
{
	static int numbers[N + 64], off[N], out[N];
	static int *address[N];
	Data d = {};
	CHECK(cudaMalloc(&d.bytes, 2 * sizeof numbers));
	CHECK(cudaMalloc(&d.address, sizeof address));
	CHECK(cudaMalloc(&d.off, sizeof off));
	CHECK(cudaMalloc(&d.out, sizeof out));
	for (int i = 0; i < N + 64; i++)
		numbers[i] = i;
	off[CULPRIT] = guilty ? 2 : 0;
	for (int i = 0; i < N; i++)
		address[i] = (int *)(d.bytes + 4 * i + off[i]);
	d.n = N;
	d.stride = guilty ? 6 : 4;
	CHECK(cudaMemcpy(d.bytes, numbers, sizeof numbers, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(d.address, address, sizeof address, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(d.off, off, sizeof off, cudaMemcpyHostToDevice));
	CHECK(cudaMemset(d.out, 0, sizeof out));
	cases[k].kernel<<<N / 256, 256>>>(d);
	int error = (int)cudaDeviceSynchronize();
	long long sum = 0;
	if (!error) {
		CHECK(cudaMemcpy(out, d.out, sizeof out, cudaMemcpyDeviceToHost));
		for (int i = 0; i < N; i++)
			sum += out[i];
	}
	printf("%s, %s: %d %lld\n", cases[k].name, guilty ? "misaligned" : "aligned", error, sum);
	fflush(stdout);
}

int main()
{
	for (int k = 0; k < 2 * (int)(sizeof cases / sizeof *cases); k++) {
		fflush(stdout);
		if (pid_t child = fork()) {
			int status;
			waitpid(child, &status, 0);
			if (!WIFEXITED(status) || WEXITSTATUS(status))
				printf("case %d ended by itself\n", k);
			continue;
		}
		run(k / 2, k % 2);
		_exit(0);
	}
	return 0;
}
