/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - elements whose type is told at run time (cudaDataType). */
#ifndef CUDASIM_CUBLAS_VALUE_H
#define CUDASIM_CUBLAS_VALUE_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of an element; 0 of a type that is none of float, double, half, bfloat16, 8-bit integers,
 * 32-bit integers, and complex float, double and 8-bit integers. */
size_t value_bytes(int type);
bool value_is_complex(int type);

/* n elements as complex doubles, and back, rounded to the nearest. */
void value_read(const void *from, int type, size_t n, double _Complex *to);
void value_write(const double _Complex *from, size_t n, void *to, int type);

#endif
