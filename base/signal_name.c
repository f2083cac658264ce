/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "signal_name.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

static const char *const abbreviations[] = {
#define NAME(signal) [SIG##signal] = #signal
	NAME(HUP),    NAME(INT),   NAME(QUIT),   NAME(ILL),  NAME(TRAP), NAME(ABRT), NAME(BUS),
	NAME(FPE),    NAME(KILL),  NAME(USR1),   NAME(SEGV), NAME(USR2), NAME(PIPE), NAME(ALRM),
	NAME(TERM),   NAME(CHLD),  NAME(CONT),   NAME(STOP), NAME(TSTP), NAME(TTIN), NAME(TTOU),
	NAME(URG),    NAME(XCPU),  NAME(XFSZ),   NAME(PROF), NAME(POLL), NAME(PWR),  NAME(SYS),
	NAME(STKFLT), NAME(WINCH), NAME(VTALRM),
#undef NAME
};

const char *signal_abbreviation(int number)
{
	size_t n = sizeof abbreviations / sizeof *abbreviations;
	return number > 0 && (size_t)number < n ? abbreviations[number] : NULL;
}

const char *signal_text(int number)
{
	return signal_abbreviation(number) ? strsignal(number) : NULL;
}
