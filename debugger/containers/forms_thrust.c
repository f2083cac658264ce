/* SPDX-License-Identifier: Apache-2.0 */
/* forms_thrust.c - Thrust's vectors, pointers, references and numbers. */
#include "forms.h"

/* Iterators hold pointers, or device pointers that hold pointers. */
#define VECTOR(pointer) "m_storage.m_begin." pointer, "m_size", "m_storage.m_size"
#define PLAIN "m_iterator"
#define DEVICE "m_iterator.m_iterator"

const struct form forms_thrust[] = {
	{"thrust::device_vector", open_counted, {VECTOR(DEVICE)}},
	{"thrust::device_vector", open_counted, {VECTOR(PLAIN)}},
	{"thrust::host_vector", open_counted, {VECTOR(PLAIN)}},
	{"thrust::detail::vector_base", open_counted, {VECTOR(DEVICE)}},
	{"thrust::detail::vector_base", open_counted, {VECTOR(PLAIN)}},
	{"thrust::device_ptr", open_handle, {PLAIN}},
	{"thrust::pointer", open_handle, {PLAIN}},
	{"thrust::device_reference", open_pointee, {"ptr." PLAIN}},
	{"thrust::reference", open_pointee, {"ptr." PLAIN}},
	{"thrust::tagged_reference", open_pointee, {"ptr." PLAIN}},
	{"thrust::detail::normal_iterator", open_pointee, {PLAIN}},
	{"thrust::detail::normal_iterator", open_pointee, {DEVICE}},
	{"thrust::pair", open_members, {"first", "second"}},
	{"thrust::complex", open_complex, {"data.x", "data.y"}},
	{NULL, NULL, {NULL}},
};
