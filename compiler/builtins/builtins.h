/* SPDX-License-Identifier: Apache-2.0 */
/* builtins.h - what the files of this folder share.
 *
 * Each function here is the meaning of one NVVM intrinsic: llvm.nvvm.a.b.c is
 * __cudasim_nvvm_a_b_c. clang compiles the folder to LLVM bitcode when cudasim
 * is built; the device compiler links it into every device module, replaces the
 * intrinsics by calls (pass_intrinsics.c) and inlines them. So:
 *
 *  - the code is freestanding: it calls compiler intrinsics and the functions
 *    of cudasim/abi.h, nothing of a C library;
 *  - it is compiled once for all bodies, for x86-64 without extensions; fma and
 *    roundeven stay LLVM intrinsics, which a body's own target resolves;
 *  - no expression may be contracted (-ffp-contract=off);
 *  - a function whose last parameter is a `const struct cudasim_site *` more
 *    than the intrinsic has gets the place of the call there;
 *  - an intrinsic that answers {T, i1} is a function that answers uint64_t, T's
 *    bits in the low half and the predicate in bit 32;
 *  - half travels as _Float16, bfloat16 and packed pairs as integers. */
#ifndef CUDASIM_BUILTINS_H
#define CUDASIM_BUILTINS_H

#include <stdbool.h>
#include <stdint.h>

#include "cudasim/abi.h"

#define NVVM(name) __cudasim_nvvm_##name
#define SITE const struct cudasim_site *site
#define INLINE static inline __attribute__((always_inline))

/* The CUDA thread; lowered by the device compiler last of all. */
struct cudasim_thread *__cudasim_context(void) __attribute__((const, returns_nonnull));

union float_word {
	float f;
	uint32_t u;
};

union double_word {
	double d;
	uint64_t u;
};

INLINE uint32_t float_bits(float x)
{
	return (union float_word){.f = x}.u;
}

INLINE float bits_float(uint32_t x)
{
	return (union float_word){.u = x}.f;
}

INLINE uint64_t double_bits(double x)
{
	return (union double_word){.d = x}.u;
}

INLINE double bits_double(uint64_t x)
{
	return (union double_word){.u = x}.d;
}

/* The NaN that a GPU's single precision units answer, whatever NaN goes in. */
#define NAN_F bits_float(0x7fffffffu)

/* x, or a zero of x's sign when x is subnormal. */
INLINE float flush(float x)
{
	uint32_t b = float_bits(x);

	return (b & 0x7f800000u) == 0 ? bits_float(b & 0x80000000u) : x;
}

/* Rounding modes of PTX: rn to nearest even, rz to zero, rm down, rp up. */
enum rounding { RN, RZ, RM, RP };

#endif
