/* SPDX-License-Identifier: Apache-2.0 */
/* cudasim_lambda.h - nvcc's questions about the lambdas of --extended-lambda.
 *
 * clang gives a lambda without a word both sides, so one whose call operator the host may
 * not call has been told __device__. Whether the host may is what overload resolution asks
 * of a __host__ function's declaration. A generic lambda has no one call operator to ask.
 * All names are reserved ones: this comes before every source, whatever macros it is given. */
#ifndef CUDASIM_COMPAT_LAMBDA_H
#define CUDASIM_COMPAT_LAMBDA_H

namespace __cudasim_lambda {

struct __yes { static constexpr bool value = true; };
struct __no { static constexpr bool value = false; };

template <class __type> __type __make();

/* A choice of two, for one alone is not asked whether it may be called; and by name, for
 * without a lambda that captures nothing is called by its conversion to a pointer. */
struct __other {};
template <class __fn> struct __overloaded : __fn {
	using __fn::operator();
	void operator()(__other, __other, __other) const;
};

template <class __fn, class... __args>
__attribute__((host)) auto __on_host(int)
	-> decltype(__make<__overloaded<__fn> &>().operator()(__make<__args>()...), __no());
template <class __fn, class... __args> __attribute__((host)) __yes __on_host(...);

template <class __fn, class __member> struct __of_device : __no {};
#define CUDASIM_OF_DEVICE(...)                                                         \
	template <class __fn, class __ret, class... __args>                                        \
	struct __of_device<__fn, __ret (__fn::*)(__args...) __VA_ARGS__> : decltype(__on_host<__fn, __args...>(0)) {}
CUDASIM_OF_DEVICE();
CUDASIM_OF_DEVICE(const);
#if __cplusplus >= 201703L
CUDASIM_OF_DEVICE(noexcept);
CUDASIM_OF_DEVICE(const noexcept);
#endif
#undef CUDASIM_OF_DEVICE

template <class __fn> auto __has_device_call(int) -> __of_device<__fn, decltype(&__fn::operator())>;
template <class __fn> __no __has_device_call(...);

/* By its name: "[__fn = (lambda at ...)]". */
template <class __fn> constexpr bool __is_closure()
{
	return !__builtin_strncmp(__builtin_strchr(__PRETTY_FUNCTION__, '=') + 2, "(lambda at ", 11);
}

template <class __fn> constexpr bool __is_of_device()
{
	return __is_closure<__fn>() && decltype(__has_device_call<__fn>(0))::value;
}

} // namespace __cudasim_lambda

/* nvcc keeps the return type that is written; clang keeps each. Lambdas told both sides are
 * like those told nothing, and are no cause for the headers that ask to refuse anything. */
#ifdef __CUDACC_EXTENDED_LAMBDA__
#define __nv_is_extended_device_lambda_closure_type(__type) (::__cudasim_lambda::__is_of_device<__type>())
#define __nv_is_extended_device_lambda_with_preserved_return_type(__type) \
	(::__cudasim_lambda::__is_of_device<__type>())
#else
#define __nv_is_extended_device_lambda_closure_type(__type) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(__type) false
#endif
#define __nv_is_extended_host_device_lambda_closure_type(__type) false

#endif
