/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - what device code may ask of the simulator. Under nvcc all of it is nothing.
 *
 *   cudasim_break();
 *       Stops there under `cudasim debug`, for the thread that calls it; nothing without
 *       a debugger.
 *
 *   cudasim_host(F, ARGUMENTS...);
 *       Calls F(ARGUMENTS...) on the host, from inside the kernel, and waits until it
 *       returns: for a log, a plot, a look at the host's data. F is a function of the
 *       host's or a lambda, ARGUMENTS are evaluated by the calling thread and copied; F
 *       sees the kernel's local variables that it names as copies, too. What the function
 *       returns is dropped. It must not call the CUDA API. Calls of different threads may
 *       come at the same time from several pthreads, unless CUDASIM_SCHEDULE or a
 *       debugger orders them.
 *
 *           __global__ void relax(float *a) {
 *             ...
 *             if (threadIdx.x == 0)
 *               cudasim_host(printf, "block %u: residual %g\n", blockIdx.x, residual);
 *
 * Needs C++14. */
#ifndef CUDASIM_DEVICE_H
#define CUDASIM_DEVICE_H

#ifndef __CUDASIM__

#define cudasim_break() ((void)0)
#define cudasim_host(...) ((void)0)

#else

#define cudasim_break() __brkpt()
#define cudasim_host(f, ...)                                                                       \
	do {                                                                                       \
		auto cudasim_f = [=] __host__(auto &...cudasim_a) { (f)(cudasim_a...); };          \
		using cudasim_work =                                                               \
			::cudasim_detail::work<::cudasim_detail::hash(__PRETTY_FUNCTION__),        \
					       decltype(cudasim_f),                                \
					       decltype(::cudasim_detail::copy(__VA_ARGS__))>;     \
		CUDASIM_ON_HOST(cudasim_work, cudasim_f, ##__VA_ARGS__);                           \
	} while (0)

/* The device's compilation calls; the host's registers what is called, by naming a
 * variable whose initialisation does that. */
#ifdef __CUDA_ARCH__
#define CUDASIM_ON_HOST(work, f, ...)                                                              \
	work cudasim_w{f, ::cudasim_detail::copy(__VA_ARGS__)};                                    \
	cudasim_host_call(work::name(), &cudasim_w)
extern "C" __device__ void cudasim_host_call(const char *name, void *work);
#else
#define CUDASIM_ON_HOST(work, f, ...)                                                              \
	static_assert(sizeof(::cudasim_detail::is_registered<&work::registered>), "")
#endif
extern "C" int cudasim_host_register(const char *name, void (*run)(void *work));

namespace cudasim_detail
{

template <class... A> struct arguments {
	template <class F, class... B> void call(F &f, B &...b)
	{
		f(b...);
	}
};
template <class A, class... R> struct arguments<A, R...> {
	A first;
	arguments<R...> rest;
	template <class F, class... B> void call(F &f, B &...b)
	{
		rest.call(f, b..., first);
	}
};
template <class... A> __host__ __device__ arguments<A...> copy(A... a)
{
	return {a...};
}

/* FNV-1a. A lambda's type does not tell the instances of the template that it stands in
 * apart; the function's name does. */
__host__ __device__ constexpr unsigned long long hash(const char *text)
{
	unsigned long long h = 0xcbf29ce484222325u;
	while (*text)
		h = (h ^ (unsigned char)*text++) * 0x100000001b3u;
	return h;
}

/* What one place calls. Both compilations know it by the name of its type. */
template <unsigned long long FUNCTION, class F, class A> struct work {
	F f;
	A a;
	__host__ __device__ static const char *name()
	{
		return __PRETTY_FUNCTION__;
	}
	static void run(void *self)
	{
		static_cast<work *>(self)->a.call(static_cast<work *>(self)->f);
	}
#ifndef __CUDA_ARCH__
	static int registered;
#endif
};
#ifndef __CUDA_ARCH__
template <unsigned long long FUNCTION, class F, class A>
int work<FUNCTION, F, A>::registered = cudasim_host_register(name(), run);
template <int *> struct is_registered {
};
#endif

} // namespace cudasim_detail

#endif
#endif
