/* SPDX-License-Identifier: Apache-2.0 */
/* tables.h - all commands. */
#ifndef CUDASIM_DEBUGGER_TABLES_H
#define CUDASIM_DEBUGGER_TABLES_H

/* The tables of all rooms of commands become what the shell looks through. */
void command_tables_set(void);

#endif
