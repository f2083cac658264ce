/* SPDX-License-Identifier: Apache-2.0 */
/* Launches as before CUDA 4. That a function of which nothing was set is launched, with zeros as
 * parameters, is an H200's answer; the values are calculated by hand.
 *
 * Flags: -std=c++17 -lcuda
 * Schedules: free */
#include "apart.cuh"
#include "driver.cuh"

static const char text[] = R"(.version 7.0
.target sm_50
.address_size 64
.extern .shared .align 4 .b8 pool[];
.visible .entry store(.param .u64 p, .param .u32 v, .param .f32 f)
{
	.reg .u64 %p;
	.reg .u32 %t, %v, %b, %n;
	.reg .f32 %f;
	ld.param.u64 %p, [p];
	ld.param.u32 %v, [v];
	ld.param.f32 %f, [f];
	cvt.rzi.u32.f32 %n, %f;
	add.u32 %v, %v, %n;
	mov.u32 %t, %tid.x;
	mov.u32 %b, %ctaid.x;
	mov.u32 %n, %ntid.x;
	mad.lo.u32 %b, %b, %n, %t;
	mov.u32 %t, %tid.y;
	mov.u32 %n, %ntid.x;
	mad.lo.u32 %b, %t, %n, %b;
	mad.wide.u32 %p, %b, 4, %p;
	add.u32 %v, %v, %b;
	st.global.u32 [%p], %v;
	ret;
}
.visible .entry room(.param .u64 p)
{
	.reg .u64 %p;
	.reg .u32 %v;
	ld.param.u64 %p, [p];
	mov.u32 %v, %dynamic_smem_size;
	st.global.u32 [%p], %v;
	ret;
}
)";

static CUmodule module;
static CUdeviceptr p;

static CUfunction function(const char *name)
{
	CUcontext context;
	CUfunction f = NULL;
	DO(cuInit(0));
	DO(cuDevicePrimaryCtxRetain(&context, 0));
	DO(cuCtxSetCurrent(context));
	DO(cuModuleLoadData(&module, text));
	DO(cuModuleGetFunction(&f, module, name));
	DO(cuMemAlloc(&p, 64));
	return f;
}

static void print(const char *name)
{
	unsigned got[8];
	DO(cuMemcpyDtoH(got, p, sizeof got));
	say(name, "%u %u %u %u %u %u %u %u", got[0], got[1], got[2], got[3], got[4], got[5], got[6], got[7]);
	DO(cuMemsetD32(p, 0, 16));
}

int main()
{
	apart("nothing set", [] {
		CUfunction f = function("store");
		ANSWER("launch of nothing set", cuLaunch(f));
		ANSWER("then", cuCtxSynchronize());
	});
	apart("launches", [] {
		CUfunction f = function("store"), second;
		CUstream s;
		DO(cuStreamCreate(&s, 0));
		DO(cuMemsetD32(p, 0, 16));
		DO(cuFuncSetBlockShape(f, 4, 1, 1));
		DO(cuFuncSetSharedSize(f, 0));
		DO(cuParamSetSize(f, 16));
		DO(cuParamSetv(f, 0, &p, 8));
		DO(cuParamSeti(f, 8, 100));
		DO(cuLaunch(f));
		DO(cuCtxSynchronize());
		print("one block");
		DO(cuLaunchGrid(f, 2, 1));
		DO(cuCtxSynchronize());
		print("two blocks");
		DO(cuParamSeti(f, 8, 7));
		DO(cuParamSetf(f, 12, 2.5f));
		DO(cuLaunchGridAsync(f, 2, 1, s));
		DO(cuStreamSynchronize(s));
		print("in a stream");
		DO(cuFuncSetBlockShape(f, 2, 3, 1));
		DO(cuLaunch(f));
		print("rows");
		/* Settings are a function's own, and end with its module. */
		DO(cuModuleUnload(module));
		DO(cuModuleLoadData(&module, text));
		DO(cuModuleGetFunction(&second, module, "store"));
		DO(cuParamSetv(second, 0, &p, 8));
		DO(cuParamSeti(second, 8, 5));
		DO(cuLaunch(second));
		print("loaded again");
	});
	apart("shared", [] {
		CUfunction f = function("room");
		DO(cuMemsetD32(p, 0, 16));
		DO(cuParamSetv(f, 0, &p, 8));
		DO(cuLaunch(f));
		print("no shared memory");
		DO(cuFuncSetSharedSize(f, 4096));
		DO(cuLaunch(f));
		print("shared memory");
		DO(cuFuncSetSharedSize(f, 300000));
		say("too much of it", "%d", cuLaunch(f) != 0);
		print("not launched");
	});
	apart("refused", [] {
		CUfunction f = function("store");
		int x = 0;
		say("no shape", "%d %d %d", cuFuncSetBlockShape(f, 0, 1, 1) != 0, cuFuncSetBlockShape(f, -1, 1, 1) != 0,
		    cuFuncSetBlockShape(NULL, 1, 1, 1) != 0);
		say("no place", "%d %d %d %d", cuParamSeti(f, -4, 1) != 0, cuParamSeti(f, 1 << 20, 1) != 0,
		    cuParamSetv(f, 0, &x, 1 << 20) != 0, cuParamSetv(f, 0, NULL, 4) != 0);
		say("no size", "%d", cuParamSetSize(f, 1 << 20) != 0);
		say("no grid", "%d %d %d", cuLaunchGrid(f, 0, 1) != 0, cuLaunchGrid(f, 1, -1) != 0,
		    cuLaunchGridAsync(NULL, 1, 1, NULL) != 0);
		ANSWER("after all", cuCtxSynchronize());
	});
	apart_wait(0);
	return 0;
}
