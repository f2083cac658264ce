/* SPDX-License-Identifier: Apache-2.0 */
/* Small programs for `cudasim compare`, by the first argument; the second changes what
 * they compute. The comments say by hand what comes out. */
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__device__ int counter;
__managed__ double average;

/* y[i] = 2*i + 1, then 2.5*i + 1; y[77] is 155, then 193.5. Begun with 2 in the place of 1
 * it is 156, then 194.5: floats from 128 to 256 are 2^-16 apart, so 65536 ULP more. */
__global__ void axpy(float a, const float *x, float *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = a * x[i] + y[i];
	if (i == 0)
		counter++;
}

/* Blocks in order leave 255 (7 * 32 + 31), in reverse order, threads too, 0. The sum of
 * 1e8, 1, -1e8, 1, 3, .001, 7, .1 in float (from 2^26 on a multiple of 8): in order 11.101,
 * in reverse order .1 + 7 + .001 + 3 + 1 = 11.101, minus 1e8 is -99999992, plus 1 as well,
 * plus 1e8 is 8. */
__global__ void race(int *who, float *sum, const float *x)
{
	who[0] = blockIdx.x * blockDim.x + threadIdx.x;
	if (threadIdx.x == 0)
		atomicAdd(sum, x[blockIdx.x]);
}

struct node {
	node *next;
	int *value;
};
__global__ void chain(node *nodes, int *values, int step)
{
	int i = threadIdx.x;
	nodes[i].next = &nodes[(i + step) % 64];
	nodes[i].value = i % 2 ? values + i : &counter;
	values[i] = i;
}

__global__ void fill(unsigned *to, size_t n, unsigned seed)
{
	size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
	if (i < n)
		to[i] = (unsigned)i * 2654435761u + (i == n / 2 ? seed : 0);
}

__global__ void divide(double *to, double by)
{
	to[threadIdx.x] = (threadIdx.x - 3.0) / by;
	if (threadIdx.x == 0)
		average = by;
}

__global__ void count(int *to)
{
	atomicAdd(to, 1);
}

static float *copy(const float *from, int n)
{
	float *to;
	cudaMalloc(&to, n * sizeof(float));
	cudaMemcpy(to, from, n * sizeof(float), cudaMemcpyHostToDevice);
	return to;
}

static void axpys(int begin)
{
	const int n = 1000;
	float x[n], *y;
	cudaMallocManaged(&y, sizeof x);
	for (int i = 0; i < n; i++) {
		x[i] = i;
		y[i] = i == 77 ? begin : 1;
	}
	float *dx = copy(x, n);
	axpy<<<8, 128>>>(2, dx, y, n);
	axpy<<<8, 128>>>(0.5f, dx, y, n);
	cudaDeviceSynchronize();
	printf("y[77] = %g\n", y[77]);
}

static void races(void)
{
	const float h[8] = {1e8f, 1, -1e8f, 1, 3, 1e-3f, 7, 0.1f}, zero = 0;
	int *who;
	cudaMalloc(&who, 400);
	race<<<8, 32>>>(who, copy(&zero, 1), copy(h, 8));
}

static void chains(int step)
{
	node *nodes;
	int *values;
	cudaMalloc(&nodes, 64 * sizeof *nodes);
	cudaMalloc(&values, 64 * sizeof *values);
	chain<<<1, 64>>>(nodes, values, step);
}

/* 4 MiB: more than a recording holds in full. */
static void fills(unsigned seed)
{
	size_t n = 1 << 20;
	unsigned *to;
	cudaMallocAsync(&to, n * sizeof *to, 0);
	fill<<<n / 256, 256>>>(to, n, seed);
	cudaFreeAsync(to, 0);
}

/* By 0: the fourth is NaN, the others infinite. */
static void divides(double by)
{
	double *to;
	size_t pitch;
	cudaMallocPitch(&to, &pitch, 8 * sizeof *to, 1);
	divide<<<1, 8>>>(to, by);
}

/* A graph of two launches is one launch of a graph. */
static void graphs(int n)
{
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	int *to;
	cudaMalloc(&to, 4);
	cudaStreamCreate(&stream);
	cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
	count<<<1, n, 0, stream>>>(to);
	count<<<1, n, 0, stream>>>(to);
	cudaStreamEndCapture(stream, &graph);
	cudaGraphInstantiate(&exec, graph, 0);
	cudaGraphLaunch(exec, stream);
	cudaStreamSynchronize(stream);
}

/* Memory used before, and freed, is zero when it comes again. */
static void again(void)
{
	unsigned *to, sum = 0, h[256];
	cudaMalloc(&to, sizeof h);
	fill<<<1, 256>>>(to, 256, 1);
	cudaFree(to);
	cudaMalloc(&to, sizeof h);
	cudaMemcpy(h, to, sizeof h, cudaMemcpyDeviceToHost);
	for (unsigned word : h)
		sum |= word;
	printf("fresh memory holds %u\n", sum);
	count<<<1, 1>>>((int *)to);
	cudaError_t error = cudaGetLastError();
	if (error)
		printf("an error that was not there: %d\n", error);
}

static void launches(int n)
{
	int *to;
	cudaMalloc(&to, 4);
	for (int i = 0; i < n; i++)
		count<<<1, 32>>>(to);
	cudaDeviceSynchronize();
}

static void threads(int n)
{
	int *to;
	cudaMalloc(&to, 4);
	count<<<1, n>>>(to);
}

/* count() in a null pointer, or in a variable. */
static void faults(bool null)
{
	void *to = nullptr;
	if (!null)
		cudaGetSymbolAddress(&to, counter);
	count<<<1, 1>>>((int *)to);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "", *second = argc > 2 ? argv[2] : "";
	if (getenv("APP_ARGUMENT"))
		second = getenv("APP_ARGUMENT");
	if (!strcmp(what, "axpy"))
		axpys(*second ? atoi(second) : 1);
	else if (!strcmp(what, "race"))
		races();
	else if (!strcmp(what, "chain"))
		chains(*second ? atoi(second) : 1);
	else if (!strcmp(what, "fill"))
		fills((unsigned)atoi(second));
	else if (!strcmp(what, "divide"))
		divides(*second ? atof(second) : 2);
	else if (!strcmp(what, "graph"))
		graphs(*second ? atoi(second) : 32);
	else if (!strcmp(what, "again"))
		again();
	else if (!strcmp(what, "launches"))
		launches(*second ? atoi(second) : 3);
	else if (!strcmp(what, "threads"))
		threads(*second ? atoi(second) : 32);
	else if (!strcmp(what, "fault"))
		faults(*second);
	else if (!strcmp(what, "abort")) {
		launches(2);
		if (*second)
			abort();
	} else if (!strcmp(what, "stdin")) {
		int n;
		if (scanf("%d", &n) == 1)
			launches(n);
	}
	cudaError_t error = cudaDeviceSynchronize();
	printf("%s: %s\n", what, cudaGetErrorName(error));
	return 0;
}
