/* SPDX-License-Identifier: Apache-2.0 */
/* debugger_commands.c - a program of the build: prints the tables of the debugger's commands for
 * the manual page. It is linked with the debugger, and none of it runs. */
#include "debugger_commands.h"

#include <stdio.h>
#include <string.h>

#include "command_cuda.h"
#include "commands.h"

static void print(int letter, const char *text)
{
	if (text && *text)
		printf("%c %s\n", letter, text);
}

static void print_commands(const struct command *c)
{
	for (; c->name; c++) {
		print(DEBUGGER_NAME, c->name);
		print(DEBUGGER_ALIASES, c->aliases);
		print(DEBUGGER_USAGE, c->usage);
		print(DEBUGGER_SUMMARY, c->summary);
		for (const char *line = c->text ? c->text : ""; *line;) {
			size_t n = strcspn(line, "\n");
			printf("%c %.*s\n", DEBUGGER_TEXT, (int)n, line);
			line += n + (line[n] == '\n');
		}
		print(DEBUGGER_EXAMPLE, c->example);
	}
}

int main(void)
{
	for (const struct command_class *class = command_classes; class->name; class ++) {
		print(DEBUGGER_CLASS, class->what);
		print_commands(class->commands);
	}
	print(DEBUGGER_CLASS, "What the command cuda takes");
	print_commands(topics_cuda);
	return ferror(stdout) || fclose(stdout);
}
