/* SPDX-License-Identifier: Apache-2.0 */
/* cudasim_lambda.h - nvcc's questions about the lambdas of --extended-lambda.
 *
 * clang gives a lambda without a word both sides, so one whose call operator the host may
 * not call has been told __device__. Whether the host may is what overload resolution asks
 * of a __host__ function's declaration. A generic lambda has no one call operator to ask. */
#ifndef CUDASIM_COMPAT_LAMBDA_H
#define CUDASIM_COMPAT_LAMBDA_H

namespace cudasim_lambda {

struct yes { static constexpr bool value = true; };
struct no { static constexpr bool value = false; };

template <class T> T make();

/* A choice of two, for one alone is not asked whether it may be called; and by name, for
 * without a lambda that captures nothing is called by its conversion to a pointer. */
struct other {};
template <class F> struct overloaded : F {
	using F::operator();
	void operator()(other, other, other) const;
};

template <class F, class... A>
__attribute__((host)) auto on_host(int)
	-> decltype(make<overloaded<F> &>().operator()(make<A>()...), no());
template <class F, class... A> __attribute__((host)) yes on_host(...);

template <class F, class M> struct of_device : no {};
#define CUDASIM_OF_DEVICE(...)                                                         \
	template <class F, class R, class... A>                                        \
	struct of_device<F, R (F::*)(A...) __VA_ARGS__> : decltype(on_host<F, A...>(0)) {}
CUDASIM_OF_DEVICE();
CUDASIM_OF_DEVICE(const);
#if __cplusplus >= 201703L
CUDASIM_OF_DEVICE(noexcept);
CUDASIM_OF_DEVICE(const noexcept);
#endif
#undef CUDASIM_OF_DEVICE

template <class F> auto has_device_call(int) -> of_device<F, decltype(&F::operator())>;
template <class F> no has_device_call(...);

/* By its name: "[F = (lambda at ...)]". */
template <class F> constexpr bool is_closure()
{
	return !__builtin_strncmp(__builtin_strchr(__PRETTY_FUNCTION__, '=') + 2, "(lambda at ", 11);
}

template <class F> constexpr bool is_of_device()
{
	return is_closure<F>() && decltype(has_device_call<F>(0))::value;
}

} // namespace cudasim_lambda

/* nvcc keeps the return type that is written; clang keeps each. Lambdas told both sides are
 * like those told nothing, and are no cause for the headers that ask to refuse anything. */
#ifdef __CUDACC_EXTENDED_LAMBDA__
#define __nv_is_extended_device_lambda_closure_type(T) (::cudasim_lambda::is_of_device<T>())
#define __nv_is_extended_device_lambda_with_preserved_return_type(T) \
	(::cudasim_lambda::is_of_device<T>())
#else
#define __nv_is_extended_device_lambda_closure_type(T) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(T) false
#endif
#define __nv_is_extended_host_device_lambda_closure_type(T) false

#endif
