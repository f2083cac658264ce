/* SPDX-License-Identifier: Apache-2.0 */
/* pieces.cu - local arrays of small types, written and read in larger pieces, as programs
 * do to load four floats at once. Watched bodies look at each access's alignment.
 *
 * Environment: CUDASIM_BODY=watched */
#include "case.cuh"

__device__ __noinline__ float4 piece_of(const float *row)
{
	return *reinterpret_cast<const float4 *>(row);
}

__device__ __noinline__ unsigned long long word_of(const unsigned *halves)
{
	return *reinterpret_cast<const unsigned long long *>(halves);
}

/* Rows of four floats in pieces of 16 bytes, beside a variable of so many bytes. */
template <int BESIDE> __device__ float by_pieces(int first, int n)
{
	char tag[BESIDE] = {1, 2, 3};
	float rows[3][4];
	for (int i = 0; i < 12; i++)
		rows[i / 4][i % 4] = (float)(first + i);
	float4 piece = piece_of(rows[n]);
	return piece.x + piece.w + tag[n];
}

/* Two integers as one of 64 bits. */
template <int BESIDE> __device__ unsigned long long halves(int n)
{
	char name[BESIDE] = {'n'};
	unsigned a[2] = {1, 2}, b[3] = {3, 4, 5};
	return word_of(n ? a : b) + (unsigned)name[0];
}

__global__ void kernel(float *out, unsigned long long *words)
{
	int t = (int)threadIdx.x;
	out[t] = by_pieces<4>(100 * t, t % 3) + by_pieces<8>(100 * t, t % 3) +
		 by_pieces<12>(100 * t, t % 3) + by_pieces<16>(100 * t, t % 3);
	words[t] = halves<4>(t % 2) + halves<8>(t % 2);
}

int main()
{
	float *out;
	unsigned long long *words;
	CHECK(cudaMallocManaged(&out, 4 * sizeof *out));
	CHECK(cudaMallocManaged(&words, 4 * sizeof *words));
	kernel<<<1, 4>>>(out, words);
	CHECK(cudaDeviceSynchronize());
	/* four times first + 4n, its row's last and a tag; twice the words and an n; by hand. */
	say("pieces of 16 bytes", "%g %g %g %g", out[0], out[1], out[2], out[3]);
	say("pieces of 8 bytes", "%llx %llx", words[0], words[1]);
	return 0;
}
