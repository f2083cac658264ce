/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of two products: which one is fused (-fmad=true)? The rounding of the answers tells.
 * nvcc takes the left one, after it has put that operand of the sum on the left which is
 * computed from the operands in fewer steps. */
#include "case.cuh"

enum { N = 64 };

/* Numbers between 1 and 2 with all bits in use. */
__device__ float number(unsigned i)
{
	return 1 + ((i * 2654435761u + 12345) % 8388593) * 0x1p-23f;
}

struct shallow_right {
	__device__ static float of(float u, float, float, float)
	{
		float v = u - 0.1f;
		return 1.5f * (1.f - 5.f * v) + 10.3f * v;
	}
};
struct shallow_left {
	__device__ static float of(float u, float, float, float)
	{
		float v = u - 0.1f;
		return 10.3f * v + 1.5f * (1.f - 5.f * v);
	}
};
struct written_twice {
	__device__ static float of(float u, float, float, float)
	{
		return 1.5f * (1.f - 5.f * (u - 0.1f)) + 2.3f * 5.f * (u - 0.1f);
	}
};
struct equally_deep {
	__device__ static float of(float u, float w, float, float)
	{
		return 1.7f * u + 10.3f * w;
	}
};
struct of_arguments {
	__device__ static float of(float u, float w, float a, float b)
	{
		return a * w + b * (u - 5.3f);
	}
};
struct deep_left {
	__device__ static float of(float u, float w, float a, float b)
	{
		return a * (w - 5.3f * u) + b * u;
	}
};
struct later_argument {
	__device__ static float of(float u, float w, float, float)
	{
		float v = u - 0.1f;
		return 1.5f * (w - 5.f * v) + 10.3f * v;
	}
};
struct difference {
	__device__ static float of(float u, float, float, float)
	{
		float v = u - 0.1f;
		return 1.5f * (1.f - 5.f * v) - 10.3f * v;
	}
};

__global__ void fill(float *in)
{
	in[threadIdx.x] = number(threadIdx.x);
}

template <typename F> __global__ void kernel(float *out, const float *in)
{
	const float *p = in + 4 * threadIdx.x;
	float u = p[0], w = p[1], a = p[2], b = p[3];
	out[threadIdx.x] = F::of(u, w, a, b);
}

/* What does not change in the loop is computed before it, and not fused. */
__global__ void loop(float *out, const float *__restrict__ in, float a, float b, int n)
{
	float u = in[threadIdx.x], sum = u;
	for (int i = 0; i < n; i++)
		sum = b * sum + (1.f - a) * u;
	out[threadIdx.x] = sum;
}

template <typename F> __global__ void from_parameters(float *out, float u, float w, float a, float b)
{
	*out = F::of(u, w, a, b);
}

template <typename F> static void run(const char *name)
{
	float *out, *in, h[N + 1];
	CHECK(cudaMalloc(&out, sizeof h));
	CHECK(cudaMalloc(&in, 4 * N * sizeof *in));
	fill<<<1, 4 * N>>>(in);
	kernel<F><<<1, N>>>(out, in);
	from_parameters<F><<<1, 1>>>(out + N, 1.2345678f, 1.7654321f, 1.1357913f, 1.9876543f);
	CHECK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
	show(name, h, N + 1);
	CHECK(cudaFree(out));
	CHECK(cudaFree(in));
}

/* As programs with tables have it. */
__global__ void steps(float *out, float u)
{
	float alpha = 1;
	if (u >= 0 && u <= 0.1f)
		alpha = 1.5f;
	if (u > 0.1f && u <= 0.3f)
		alpha = 1.5f * (1.f - 5.f * (u - 0.1f)) + 2.3f * 5.f * (u - 0.1f);
	if (u > 0.3f && u <= 0.5f)
		alpha = 2.5f * 5.f * (u - 0.3f) + 1.7f * (1.f - 5.f * (u - 0.3f));
	if (u > 0.5f && u <= 0.7f)
		alpha = 2.7f * (1.f - 5.f * (u - 0.5f)) + 3.1f * 5.f * (u - 0.5f);
	*out = alpha;
}

int main()
{
	run<shallow_right>("the right one is shallow");
	run<shallow_left>("the left one is shallow");
	run<written_twice>("written twice");
	run<equally_deep>("equally deep");
	run<of_arguments>("of arguments");
	run<deep_left>("the left one is deep");
	run<later_argument>("of a later argument");
	run<difference>("a difference");
	float *out, h[32];
	CHECK(cudaMalloc(&out, sizeof h));
	for (int i = 0; i < 32; i++)
		steps<<<1, 1>>>(out + i, i * 0.0213f);
	CHECK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
	show("steps", h, 32);
	float *in;
	CHECK(cudaMalloc(&in, sizeof h));
	fill<<<1, 32>>>(in);
	loop<<<1, 32>>>(out, in, 0.9f, 0.97f, 10);
	CHECK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
	show("a loop", h, 32);
}
