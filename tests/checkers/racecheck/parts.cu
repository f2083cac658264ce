/* SPDX-License-Identifier: Apache-2.0 */
/* Races on parts of words: bytes, halves, and words made of them. Each byte counts for
 * itself, however many threads, places and sizes come together in its word. */
#include "../cases.h"

typedef unsigned char byte;

/* ---- bytes of a word by different lanes ------------------------------------- */

/* Each lane its own byte in place; or the byte of the lane beside it. */
template <int BESIDE> __global__ void in_place(byte *p)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	p[i] = (byte)(p[i + BESIDE] + 1);                        /* FINDS(in_place_guilty): race */
}
CASE(in_place_guilty) { device_array<byte> a(257); in_place<1><<<4, 64>>>(a); }
CASE(in_place_innocent) { device_array<byte> a(257); in_place<0><<<4, 64>>>(a); }

/* Three places of the code write a pixel: its words are shared by two or three lanes. */
template <unsigned STEP> __global__ void pixels(byte *rgb)
{
	byte *p = rgb + STEP * threadIdx.x;
	p[0] = 1;
	p[1] = 2;
	p[2] = 3;                                                /* FINDS(pixels_guilty): race */
}
CASE(pixels_guilty) { device_array<byte> a(3 * 64); pixels<2><<<1, 64>>>(a); }
CASE(pixels_innocent) { device_array<byte> a(3 * 64); pixels<3><<<1, 64>>>(a); }

/* ---- words and their bytes -------------------------------------------------- */

/* Bytes written, read back as words, with a barrier between or without. */
template <bool SYNC> __global__ void assemble(unsigned *out)
{
	__shared__ unsigned words[16];
	((byte *)words)[threadIdx.x] = (byte)threadIdx.x;        /* FINDS(assemble_guilty): race */
	if (SYNC)
		__syncthreads();
	if (threadIdx.x < 16)
		out[threadIdx.x] = words[threadIdx.x];
}
CASE(assemble_guilty) { device_array<unsigned> a(16); assemble<false><<<1, 64>>>(a); }
CASE(assemble_innocent) { device_array<unsigned> a(16); assemble<true><<<1, 64>>>(a); }

/* Words written, taken apart by bytes. */
template <bool SYNC> __global__ void take_apart(byte *out)
{
	__shared__ unsigned words[16];
	if (threadIdx.x < 16)
		words[threadIdx.x] = threadIdx.x;                /* FINDS(take_apart_guilty): race */
	if (SYNC)
		__syncthreads();
	out[threadIdx.x] = ((byte *)words)[63 - threadIdx.x];
}
CASE(take_apart_guilty) { device_array<byte> a(64); take_apart<false><<<1, 64>>>(a); }
CASE(take_apart_innocent) { device_array<byte> a(64); take_apart<true><<<1, 64>>>(a); }

/* A word is written after its bytes were read: by those who read, or by another warp. */
template <unsigned SHIFT> __global__ void replace(unsigned *words, byte *out)
{
	unsigned t = threadIdx.x;
	unsigned sum = 0;
	for (unsigned i = 0; i < 4; i++)
		sum += ((byte *)words)[4 * t + i];
	out[t] = (byte)sum;
	words[(t + SHIFT) % 64] = sum;                           /* FINDS(replace_guilty): race */
}
CASE(replace_guilty)
{
	device_array<unsigned> a(64);
	device_array<byte> b(64);
	replace<32><<<1, 64>>>(a, b);
}
CASE(replace_innocent)
{
	device_array<unsigned> a(64);
	device_array<byte> b(64);
	replace<0><<<1, 64>>>(a, b);
}

/* ---- halves ----------------------------------------------------------------- */

/* Two blocks meet in a word, each in a half of its own; or in the same half. */
template <unsigned SAME> __global__ void halves(short *p)
{
	p[2 * threadIdx.x + (SAME ? 0 : blockIdx.x)] = (short)(1 + blockIdx.x); /* FINDS(halves_guilty): race */
}
CASE(halves_guilty) { device_array<short> a(64); halves<1><<<2, 32>>>(a); }
CASE(halves_innocent) { device_array<short> a(64); halves<0><<<2, 32>>>(a); }

/* A half that lies across two words. */
template <unsigned MORE> __global__ void across(byte *p)
{
	struct __attribute__((packed)) half { short v; };
	((half *)(p + 3 + (3 - MORE) * threadIdx.x))->v = (short)threadIdx.x; /* FINDS(across_guilty): race */
}
CASE(across_guilty) { device_array<byte> a(256); across<2><<<1, 32>>>(a); }
CASE(across_innocent) { device_array<byte> a(256); across<0><<<1, 32>>>(a); }

/* ---- more than fit one word's cell ------------------------------------------ */

/* Every byte of the words is read by threads of several warps at several places, then
 * written, behind the barrier or not. */
template <bool SYNC> __global__ void crowded(byte *p, int *out)
{
	unsigned t = threadIdx.x, n = blockDim.x;
	int sum = p[t];
	sum += p[(t + 1) % n];
	sum += p[(t + 33) % n];
	sum += p[(t + 66) % n];
	sum += p[(t + 99) % n];
	if (SYNC)
		__syncthreads();
	p[t] = (byte)sum;                                        /* FINDS(crowded_guilty): race */
	out[t] = sum;
}
CASE(crowded_guilty)
{
	device_array<byte> a(128);
	device_array<int> b(128);
	crowded<false><<<1, 128>>>(a, b);
}
CASE(crowded_innocent)
{
	device_array<byte> a(128);
	device_array<int> b(128);
	crowded<true><<<1, 128>>>(a, b);
}

/* Atomic additions to words whose bytes are looked at, before a barrier or behind it. */
template <bool SYNC> __global__ void counted(unsigned *out)
{
	__shared__ unsigned words[32];
	if (threadIdx.x < 32)
		words[threadIdx.x] = 0;
	__syncthreads();
	atomicAdd(&words[threadIdx.x % 32], 1u);
	if (SYNC)
		__syncthreads();
	out[threadIdx.x] = ((byte *)words)[threadIdx.x];         /* FINDS(counted_guilty): race */
}
CASE(counted_guilty) { device_array<unsigned> a(128); counted<false><<<1, 128>>>(a); }
CASE(counted_innocent) { device_array<unsigned> a(128); counted<true><<<1, 128>>>(a); }

/* Memory given back and allocated again remembers nothing of the parts before. */
__global__ void mark(byte *p) { p[blockIdx.x] = (byte)threadIdx.x; } /* FINDS(again_guilty): race */
CASE(again_guilty)
{
	for (int i = 0; i < 3; i++) {
		device_array<byte> a(1 << 18);
		mark<<<4, 2>>>(a);
	}
}
CASE(again_innocent)
{
	for (int i = 0; i < 3; i++) {
		device_array<byte> a(1 << 18);
		mark<<<1 << 16, 1>>>(a);
	}
}

/* ---- words of one warp's threads, in several phases --------------------------- */

/* The shared array is written in one phase and read in the next by threads of all warps:
 * what an earlier phase did is before, also where it read. */
template <bool LAST> __global__ void phases(int *out)
{
	__shared__ int s[128];
	unsigned t = threadIdx.x;
	for (int i = 0; i < 3; i++) {
		s[(t + 32 * i) % 128] = (int)t;                  /* FINDS(phases_guilty): race */
		__syncthreads();
		out[t] += s[t ^ 64] + s[t ^ 1] + s[0];
		if (LAST || i == 0)
			__syncthreads();
	}
}
CASE(phases_guilty) { device_array<int> a(128); phases<false><<<1, 128>>>(a); }
CASE(phases_innocent) { device_array<int> a(128); phases<true><<<1, 128>>>(a); }

/* The same in global memory. */
template <bool LAST> __global__ void global_phases(int *s, int *out)
{
	unsigned t = threadIdx.x, b = blockIdx.x;
	s += 128 * b;
	for (int i = 0; i < 3; i++) {
		s[(t + 32 * i) % 128] = (int)t;                  /* FINDS(global_phases_guilty): race */
		__syncthreads();
		out[128 * b + t] += s[t ^ 64] + s[t ^ 1] + s[0];
		if (LAST || i == 0)
			__syncthreads();
	}
}
CASE(global_phases_guilty)
{
	device_array<int> a(512), b(512);
	global_phases<false><<<4, 128>>>(a, b);
}
CASE(global_phases_innocent)
{
	device_array<int> a(512), b(512);
	global_phases<true><<<4, 128>>>(a, b);
}

