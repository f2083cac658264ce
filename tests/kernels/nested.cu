/* SPDX-License-Identifier: Apache-2.0 */
/* Programs whose kernels launch kernels: a quicksort, a quadtree, the tessellation of Bezier
 * curves, a reduction that narrows itself.
 *
 * Flags: -rdc=true -lcudadevrt */
#include <cuda_runtime.h>

#include "case.cuh"

/* ---- quicksort: each part is sorted by a launch of its own, in a stream of its own ----- */

enum { SORT_DEPTH = 10, SORT_SMALL = 24 };

template <typename T> __device__ void sort_small(T *data, int left, int right)
{
	for (int i = left + 1; i <= right; i++) {
		T held = data[i];
		int k = i - 1;
		for (; k >= left && held < data[k]; k--)
			data[k + 1] = data[k];
		data[k + 1] = held;
	}
}

__device__ unsigned sort_launches;

template <typename T> __global__ void quicksort(T *data, int left, int right, int depth)
{
	atomicAdd(&sort_launches, 1u);
	if (depth >= SORT_DEPTH || right - left <= SORT_SMALL) {
		sort_small(data, left, right);
		return;
	}
	T pivot = data[(left + right) / 2];
	int i = left, k = right;
	while (i <= k) {
		while (data[i] < pivot)
			i++;
		while (pivot < data[k])
			k--;
		if (i <= k) {
			T held = data[i];
			data[i++] = data[k];
			data[k--] = held;
		}
	}
	cudaStream_t streams[2];
	for (int s = 0; s < 2; s++)
		cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking);
	if (left < k)
		quicksort<<<1, 1, 0, streams[0]>>>(data, left, k, depth + 1);
	if (i < right)
		quicksort<<<1, 1, 0, streams[1]>>>(data, i, right, depth + 1);
	for (int s = 0; s < 2; s++)
		cudaStreamDestroy(streams[s]);
}

template <typename T> static void sort(const char *name, int n)
{
	std::vector<T> values(n);
	uint32_t seed = 12345;
	for (T &value : values) {
		seed = seed * 1664525u + 1013904223u;
		value = (T)(seed >> 8) / (T)7;
	}
	T *data;
	unsigned launches = 0;
	CHECK(cudaMalloc(&data, n * sizeof(T)));
	CHECK(cudaMemcpy(data, values.data(), n * sizeof(T), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpyToSymbol(sort_launches, &launches, sizeof launches));
	quicksort<<<1, 1>>>(data, 0, n - 1, 0);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(values.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpyFromSymbol(&launches, sort_launches, sizeof launches));
	show(name, values.data(), n);
	printf("%s launches: %u\n", name, launches);
	CHECK(cudaFree(data));
}

/* ---- quadtree: four blocks a node, nodes with many points launch their four ------------- */

struct point {
	float x, y;
};

struct node {
	float x0, y0, x1, y1;
	int begin, end;
};

enum { MAX_DEPTH = 8, LEAF_POINTS = 8 };

__device__ int leaf_of_depth[MAX_DEPTH + 1], leaf_points;
__device__ unsigned long long leaf_hash;

/* The block sorts its node's points into quarters, from one buffer into the other, and its
 * first thread launches the four. */
__global__ void quadtree(point *points, point *other, const node *nodes, node *free_nodes, int depth)
{
	__shared__ int count[4], at[4];
	node n = nodes[blockIdx.x];
	float mx = 0.5f * (n.x0 + n.x1), my = 0.5f * (n.y0 + n.y1);
	if (n.end - n.begin <= LEAF_POINTS || depth == MAX_DEPTH) {
		if (threadIdx.x == 0) {
			atomicAdd(&leaf_of_depth[depth], 1);
			atomicAdd(&leaf_points, n.end - n.begin);
			atomicAdd(&leaf_hash, (unsigned long long)(n.end - n.begin + 1) *
				(unsigned long long)((n.x0 + 2.0f * n.y0) * 4096.0f + 1.0f));
		}
		return;
	}
	if (threadIdx.x < 4)
		count[threadIdx.x] = 0;
	__syncthreads();
	for (int i = n.begin + threadIdx.x; i < n.end; i += blockDim.x)
		atomicAdd(&count[(points[i].x >= mx) + 2 * (points[i].y >= my)], 1);
	__syncthreads();
	if (threadIdx.x == 0)
		for (int q = 0, sum = n.begin; q < 4; sum += count[q++])
			at[q] = sum;
	__syncthreads();
	for (int i = n.begin + threadIdx.x; i < n.end; i += blockDim.x)
		other[atomicAdd(&at[(points[i].x >= mx) + 2 * (points[i].y >= my)], 1)] = points[i];
	__syncthreads();
	if (threadIdx.x)
		return;
	node *children = free_nodes + 4 * blockIdx.x;
	for (int q = 0; q < 4; q++) {
		float x0 = q & 1 ? mx : n.x0, y0 = q & 2 ? my : n.y0;
		children[q] = {x0, y0, q & 1 ? n.x1 : mx, q & 2 ? n.y1 : my, at[q] - count[q], at[q]};
	}
	/* A subtree of height h has 4^h nodes below each of its own on the next level. */
	int below = 4;
	for (int d = depth + 1; d < MAX_DEPTH; d++)
		below = 4 * below + 4;
	node *rest = free_nodes + 4 * gridDim.x + blockIdx.x * (below - 4);
	quadtree<<<4, 64>>>(other, points, children, rest, depth + 1);
}

static void tree(int n)
{
	std::vector<point> points(n);
	uint32_t seed = 99;
	for (point &p : points)
		for (float *c : {&p.x, &p.y}) {
			seed = seed * 1664525u + 1013904223u;
			float u = (float)(seed >> 8) / 16777216.0f;
			*c = u * u;
		}
	point *here, *there;
	node *nodes, root = {0, 0, 1, 1, 0, n};
	int leaves[MAX_DEPTH + 1] = {}, all = 0;
	unsigned long long hash = 0;
	size_t n_nodes = 1;
	for (int d = 0, level = 1; d <= MAX_DEPTH; d++, level *= 4)
		n_nodes += level * 4;
	CHECK(cudaMalloc(&here, n * sizeof(point)));
	CHECK(cudaMalloc(&there, n * sizeof(point)));
	CHECK(cudaMalloc(&nodes, n_nodes * sizeof(node)));
	CHECK(cudaMemcpy(here, points.data(), n * sizeof(point), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(nodes, &root, sizeof root, cudaMemcpyHostToDevice));
	quadtree<<<1, 64>>>(here, there, nodes, nodes + 1, 0);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpyFromSymbol(leaves, leaf_of_depth, sizeof leaves));
	CHECK(cudaMemcpyFromSymbol(&all, leaf_points, sizeof all));
	CHECK(cudaMemcpyFromSymbol(&hash, leaf_hash, sizeof hash));
	show("quadtree leaves by depth", leaves, MAX_DEPTH + 1);
	printf("quadtree points: %d\nquadtree hash: %llu\n", all, hash);
	CHECK(cudaFree(here));
	CHECK(cudaFree(there));
	CHECK(cudaFree(nodes));
}

/* ---- Bezier curves: each curve's launch makes as many points as it bends ---------------- */

struct curve {
	float2 control[3];
	float2 *points;
	int n;
};

__global__ void tessellate(curve *curves, int which)
{
	curve *c = &curves[which];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= c->n)
		return;
	float u = (float)i / (float)(c->n - 1), v = 1.0f - u;
	c->points[i] = make_float2(
		v * v * c->control[0].x + 2.0f * u * v * c->control[1].x + u * u * c->control[2].x,
		v * v * c->control[0].y + 2.0f * u * v * c->control[1].y + u * u * c->control[2].y);
}

__global__ void measure(curve *curves, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	curve *c = &curves[i];
	float dx = c->control[0].x - 2.0f * c->control[1].x + c->control[2].x;
	float dy = c->control[0].y - 2.0f * c->control[1].y + c->control[2].y;
	c->n = min(max((int)(fabsf(dx) + fabsf(dy)), 4), 128);
	c->points = nullptr;
	if (cudaMalloc((void **)&c->points, c->n * sizeof(float2)) != cudaSuccess)
		return;
	tessellate<<<(c->n + 31) / 32, 32>>>(curves, i);
}

__global__ void gather(curve *curves, int n, int *counts, float *sums)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float sum = 0.0f;
	for (int k = 0; k < curves[i].n; k++)
		sum += curves[i].points[k].x - curves[i].points[k].y;
	counts[i] = curves[i].n;
	sums[i] = sum;
	cudaFree(curves[i].points);
}

static void bezier(int n)
{
	std::vector<curve> host(n);
	uint32_t seed = 5;
	for (curve &c : host)
		for (float2 &p : c.control)
			for (float *f : {&p.x, &p.y}) {
				seed = seed * 1664525u + 1013904223u;
				*f = (float)(seed >> 24);
			}
	curve *curves;
	int *counts;
	float *sums;
	CHECK(cudaMalloc(&curves, n * sizeof(curve)));
	CHECK(cudaMalloc(&counts, n * sizeof(int)));
	CHECK(cudaMalloc(&sums, n * sizeof(float)));
	CHECK(cudaMemcpy(curves, host.data(), n * sizeof(curve), cudaMemcpyHostToDevice));
	measure<<<(n + 63) / 64, 64>>>(curves, n);
	CHECK(cudaDeviceSynchronize());
	gather<<<(n + 63) / 64, 64>>>(curves, n, counts, sums);
	CHECK(cudaDeviceSynchronize());
	std::vector<int> c(n);
	std::vector<float> s(n);
	CHECK(cudaMemcpy(c.data(), counts, n * sizeof(int), cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(s.data(), sums, n * sizeof(float), cudaMemcpyDeviceToHost));
	show("bezier counts", c.data(), n);
	show("bezier sums", s.data(), n);
	CHECK(cudaFree(curves));
	CHECK(cudaFree(counts));
	CHECK(cudaFree(sums));
}

/* ---- a reduction that launches the next, narrower one when all of it is done ------------ */

__global__ void reduce(const int *in, int *out, int n, long long *result)
{
	extern __shared__ int part[];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	part[threadIdx.x] = i < n ? in[i] : 0;
	__syncthreads();
	for (unsigned half = blockDim.x / 2; half; half /= 2) {
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
		__syncthreads();
	}
	if (threadIdx.x)
		return;
	out[blockIdx.x] = part[0];
	if (blockIdx.x)
		return;
	if (gridDim.x > 1)
		reduce<<<(gridDim.x + blockDim.x - 1) / blockDim.x, blockDim.x, blockDim.x * sizeof(int),
			 cudaStreamTailLaunch>>>(out, out + gridDim.x, gridDim.x, result);
	else
		*result = part[0];
}

/* The same within one block: each launch halves what is left, in the block's own stream. */
__global__ void halve(int *data, int half)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	if (i < half)
		data[i] += data[i + half];
}

__global__ void halvings(int *data, int n)
{
	if (threadIdx.x == 0)
		for (int half = n / 2; half; half /= 2)
			halve<<<(half + 127) / 128, 128>>>(data, half);
}

static void reduction(int n)
{
	std::vector<int> values(n);
	for (int i = 0; i < n; i++)
		values[i] = (int)((i * 2654435761u) >> 20);
	int *in, *out;
	long long *result, sum = 0;
	CHECK(cudaMalloc(&in, n * sizeof(int)));
	CHECK(cudaMalloc(&out, n * sizeof(int)));
	CHECK(cudaMalloc(&result, sizeof *result));
	CHECK(cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
	reduce<<<(n + 63) / 64, 64, 64 * sizeof(int)>>>(in, out, n, result);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(&sum, result, sizeof sum, cudaMemcpyDeviceToHost));
	printf("reduction by tail launches: %lld\n", sum);
	halvings<<<1, 32>>>(in, n);
	CHECK(cudaMemcpy(values.data(), in, sizeof(int), cudaMemcpyDeviceToHost));
	printf("reduction by halves: %d\n", values[0]);
	CHECK(cudaFree(in));
	CHECK(cudaFree(out));
	CHECK(cudaFree(result));
}

int main()
{
	sort<unsigned>("quicksort unsigned", 3000);
	sort<double>("quicksort double", 500);
	tree(4000);
	bezier(200);
	reduction(1 << 16);
	return 0;
}
