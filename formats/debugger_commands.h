/* SPDX-License-Identifier: Apache-2.0 */
/* debugger_commands.h - the debugger's commands as text, which debugger/manual writes and
 * driver/manual reads while cudasim is built: lines of a letter, a blank and the text. */
#ifndef CUDASIM_FORMATS_DEBUGGER_COMMANDS_H
#define CUDASIM_FORMATS_DEBUGGER_COMMANDS_H

enum {
	DEBUGGER_CLASS = 'C',   /* a class of commands begins: what they do */
	DEBUGGER_NAME = 'N',    /* a command begins: its name */
	DEBUGGER_ALIASES = 'A', /* with ',' between */
	DEBUGGER_USAGE = 'U',
	DEBUGGER_SUMMARY = 'S',
	DEBUGGER_TEXT = 'T',    /* a line of what it does */
	DEBUGGER_EXAMPLE = 'E',
};

#endif
