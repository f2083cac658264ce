/* SPDX-License-Identifier: Apache-2.0 */
/* cuda.h - which clang includes before every source and nvcc does not. This folder is looked
 * through before the user's, for #include "..." only: the first to ask is clang's own header, which is
 * to get the toolkit's cuda.h and no other of that name; all others go on to where they would
 * have come without. A macro that the command line defines (-DN=1024) is not for its parameters. */
#ifndef CUDASIM_QUOTED_CUDA_H
#define CUDASIM_QUOTED_CUDA_H
#pragma push_macro("N")
#undef N
#include <crt/../cuda.h>
#pragma pop_macro("N")
#else
#include_next <cuda.h>
#endif
