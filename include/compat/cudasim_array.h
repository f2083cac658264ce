/* SPDX-License-Identifier: Apache-2.0 */
/* cudasim_array.h - fills an array whose length is known at run time from what was
 * its initializer (the driver's dialect_array.c). Sizes are in bytes: of the whole,
 * then of a row, then of a row's row, as deep as the list's braces go. Host code. */
#ifndef CUDASIM_COMPAT_ARRAY_H
#define CUDASIM_COMPAT_ARRAY_H

#include <stddef.h>
#include <initializer_list>

/* Keeps the list out of the deduction: the array tells the type. */
template <typename __T>
struct __cudasim_element {
	typedef std::initializer_list<__T> list;
};

template <typename __T>
inline void __cudasim_fill_array(__T *to, size_t size, typename __cudasim_element<__T>::list list)
{
	const __T *from = list.begin();
	for (size_t i = 0; i < size / sizeof(__T); i++)
		to[i] = from != list.end() ? *from++ : __T();
}

template <typename __T>
inline void
__cudasim_fill_array(__T *to, size_t size, size_t row,
		     std::initializer_list<typename __cudasim_element<__T>::list> lists)
{
	const typename __cudasim_element<__T>::list *from = lists.begin();
	for (size_t i = 0; row && i < size / row; i++, to += row / sizeof(__T)) {
		if (from != lists.end())
			__cudasim_fill_array(to, row, *from++);
		else
			__cudasim_fill_array(to, row, {});
	}
}

template <typename __T>
inline void __cudasim_fill_array(
	__T *to, size_t size, size_t row, size_t inner,
	std::initializer_list<std::initializer_list<typename __cudasim_element<__T>::list> > lists)
{
	auto from = lists.begin();
	for (size_t i = 0; row && i < size / row; i++, to += row / sizeof(__T)) {
		if (from != lists.end())
			__cudasim_fill_array(to, row, inner, *from++);
		else
			__cudasim_fill_array(to, row, {});
	}
}

#endif
