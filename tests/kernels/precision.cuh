/* SPDX-License-Identifier: Apache-2.0 */
/* precision.cuh - arithmetic whose bits depend on nvcc's precision flags; included by
 * one .cu for each set of flags. */
#include "case.cuh"

__global__ void arithmetic(float *out, const float *in)
{
	float a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
	float *o = out + 10 * threadIdx.x;
	o[0] = a * b + a;
	o[1] = a * b - b * b;
	o[2] = a / b;
	o[3] = 1.0f / a;
	o[4] = sqrtf(a);
	o[5] = 1.0f / sqrtf(fabsf(a));
	o[6] = a * 1e-20f * 1e-20f;
	o[7] = a + b;
	o[8] = a == 0.0f;
	o[9] = fmaf(a, b, 1.0f);
}

__global__ void functions(float *out, const float *in)
{
	float a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];
	float *o = out + 16 * threadIdx.x, s, c;
	o[0] = sinf(a);
	o[1] = cosf(a);
	o[2] = tanf(a);
	o[3] = expf(a);
	o[4] = exp2f(a);
	o[5] = exp10f(a);
	o[6] = logf(fabsf(a));
	o[7] = log2f(fabsf(a));
	o[8] = log10f(fabsf(a));
	o[9] = powf(fabsf(a), b);
	sincosf(a, &s, &c);
	o[10] = s + c;
	o[11] = fdividef(a, b);
	o[12] = tanhf(a);
	o[13] = rsqrtf(fabsf(a));
	o[14] = atan2f(a, b);
	o[15] = erff(a);
}

__global__ void doubles(double *out, double a, double b)
{
	out[0] = a * b + a;
	out[1] = a / b;
	out[2] = sqrt(a);
	out[3] = sin(a);
	out[4] = pow(a, b);
	out[5] = a * a - b * b;
	out[6] = exp(a) + log(b);
}

int main()
{
	const float pairs[8][2] = {{1.1f, 1.3f},   {-0.7f, 2.5f}, {3.14159f, -1.0f}, {1e-39f, 3.0f},
				   {12.5f, 0.01f}, {88.0f, 5e-39f}, {0.0f, 1.5f},    {1e6f, 7.7f}};
	for (int k = 0; k < 8; k++) {
		memory<float> in(std::vector<float>{pairs[k][0], pairs[k][1]});
		char name[32];
		snprintf(name, sizeof name, "arithmetic %d", k);
		run(name, 10, 1, 1, arithmetic, (const float *)in.there);
		snprintf(name, sizeof name, "functions %d", k);
		run(name, 16, 1, 1, functions, (const float *)in.there);
	}
	run("doubles", 7, 1, 1, doubles, 1.1, 1.3);
	return 0;
}
