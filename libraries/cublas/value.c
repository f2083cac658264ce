/* SPDX-License-Identifier: Apache-2.0 */
#include "value.h"

#include <complex.h>
#include <library_types.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

size_t value_bytes(int type)
{
	switch (type) {
	case CUDA_R_8I:
		return 1;
	case CUDA_R_16F:
	case CUDA_R_16BF:
	case CUDA_C_8I:
		return 2;
	case CUDA_R_32F:
	case CUDA_R_32I:
		return 4;
	case CUDA_R_64F:
	case CUDA_C_32F:
		return 8;
	case CUDA_C_64F:
		return 16;
	default:
		return 0;
	}
}

bool value_is_complex(int type)
{
	return type == CUDA_C_8I || type == CUDA_C_32F || type == CUDA_C_64F;
}

/* The upper half of a float. */
static float from_bfloat16(uint16_t bits)
{
	uint32_t wide = (uint32_t)bits << 16;
	float ret;
	memcpy(&ret, &wide, sizeof ret);
	return ret;
}

static uint16_t to_bfloat16(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	if (isnan(value))
		return 0x7fff;
	return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); /* ties to even */
}

__extension__ typedef _Float16 half;

static double _Complex read_one(const void *from, int type, size_t i)
{
	switch (type) {
	case CUDA_R_8I:
		return ((const int8_t *)from)[i];
	case CUDA_R_16F:
		return (double)((const half *)from)[i];
	case CUDA_R_16BF:
		return from_bfloat16(((const uint16_t *)from)[i]);
	case CUDA_R_32F:
		return ((const float *)from)[i];
	case CUDA_R_32I:
		return ((const int32_t *)from)[i];
	case CUDA_R_64F:
		return ((const double *)from)[i];
	case CUDA_C_8I:
		return __builtin_complex((double)((const int8_t *)from)[2 * i],
					 (double)((const int8_t *)from)[2 * i + 1]);
	case CUDA_C_32F:
		return ((const float _Complex *)from)[i];
	default:
		return ((const double _Complex *)from)[i];
	}
}

static int64_t clamped(double value, double least, double most)
{
	return isnan(value) ? 0
			    : (int64_t)nearbyint(value < least  ? least
						 : value > most ? most
								: value);
}

static void write_one(double _Complex value, void *to, int type, size_t i)
{
	double real = creal(value), imaginary = cimag(value);
	switch (type) {
	case CUDA_R_8I:
		((int8_t *)to)[i] = (int8_t)clamped(real, INT8_MIN, INT8_MAX);
		break;
	case CUDA_R_16F:
		((half *)to)[i] = (half)real;
		break;
	case CUDA_R_16BF:
		((uint16_t *)to)[i] = to_bfloat16((float)real);
		break;
	case CUDA_R_32F:
		((float *)to)[i] = (float)real;
		break;
	case CUDA_R_32I:
		((int32_t *)to)[i] = (int32_t)clamped(real, INT32_MIN, INT32_MAX);
		break;
	case CUDA_R_64F:
		((double *)to)[i] = real;
		break;
	case CUDA_C_8I:
		((int8_t *)to)[2 * i] = (int8_t)clamped(real, INT8_MIN, INT8_MAX);
		((int8_t *)to)[2 * i + 1] = (int8_t)clamped(imaginary, INT8_MIN, INT8_MAX);
		break;
	case CUDA_C_32F:
		((float _Complex *)to)[i] = (float _Complex)value;
		break;
	default:
		((double _Complex *)to)[i] = value;
	}
}

void value_read(const void *from, int type, size_t n, double _Complex *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = read_one(from, type, i);
}

void value_write(const double _Complex *from, size_t n, void *to, int type)
{
	for (size_t i = 0; i < n; i++)
		write_one(from[i], to, type, i);
}
