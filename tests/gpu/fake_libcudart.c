/* SPDX-License-Identifier: Apache-2.0 */
/* fake_libcudart.c - in the place of the real libcudart.so.13 (with -DDRIVER, of libcuda.so.1)
 * where there is no GPU: every function answers 1000 (5000) + its place in the list, as no
 * simulator does. What cudasim asks before it uses a GPU is answered from FAKE_* variables,
 * and what registers is printed: fake_answers.c. cudaGraphDebugDotPrint is missing, as a
 * function of a later version would be. */
#define cudaGraphDebugDotPrint fake_that_nobody_calls

#ifdef DRIVER
#define NAMES "driver_names.def"
#define FIRST 5000
#else
#define NAMES "names.def"
#define FIRST 1000
#endif

enum place {
#define X(name) PLACE_##name,
#include NAMES
#undef X
};

#define X(name)                                                                                    \
	__attribute__((weak, visibility("default"))) int name(void);                               \
	int name(void)                                                                             \
	{                                                                                          \
		return FIRST + PLACE_##name;                                                       \
	}
#include NAMES
