/* SPDX-License-Identifier: Apache-2.0 */
/* drivergraph.cuh - how tests of the driver's graphs make nodes and run a graph. */
#ifndef DRIVERGRAPH_CUH
#define DRIVERGRAPH_CUH

#include <cuda.h>
#include <cuda_runtime.h>

#include "driverstate.cuh"

__global__ void advance(unsigned *p, unsigned by)
{
	p[threadIdx.x] += by;
}

static CUfunction f_advance;

static void run(const char *name, CUgraph graph, CUdeviceptr from, int n)
{
	CUgraphExec exec;
	DO(cuGraphInstantiateWithFlags(&exec, graph, 0));
	DO(cuGraphLaunch(exec, s));
	DO(cuStreamSynchronize(s));
	DO(cuMemcpyDtoH(got, from, n * 4));
	show(name, got, n);
	DO(cuGraphExecDestroy(exec));
}

static CUDA_MEMSET_NODE_PARAMS set_of(CUdeviceptr to, unsigned value, size_t n)
{
	CUDA_MEMSET_NODE_PARAMS m = {};
	m.dst = to;
	m.value = value;
	m.elementSize = 4;
	m.width = n;
	m.height = 1;
	return m;
}

static CUDA_KERNEL_NODE_PARAMS kernel_of(CUfunction f, unsigned threads, void **args)
{
	CUDA_KERNEL_NODE_PARAMS k = {};
	k.func = f;
	k.gridDimX = k.gridDimY = k.gridDimZ = 1;
	k.blockDimX = threads;
	k.blockDimY = k.blockDimZ = 1;
	k.kernelParams = args;
	return k;
}

static CUDA_MEMCPY3D copy_of(CUdeviceptr to, CUdeviceptr from, size_t bytes)
{
	CUDA_MEMCPY3D c = {};
	c.dstMemoryType = c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	c.dstDevice = to;
	c.srcDevice = from;
	c.WidthInBytes = bytes;
	c.Height = c.Depth = 1;
	return c;
}

static void graph_begin()
{
	state_begin();
	DO(cuMemsetD32(q, 0, 64));
	DO(cuCtxSynchronize()); /* it is the legacy stream's, which s does not wait for */
	cudaGetFuncBySymbol(&f_advance, (const void *)advance);
}

#endif
