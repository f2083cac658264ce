/* SPDX-License-Identifier: Apache-2.0 */
/* curand_mtgp32_kernel.h - the toolkit's, as quoted/cuda.h. */
#pragma push_macro("R")
#pragma push_macro("V")
#pragma push_macro("X")
#pragma push_macro("Y")
#undef R
#undef V
#undef X
#undef Y
#include_next <curand_mtgp32_kernel.h>
#pragma pop_macro("R")
#pragma pop_macro("V")
#pragma pop_macro("X")
#pragma pop_macro("Y")
