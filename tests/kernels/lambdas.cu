/* SPDX-License-Identifier: Apache-2.0 */
/* What nvcc's questions about extended lambdas answer.
 *
 * Flags: -std=c++17 --extended-lambda */
#include "case.cuh"

struct functor {
	__device__ int operator()(int) const
	{
		return 1;
	}
};

#define IS_DEVICE(T) ((int)__nv_is_extended_device_lambda_closure_type(T))
#define KEEPS(T) ((int)__nv_is_extended_device_lambda_with_preserved_return_type(T))
#define IS_BOTH(T) ((int)__nv_is_extended_host_device_lambda_closure_type(T))

template <class F> static void ask(const char *name, F)
{
	say(name, "%d", IS_DEVICE(F));
}

template <class F> __global__ void call(F f, int *out)
{
	*out = f(IS_DEVICE(F));
}

int main()
{
	int n = 3;
	auto plain = [](int x) { return x; };
	auto captures = [n](int x) { return x + n; };
	auto device = [] __device__(int x) { return x; };
	auto device_captures = [n] __device__(int x) { return x + n; };
	auto device_returns = [=] __device__(int x) -> int { return x + n; };
	auto device_changes = [n] __device__(int x) mutable { return n += x; };
	auto both = [n] __host__ __device__(int x) { return x + n; };
	ask("plain", plain);
	ask("plain that captures", captures);
	ask("device", device);
	ask("device that captures", device_captures);
	ask("device with a return type", device_returns);
	ask("device, mutable", device_changes);
	ask("both", both);
	ask("functor", functor());
	ask("function", &cudaFree);
	ask("number", 3);
	say("keeps its return type", "%d %d %d %d", KEEPS(decltype(device_returns)), KEEPS(decltype(plain)),
	    KEEPS(functor), KEEPS(int));
	say("is of both sides", "%d %d %d", IS_BOTH(decltype(device)), IS_BOTH(decltype(plain)),
	    IS_BOTH(functor));
	say("is of both sides, told so", "%d", IS_BOTH(decltype(both)));
	say("keeps a return type that is not told", "%d", KEEPS(decltype(device)));
	memory<int> out(1);
	call<<<1, 1>>>(device_captures, out.there);
	CHECK(cudaDeviceSynchronize());
	out.show("asked in a kernel");
	return 0;
}
