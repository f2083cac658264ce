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
WEAK FILE *console;
static const struct command none[] = {{0}};
#define EMPTY(name) extern const struct command name[] WEAK; const struct command name[1]
EMPTY(commands_data);
EMPTY(commands_cuda);
EMPTY(commands_support);
WEAK struct cudasim_error *command_execute(const char *l) { (void)l, (void)none; ABSENT; }
WEAK struct cudasim_error *commands_execute(const char *const *l, size_t n) { (void)l, (void)n; ABSENT; }
WEAK struct cudasim_error *command_read_block(const char *p, char ***r, size_t *n) { (void)p, (void)r, (void)n; ABSENT; }
WEAK bool command_confirm(const char *f, ...) { (void)f; return true; }
WEAK bool command_ask(const char *f, ...) { (void)f; return false; }
WEAK void settings_add(const struct setting *s, size_t n) { (void)s, (void)n; }
WEAK const char *text_skip(const char *t) { return t; }
WEAK bool text_word(const char **t, char *r, size_t s) { (void)t, (void)r, (void)s; return false; }
WEAK struct cudasim_error *text_format(const char **t, int64_t *c, char *f, char *s) { (void)t, *c = 1, *f = 0, *s = 0; return NULL; }
/* debugger.h */
/* repl.h */
WEAK struct cudasim_error *repl_start(void) { ABSENT; }
WEAK struct cudasim_error *program_restart(const char *a, bool r) { (void)a, (void)r; ABSENT; }
WEAK void restart_saves(void (*s)(FILE *)) { (void)s; }
WEAK void displays_show(FILE *o) { (void)o; }
