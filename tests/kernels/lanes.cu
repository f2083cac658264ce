/* SPDX-License-Identifier: Apache-2.0 */
/* lanes.cu - control flow that threads of a block take as lanes of vectors: each kernel
 * is a function of the thread's number that the host computes, too. Every case is run
 * with several shapes of blocks; "same" is what a right answer prints. */
#include "case.cuh"

#define BOTH __host__ __device__ static

BOTH unsigned mix(unsigned v)
{
	v ^= v >> 15;
	v *= 0x2c1b3c6du;
	v ^= v >> 12;
	return v;
}

/* Lanes leave a loop one by one. */
BOTH unsigned ragged(unsigned t, const unsigned *table)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < t % 37; i++)
		sum += mix(i ^ t) + table[i];
	return sum;
}

/* Breaks and continues, by lanes. */
BOTH unsigned breaks(unsigned t, const unsigned *table)
{
	unsigned sum = t;
	for (unsigned i = 0; i < 50; i++) {
		if (mix(t + i) % 7 == 0)
			continue;
		sum += table[(sum + i) % 64];
		if (sum % 29 == 0)
			break;
	}
	return sum;
}

/* Out of two loops at once, and by return. */
BOTH unsigned two_out(unsigned t, const unsigned *table)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < 9; i++) {
		for (unsigned k = 0; k < 11; k++) {
			sum += table[(i * 11 + k + t) % 64];
			if (sum % 97 == 5)
				return sum ^ 0xf00;
			if (sum % 53 == 2)
				goto out;
		}
		sum = mix(sum);
	}
out:
	return sum + 1;
}

/* All lanes do the same: scalar loops, with a break that all take. */
BOTH unsigned together(unsigned t, const unsigned *table)
{
	unsigned sum = t;
	for (unsigned i = 0; i < 64; i++) {
		sum = sum * 5 + table[i];
		if (table[i] % 31 == 3)
			break;
	}
	return sum;
}

/* A loop that all take together, inside an if that some take. */
BOTH unsigned nested(unsigned t, const unsigned *table)
{
	unsigned sum = t;
	if (t % 3) {
		for (unsigned i = 0; i < table[3] % 16 + 2; i++)
			sum += table[i] * t;
		if (sum % 2)
			for (unsigned i = t % 5; i < 8; i++)
				sum ^= table[i];
	} else if (t % 2) {
		unsigned i = 0;
		do
			sum += mix(i);
		while (++i < t % 13);
	}
	return sum;
}

/* An array of the thread's own. */
BOTH unsigned own(unsigned t, const unsigned *table)
{
	unsigned a[8] = {t, 1, 2, 3, 4, 5, 6, 7};
	for (unsigned i = 0; i < t % 19 + 1; i++)
		a[(t + i) % 8] += a[(i * 3 + table[i]) % 8] + i;
	return a[0] ^ a[3] ^ a[t % 8];
}

/* An array that LLVM aligns better than its size would keep it, as it is cleared at once. */
BOTH unsigned padded(unsigned t, const unsigned *table)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < t % 9 + 2; i++) {
		int a[5] = {0};
		for (unsigned k = 0; k < 6; k++)
			a[table[(i + k * t) % 64] % 5] += (int)(k + i);
		sum += (unsigned)(a[0] * 3 + a[t % 5] + a[4] * 7);
	}
	return sum;
}

/* A switch, divisions that only some lanes may do, a loop count of zero. */
BOTH unsigned choices(unsigned t, const unsigned *table)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < t % 6; i++)
		switch (mix(t * 7 + i) % 6) {
		case 0: sum += 3; break;
		case 1: sum ^= t; [[fallthrough]];
		case 2: sum = sum * 3 + table[sum % 64]; break;
		case 3:
			if (t % 4)
				sum += 100000 / (t % 4);
			break;
		case 5: return sum;
		default: sum--;
		}
	return sum;
}

/* Values of loops that have ended at different times go on into others. */
BOTH unsigned chained(unsigned t, const unsigned *table)
{
	unsigned a = t % 11, b = 0, i = 0;
	while (a != 1 && i < 40) {
		a = a % 2 ? a * 3 + 1 : a / 2 + (a == 0);
		i++;
	}
	for (unsigned k = i; k > 0; k--)
		b += table[k] + a;
	return b * 64 + i;
}

/* 64-bit and narrow types, and floats whose results are exact. */
BOTH unsigned types(unsigned t, const unsigned *table)
{
	unsigned long long wide = t;
	unsigned char narrow = (unsigned char)t;
	short medium = (short)(t * 300);
	double d = 0;
	float f = (float)(t % 16);
	for (unsigned i = 0; i < t % 9; i++) {
		wide = wide * 6364136223846793005ull + table[i];
		narrow = (unsigned char)(narrow * 7 + 1);
		medium = (short)(medium - (short)table[i]);
		d += (double)(table[i] % 8) * 0.5;
		f = f * 0.5f + 1.f;
	}
	return (unsigned)(wide >> 32) + narrow + (unsigned)medium + (unsigned)(d * 2) +
	       (unsigned)(f * 1024.f);
}

#define KERNEL(name) \
	__global__ void run_##name(const unsigned *table, unsigned *out, unsigned n) \
	{ \
		unsigned x = blockIdx.x * blockDim.x + threadIdx.x; \
		unsigned t = x + threadIdx.y * blockDim.x * gridDim.x; \
		if (t < n) \
			out[t] = name(t, table); \
	}
KERNEL(ragged)
KERNEL(breaks)
KERNEL(two_out)
KERNEL(together)
KERNEL(nested)
KERNEL(own)
KERNEL(padded)
KERNEL(choices)
KERNEL(chained)
KERNEL(types)

enum { MOST = 4096 };
static unsigned *table, *out;

typedef unsigned function(unsigned t, const unsigned *table);

static void check(const char *name, void (*kernel)(const unsigned *, unsigned *, unsigned),
		  function *want)
{
	static const unsigned shapes[][3] = {{1, 1, 3}, {3, 1, 2}, {5, 1, 7}, {16, 1, 2}, {17, 2, 3},
					     {31, 3, 1}, {32, 8, 2}, {256, 1, 5}, {64, 1, 1}};
	for (const unsigned *s : shapes) {
		unsigned n = s[0] * s[1] * s[2] - (s[0] > 8 ? 3 : 0);
		CHECK(cudaMemset(out, 0xee, MOST * sizeof *out));
		kernel<<<s[2], dim3(s[0], s[1])>>>(table, out, n);
		CHECK(cudaDeviceSynchronize());
		for (unsigned t = 0; t < MOST; t++) {
			unsigned w = t < n ? want(t, table) : 0xeeeeeeee;
			if (out[t] != w) {
				say(name, "blocks of %ux%u: thread %u has %08x, not %08x", s[0], s[1], t,
				    out[t], w);
				return;
			}
		}
	}
	say(name, "same");
}

/* Each thread strides over the array; the last round is not full. */
__global__ void strides(const unsigned *in, unsigned *to, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		to[i] = in[i % 64] + 2 * i;
}

/* Indices that wrap around in 32 bits, so that neighbours are not neighbours. */
__global__ void wraps(unsigned *to, unsigned first, int rounds)
{
	for (int k = 0; k < rounds; k++) {
		unsigned i = first + threadIdx.x + (unsigned)k;
		if (i < 64)
			to[i] = i + 1;
	}
}

/* Tickets, counted by atomics in a loop that lanes leave one by one. */
__global__ void tickets(unsigned *count, unsigned *seen)
{
	for (unsigned i = 0; i < threadIdx.x % 7; i++) {
		unsigned ticket = atomicAdd(count, 1u);
		seen[ticket] += 1;
	}
}

/* The same place for all lanes; the number of lanes that came is what counts. */
__global__ void one_place(unsigned *flag, const unsigned *in, unsigned limit)
{
	for (unsigned i = 0; i < threadIdx.x % 5; i++)
		if (in[threadIdx.x % 64] == limit)
			*flag = limit;
}

static void strided()
{
	enum { LENGTH = 3001 };
	bool same = true;
	CHECK(cudaMemset(out, 0xee, MOST * sizeof *out));
	strides<<<3, 96>>>(table, out, LENGTH);
	CHECK(cudaDeviceSynchronize());
	for (unsigned i = 0; i < MOST; i++)
		same &= out[i] == (i < LENGTH ? table[i % 64] + 2 * i : 0xeeeeeeee);
	say("grid-stride", same ? "same" : "different");
	same = true;
	CHECK(cudaMemset(out, 0, MOST * sizeof *out));
	wraps<<<1, 64>>>(out, 0xfffffff0u, 40);
	CHECK(cudaDeviceSynchronize());
	for (unsigned i = 0; i < 128; i++)
		same &= out[i] == (i < 64 ? i + 1 : 0);
	say("wrapped indices", same ? "same" : "different");
}

static void counted()
{
	unsigned n = 0;
	bool same = true;
	CHECK(cudaMemset(out, 0, MOST * sizeof *out));
	tickets<<<1, 100>>>(out + MOST - 1, out);
	CHECK(cudaDeviceSynchronize());
	for (unsigned t = 0; t < 100; t++)
		n += t % 7;
	for (unsigned i = 0; i < MOST - 1; i++)
		same &= out[i] == (i < n);
	say("tickets", same && out[MOST - 1] == n ? "same" : "different");
	CHECK(cudaMemset(out, 0, MOST * sizeof *out));
	one_place<<<1, 64>>>(out, table, table[33]);
	one_place<<<1, 64>>>(out + 1, table, table[35] + 1);
	CHECK(cudaDeviceSynchronize());
	say("one place", out[0] == table[33] && out[1] == 0 ? "same" : "different");
}

struct place { float x, y, z; };

/* All lanes of a warp load before one stores, as they do in lockstep. */
__global__ void permute(const unsigned *to, unsigned *out)
{
	__shared__ place places[32];
	__shared__ unsigned index[32];
	unsigned t = threadIdx.x;
	if (t < 32) {
		places[t] = place{(float)t, t + 0.5f, t + 0.25f};
		index[t] = to[t] * 5 % 32;
	}
	__syncthreads();
	if (t < 32)
		places[index[t]] = places[t];
	__syncthreads();
	if (t < 32)
		out[t] = (unsigned)(places[t].x + places[t].y + places[t].z);
}

static void moved()
{
	bool same = true;
	unsigned *to = out + 32;
	for (unsigned i = 0; i < 32; i++)
		to[i] = i;
	permute<<<1, 64>>>(to, out);
	CHECK(cudaDeviceSynchronize());
	for (unsigned i = 0; i < 32; i++)
		same &= out[i * 5 % 32] == 3 * i;
	say("moved in place", same ? "same" : "different");
}

int main()
{
	CHECK(cudaMallocManaged(&table, 64 * sizeof *table));
	CHECK(cudaMallocManaged(&out, MOST * sizeof *out));
	for (unsigned i = 0; i < 64; i++)
		table[i] = mix(i + 1) >> 8;
	check("ragged", run_ragged, ragged);
	check("breaks", run_breaks, breaks);
	check("out of two loops", run_two_out, two_out);
	check("together", run_together, together);
	check("nested", run_nested, nested);
	check("own array", run_own, own);
	check("padded array", run_padded, padded);
	check("choices", run_choices, choices);
	check("chained", run_chained, chained);
	check("types", run_types, types);
	strided();
	counted();
	moved();
	return 0;
}
