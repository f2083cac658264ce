/* SPDX-License-Identifier: Apache-2.0 */
/* The host's side: launches, textures, kernels from kernels, modules, NVRTC.
 *
 * Flags: -std=c++20 -arch=sm_90 -rdc=true -lcudadevrt -lnvrtc -lcuda */
#include <cuda.h>
#include <nvrtc.h>
#include <string>
#include <vector>

#include "snippet.cuh"

template <typename T, int N> __global__ void fill(T *p, T v) { if (threadIdx.x < N) p[threadIdx.x] = v + (T)threadIdx.x; }
HOST_SNIPPET(template_kernel) { fill<int, 3><<<1, 8>>>(o, 40); auto k = fill<int, 2>; k<<<1, 8>>>(o + 4, 7); }
HOST_SNIPPET(launch_by_pointer) { int v = 9; void *a[] = {&o, &v}; cudaLaunchKernel((const void *)fill<int, 4>, dim3(1), dim3(8), a, 0, 0); }
HOST_SNIPPET(launch_extended) { cudaLaunchConfig_t c = {}; c.gridDim = 1; c.blockDim = 4; cudaLaunchKernelEx(&c, fill<int, 4>, o, 11); }
__global__ void counts(int *o) { atomicAdd(&o[0], 1); atomicMax(&o[1], (int)(blockIdx.y * 10 + blockIdx.x)); o[2] = blockDim.z; }
HOST_SNIPPET(dimensions) { counts<<<dim3(3, 2), dim3(2, 2, 2)>>>(o); }
HOST_SNIPPET(braced_launch) { counts<<<{2, 2}, {4, 1}>>>(o); }

__global__ void child(int *o, int v) { o[threadIdx.x] = v + threadIdx.x; }
SNIPPET(kernel_from_kernel, 1) { child<<<1, 4>>>(o, 20); child<<<1, 2, 0, cudaStreamTailLaunch>>>(o + 5, 50); }
__global__ void countdown(int *o, int n) { atomicAdd(o, n); if (n) countdown<<<1, 1>>>(o, n - 1); }
SNIPPET(recursive_launch, 1) { countdown<<<1, 1>>>(o, 4); }

__global__ void sample(cudaTextureObject_t t, int *o) { o[threadIdx.x] = (int)(tex2D<float>(t, threadIdx.x + 0.5f, 0.5f) * 10); o[4] = (int)(tex2D<float>(t, 1.f, 1.f) * 10); }
HOST_SNIPPET(texture_2d) { cudaArray_t a; auto d = cudaCreateChannelDesc<float>(); cudaMallocArray(&a, &d, 4, 2); float v[8] = {1, 2, 3, 4, 5, 6, 7, 8}; cudaMemcpy2DToArray(a, 0, 0, v, 16, 16, 2, cudaMemcpyHostToDevice); cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = a; cudaTextureDesc t = {}; t.filterMode = cudaFilterModeLinear; t.addressMode[0] = t.addressMode[1] = cudaAddressModeClamp; cudaTextureObject_t x; cudaCreateTextureObject(&x, &r, &t, nullptr); sample<<<1, 4>>>(x, o); cudaDeviceSynchronize(); cudaDestroyTextureObject(x); cudaFreeArray(a); }
__global__ void fetch_line(cudaTextureObject_t t, int *o) { o[threadIdx.x] = tex1Dfetch<int>(t, 7 - threadIdx.x); }
HOST_SNIPPET(texture_linear) { int *p; cudaMalloc(&p, 32); int v[8] = {0, 10, 20, 30, 40, 50, 60, 70}; cudaMemcpy(p, v, 32, cudaMemcpyHostToDevice); cudaResourceDesc r = {}; r.resType = cudaResourceTypeLinear; r.res.linear.devPtr = p; r.res.linear.desc = cudaCreateChannelDesc<int>(); r.res.linear.sizeInBytes = 32; cudaTextureDesc t = {}; cudaTextureObject_t x; cudaCreateTextureObject(&x, &r, &t, nullptr); fetch_line<<<1, 8>>>(x, o); cudaDeviceSynchronize(); cudaFree(p); }
__global__ void write_surface(cudaSurfaceObject_t s, int *o) { surf2Dwrite(threadIdx.x * 3, s, threadIdx.x * 4, 0); __syncthreads(); o[threadIdx.x] = surf2Dread<int>(s, (3 - threadIdx.x) * 4, 0); }
HOST_SNIPPET(surface) { cudaArray_t a; auto d = cudaCreateChannelDesc<int>(); cudaMallocArray(&a, &d, 4, 1, cudaArraySurfaceLoadStore); cudaResourceDesc r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = a; cudaSurfaceObject_t s; cudaCreateSurfaceObject(&s, &r); write_surface<<<1, 4>>>(s, o); cudaDeviceSynchronize(); cudaFreeArray(a); }

HOST_SNIPPET(streams_and_events) { cudaStream_t s; cudaStreamCreate(&s); cudaEvent_t e; cudaEventCreate(&e); fill<int, 2><<<1, 8, 0, s>>>(o, 3); cudaEventRecord(e, s); cudaStreamWaitEvent(0, e); fill<int, 2><<<1, 8>>>(o + 2, 5); cudaStreamSynchronize(s); o[4] = cudaEventQuery(e) == cudaSuccess; cudaStreamDestroy(s); cudaEventDestroy(e); }
HOST_SNIPPET(captured_graph) { cudaStream_t s; cudaStreamCreate(&s); cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); child<<<1, 4, 0, s>>>(o, 60); cudaGraph_t g; cudaStreamEndCapture(s, &g); cudaGraphExec_t x; cudaGraphInstantiate(&x, g, 0); cudaGraphLaunch(x, s); cudaStreamSynchronize(s); size_t n; cudaGraphGetNodes(g, nullptr, &n); o[7] = (int)n; }
HOST_SNIPPET(stream_ordered_memory) { int *p; cudaMallocAsync(&p, 16, 0); cudaMemsetAsync(p, 1, 16, 0); cudaMemcpyAsync(o, p, 16, cudaMemcpyDefault, 0); cudaFreeAsync(p, 0); }
HOST_SNIPPET(host_function) { cudaLaunchHostFunc(0, [](void *p) { *(int *)p = 88; }, o); cudaDeviceSynchronize(); }
HOST_SNIPPET(function_attributes) { cudaFuncAttributes a; cudaFuncGetAttributes(&a, fill<int, 3>); o[0] = a.maxThreadsPerBlock; o[1] = (int)a.sharedSizeBytes; o[2] = cudaFuncSetAttribute(child, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000); }
__device__ int symbol_value = 17;
HOST_SNIPPET(device_symbol) { int *p; cudaGetSymbolAddress((void **)&p, symbol_value); size_t n; cudaGetSymbolSize(&n, symbol_value); cudaMemcpy(o, p, n, cudaMemcpyDefault); o[1] = (int)n; }

static void launch_ptx(const char *ptx, const char *name, int *o, unsigned shared)
{
	CUmodule m; CUfunction f; void *a[] = {&o};
	int e = cuModuleLoadData(&m, ptx);
	o[7] = e ? e : cuModuleGetFunction(&f, m, name);
	if (!o[7]) { cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, shared, 0, a, 0); cudaDeviceSynchronize(); cuModuleUnload(m); }
}
static const char hidden_ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
	".extern .shared .align 16 .b8 sized[256];\n.shared .align 256 .b8 aligned[512];\n"
	".entry hidden(.param .u64 p)\n{\n.reg .b64 %a<2>; .reg .b32 %r<6>;\nld.param.u64 %a1, [p];\n"
	"mov.u32 %r1, sized; st.shared.u32 [%r1+8], 5; ld.shared.u32 %r2, [sized+8]; st.global.u32 [%a1], %r2;\n"
	"mov.u32 %r3, aligned; and.b32 %r4, %r3, 255; st.global.u32 [%a1+4], %r4; ret;\n}\n";
HOST_SNIPPET(ptx_without_visible) { launch_ptx(hidden_ptx, "hidden", o, 0); }
static const char local_ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
	".visible .entry locals(.param .u64 p)\n{\n.local .align 8 .b8 a[64];\n.local .align 8 .b8 b[32];\n"
	".reg .b64 %a<5>; .reg .b32 %r<12>;\nld.param.u64 %a1, [p];\nmov.u32 %r1, a; mov.u32 %r2, b;\n"
	"st.local.u32 [%r1+4], 77; add.u32 %r3, %r1, 4; ld.local.u32 %r4, [%r3]; st.global.u32 [%a1], %r4;\n"
	"st.local.u32 [%r2], 66; mov.u32 %r9, %tid.x; mul.lo.u32 %r9, %r9, 0; add.u32 %r9, %r9, %r2; ld.local.u32 %r10, [%r9]; st.global.u32 [%a1+4], %r10;\n"
	"cvt.u64.u32 %a2, %r1; cvta.local.u64 %a3, %a2; ld.u32 %r5, [%a3+4]; st.global.u32 [%a1+8], %r5;\n"
	"cvta.to.local.u64 %a4, %a3; cvt.u32.u64 %r6, %a4; ld.local.u32 %r7, [%r6+4]; st.global.u32 [%a1+12], %r7;\n"
	"ld.local.u32 %r8, [%a2+4]; st.global.u32 [%a1+16], %r8; ret;\n}\n";
HOST_SNIPPET(ptx_narrow_local) { launch_ptx(local_ptx, "locals", o, 0); }

static void compile_and_run(const char *source, const char *name, int *o, std::vector<const char *> options)
{
	nvrtcProgram p; const char *lowered; size_t n;
	nvrtcCreateProgram(&p, source, "x.cu", 0, nullptr, nullptr);
	nvrtcAddNameExpression(p, name);
	options.push_back("--gpu-architecture=compute_90");
	o[7] = nvrtcCompileProgram(p, (int)options.size(), options.data());
	if (o[7] || nvrtcGetLoweredName(p, name, &lowered)) return;
	nvrtcGetPTXSize(p, &n);
	std::string ptx(n, 0);
	nvrtcGetPTX(p, ptx.data());
	launch_ptx(ptx.c_str(), lowered, o, 0);
	nvrtcDestroyProgram(&p);
}
HOST_SNIPPET(nvrtc_template) { compile_and_run("template <int N> __global__ void k(int *o) { o[threadIdx.x] = N * threadIdx.x; }", "k<5>", o, {}); }
HOST_SNIPPET(nvrtc_options) { compile_and_run("extern \"C\" __global__ void k(int *o) { o[0] = VALUE; o[1] = __cplusplus / 100; }", "k", o, {"-DVALUE=33", "-std=c++20"}); }
HOST_SNIPPET(nvrtc_guides) { compile_and_run("template <class... F> struct over : F... { using F::operator()...; }; template <class... F> over(F...) -> over<F...>;\n__global__ void k(int *o) { over f{[](int x) { return x; }, [](float x) { return (int)(x * 4); }}; o[0] = f(3); o[1] = f(2.5f); }", "k", o, {"-std=c++20"}); }
HOST_SNIPPET(nvrtc_relocatable) { compile_and_run("__device__ int helper(int x) { return x + 1; }\n__global__ void k(int *o) { o[0] = helper(4); }", "k", o, {"-rdc=true"}); }
HOST_SNIPPET(current_device) { int d = -1, n; cudaGetDevice(&d); cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, d); o[0] = d; o[1] = n; cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); o[2] = p.major; }
