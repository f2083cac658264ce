/* SPDX-License-Identifier: Apache-2.0 */
/* callers.h - the calls that stand on the stack, as glibc's backtrace() finds them. */
#ifndef CUDASIM_BASE_CALLERS_H
#define CUDASIM_BASE_CALLERS_H

#include <execinfo.h>
#include <string.h>

/* Return addresses, the innermost first: in the function that calls this. Returns how many of
 * them have been stored, at most max. */
__attribute__((always_inline)) static inline int callers_take(void **ret, int max)
{
	int n = backtrace(ret, max);
#ifdef __SANITIZE_ADDRESS__
	/* AddressSanitizer's own backtrace() has called it, which is the first. */
	if (n > 0)
		memmove(ret, ret + 1, (size_t)--n * sizeof *ret);
#endif
	return n;
}

#endif
