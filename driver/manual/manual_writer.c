/* SPDX-License-Identifier: Apache-2.0 */
/* manual_writer.c - a program of the build: writes on its output a manual page or the completions
 * of a shell.
 *
 *     manual-writer page [COMMAND [FILE]]     FILE: the debugger's commands
 *     manual-writer bash | zsh | fish */
#include <string.h>

#include "completion.h"
#include "must.h"
#include "page.h"

static int usage(void)
{
	fputs("usage: manual-writer page [COMMAND [FILE]] | bash | zsh | fish\n", stderr);
	return 2;
}

static int page(const char *name, const char *path)
{
	const struct command_row *row = command_named(name);
	if (!row) {
		fprintf(stderr, "manual-writer: no command '%s'\n", name);
		return 1;
	}
	FILE *debugger = path ? fopen(path, "re") : NULL;
	if (path && !debugger) {
		fprintf(stderr, "manual-writer: cannot open '%s'\n", path);
		return 1;
	}
	page_of_command(stdout, row->manual, debugger);
	if (debugger)
		fclose(debugger);
	return 0;
}

int main(int n, char **arguments)
{
	static const struct {
		const char *name;
		void (*write)(FILE *out);
	} shells[] = {
		{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
	int status = 2;
	must_policy("manual-writer", 1);
	if (n == 2 && !strcmp(arguments[1], "page")) {
		page_of_cudasim(stdout);
		status = 0;
	} else if ((n == 3 || n == 4) && !strcmp(arguments[1], "page")) {
		status = page(arguments[2], n == 4 ? arguments[3] : NULL);
	}
	for (size_t i = 0; n == 2 && i < sizeof shells / sizeof *shells; i++)
		if (!strcmp(arguments[1], shells[i].name)) {
			shells[i].write(stdout);
			status = 0;
		}
	if (status == 2)
		return usage();
	return fflush(stdout) || ferror(stdout) ? 1 : status;
}
