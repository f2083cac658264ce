/* SPDX-License-Identifier: Apache-2.0 */
/* omp.h - without -fopenmp this is gcc's, whose attribute malloc has arguments that clang
 * does not know. */
#define __malloc__(...)
#include_next <omp.h>
#undef __malloc__
