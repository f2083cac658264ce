/* SPDX-License-Identifier: Apache-2.0 */
/* cuda.h - the toolkit's, which clang includes before every source and nvcc does not: a macro
 * that the command line defines (-DN=1024) is not for its parameters. */
#pragma push_macro("N")
#undef N
#include_next <cuda.h>
#pragma pop_macro("N")
