/* SPDX-License-Identifier: Apache-2.0 */
/* The Lomb-Scargle periodogram of unevenly sampled data (N. R. Lomb 1976,
 * J. D. Scargle 1982), one frequency a thread, in float and in double.
 *
 * For each angular frequency w the data are fitted with sine and cosine waves,
 * shifted by tau so that the two are orthogonal on the given times:
 *   tan(2 w tau) = sum(sin 2wt) / sum(cos 2wt)
 *   P(w) = 1/2 [ (sum y cos w(t-tau))^2 / sum cos^2 w(t-tau)
 *              + (sum y sin w(t-tau))^2 / sum sin^2 w(t-tau) ]
 *
 * usage: periodogram [frequencies samples] */
#include <vector>

#include "../check.h"

static const int THREADS = 128;

template <typename real>
__global__ __launch_bounds__(THREADS) void
lomb_scargle(const real *times, const real *values, int n, real first, real step, real *power,
	     int n_frequencies)
{
	int k = blockIdx.x * blockDim.x + threadIdx.x;
	if (k >= n_frequencies)
		return;

	real w = first + k * step;
	real sin2 = 0, cos2 = 0;
	for (int i = 0; i < n; i++) {
		sin2 += sin(2 * w * times[i]);
		cos2 += cos(2 * w * times[i]);
	}
	real shift = atan2(sin2, cos2) / 2; /* w tau */

	real ys = 0, yc = 0, ss = 0, cc = 0;
	for (int i = 0; i < n; i++) {
		real s = sin(w * times[i] - shift);
		real c = cos(w * times[i] - shift);
		ys += values[i] * s;
		yc += values[i] * c;
		ss += s * s;
		cc += c * c;
	}
	power[k] = (yc * yc / cc + ys * ys / ss) / 2;
}

template <typename real> static void analyse(const char *name, int n_frequencies, int n)
{
	/* Two waves, of angular frequency 2.5 and 7.25, seen at uneven times. */
	std::vector<real> times(n), values(n), power(n_frequencies);
	uint32_t random = 12345;
	double t = 0;
	for (int i = 0; i < n; i++) {
		random = random * 1664525u + 1013904223u;
		t += 0.01 + 0.2 * (random >> 8) / 16777216.0;
		times[i] = t;
		/* Rounded to steps that float holds exactly, so that the host's own
		 * sin, which is not the same everywhere, leaves no trace. */
		values[i] = rint(1024 * (sin(2.5 * t) + 0.5 * cos(7.25 * t))) / 1024;
	}

	real *dt, *dy, *dp;
	CHECK(cudaMalloc(&dt, n * sizeof(real)));
	CHECK(cudaMalloc(&dy, n * sizeof(real)));
	CHECK(cudaMalloc(&dp, n_frequencies * sizeof(real)));
	CHECK(cudaMemcpy(dt, times.data(), n * sizeof(real), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dy, values.data(), n * sizeof(real), cudaMemcpyHostToDevice));
	double start = now();
	real first = 0.125, step = 10.0 / n_frequencies;
	lomb_scargle<<<(n_frequencies + THREADS - 1) / THREADS, THREADS>>>(
		dt, dy, n, first, step, dp, n_frequencies);
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(power.data(), dp, n_frequencies * sizeof(real),
			 cudaMemcpyDeviceToHost));
	fprintf(stderr, "%s: %.3f ms\n", name, 1e3 * (now() - start));

	int best = 0;
	for (int k = 1; k < n_frequencies; k++)
		if (power[k] > power[best])
			best = k;
	printf("%-6s strongest at %.9g, power %.9g; power[0] %.17g, bits %016llx\n", name,
	       (double)(first + best * step), (double)power[best], (double)power[0],
	       (unsigned long long)bits(power.data(), power.size()));
	CHECK(cudaFree(dt));
	CHECK(cudaFree(dy));
	CHECK(cudaFree(dp));
}

int main(int argc, char **argv)
{
	int n_frequencies = argument(argc, argv, 1, 2048);
	int n = argument(argc, argv, 2, 500);

	cudaFuncAttributes attributes;
	CHECK(cudaFuncGetAttributes(&attributes, lomb_scargle<float>));
	printf("threads a block may have: %d\n", attributes.maxThreadsPerBlock);
	lomb_scargle<float><<<1, THREADS + 1>>>(nullptr, nullptr, 0, 0, 0, nullptr, 0);
	printf("one thread more: %s\n", cudaGetErrorName(cudaGetLastError()));

	analyse<float>("float", n_frequencies, n);
	analyse<double>("double", n_frequencies, n);
	return 0;
}
