/* SPDX-License-Identifier: Apache-2.0 */
/* absent.c - weak stand-ins for parts that are being built, so that the others
 * link. Whoever brings a part removes its stand-ins; this file goes with the last. */
#include "command.h"
#include "debugger.h"
#include "error.h"
#include "expression.h"
#include "focus.h"
#include "frame.h"
#include "host.h"
#include "repl.h"
#include "source.h"

#define WEAK __attribute__((weak))
#define ABSENT return cudasim_error_new(CUDASIM_E_FAILED, "%s is not there yet", __func__)
/* command.h */
#define EMPTY(name) extern const struct command name[] WEAK; const struct command name[1]

EMPTY(commands_support);
/* debugger.h */
/* repl.h */
WEAK struct cudasim_error *program_restart(const char *a, bool r) { (void)a, (void)r; ABSENT; }
WEAK void restart_saves(void (*s)(FILE *)) { (void)s; }
