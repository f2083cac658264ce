/* SPDX-License-Identifier: Apache-2.0 */
/* console.c - the stream that commands write to: the terminal or pipe that the debugger
 * was started on, by pages where it is a terminal, and the log beside it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "baton.h"
#include "command_table.h"
#include "console.h"
#include "error.h"
#include "front.h"
#include "input.h"
#include "lineedit.h"
#include "shell_state.h"
#include "text.h"

FILE *console(void)
{
	return shell_state()->stream;
}

void console_set(FILE *stream)
{
	shell_state()->stream = stream;
}

/* What the core says by itself. */
static void say(const char *text, size_t n)
{
	fwrite(text, 1, n, console());
	fflush(console());
}

int console_descriptor(void)
{
	return shell_state()->console.descriptor;
}

bool console_is_terminal(void)
{
	return isatty(shell_state()->console.descriptor);
}

void console_new_command(void)
{
	struct shell_console *own = &shell_state()->console;
	own->lines_shown = 0;
	own->page_off = own->page_quit = false;
}

static void write_all(int fd, const char *text, size_t n)
{
	while (n) {
		ssize_t done = write(fd, text, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		text += done;
		n -= (size_t)done;
	}
}

/* ---- pages ---------------------------------------------------------------------- */

static uint32_t page_height(void)
{
	uint32_t rows = shell_state()->height, columns;
	if (!shell_state()->pagination || shell_state()->is_batch || input_depth() ||
	    !isatty(shell_state()->console.descriptor) || !isatty(input_descriptor()))
		return 0;
	if (!rows)
		lineedit_window(&rows, &columns);
	return rows;
}

/* Ask at the end of a page: Return, q or c. */
static void turn_page(void)
{
	struct shell_console *own = &shell_state()->console;
	static const char question[] =
		"--Type <RET> for more, q to quit, c to continue without paging--";
	char c, answer = 0;
	write_all(own->descriptor, question, sizeof question - 1);
	if (interrupt_or_input(input_descriptor())) {
		interrupt_forget();
		write_all(own->descriptor, "\n", 1);
		own->page_quit = true;
		return;
	}
	while (read(input_descriptor(), &c, 1) == 1 && c != '\n' && c != '\r')
		answer = answer ? answer : c;
	own->lines_shown = 0;
	own->page_quit = answer == 'q';
	own->page_off = answer == 'c';
}

static void show(const char *text, size_t n)
{
	struct shell_console *own = &shell_state()->console;
	uint32_t height = page_height();
	if (!height || height < 3) {
		write_all(own->descriptor, text, n);
		return;
	}
	while (n && !own->page_quit && !(own->page_quit = interrupt_waits())) {
		const char *end = memchr(text, '\n', n);
		size_t line = end ? (size_t)(end - text) + 1 : n;
		write_all(own->descriptor, text, line);
		text += line;
		n -= line;
		if (end && !own->page_off && ++own->lines_shown >= height - 1)
			turn_page();
	}
}

static ssize_t console_write(void *cookie, const char *text, size_t n)
{
	struct shell_console *own = &shell_state()->console;
	(void)cookie;
	if (own->other_descriptor >= 0) {
		write_all(own->other_descriptor, text, n);
		return (ssize_t)n;
	}
	if (own->log_descriptor >= 0)
		write_all(own->log_descriptor, text, n);
	if (own->log_descriptor < 0 || !own->redirect)
		show(text, n);
	return (ssize_t)n;
}

void console_to(int fd)
{
	fflush(console());
	shell_state()->console.other_descriptor = fd;
}

struct cudasim_error *console_start(int fd)
{
	shell_state()->console.descriptor = fd;
	console_set(fopencookie(NULL, "w", (cookie_io_functions_t){.write = console_write}));
	if (!console())
		return cudasim_error_errno(errno, "cannot open the console");
	setvbuf(console(), NULL, _IOFBF, 1 << 14);
	front_end_set(&(struct front_end){.say = say});
	return NULL;
}

/* ---- the log ---------------------------------------------------------------------- */

static const char *log_path(void)
{
	struct shell_console *own = &shell_state()->console;
	return own->log_file && *own->log_file ? own->log_file : "cudasim.txt";
}

static struct cudasim_error *logging_on(void)
{
	struct shell_console *own = &shell_state()->console;
	fflush(console());
	if (own->log_descriptor >= 0)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Already logging to %s.", log_path());
	own->log_descriptor =
		open(log_path(),
		     O_WRONLY | O_CREAT | O_CLOEXEC | (own->overwrite ? O_TRUNC : O_APPEND), 0666);
	if (own->log_descriptor < 0)
		return cudasim_error_new(CUDASIM_E_SYSTEM, "set logging: %s: %s.", log_path(),
					 strerror(errno));
	char text[512];
	int n = snprintf(text, sizeof text, "%s output to %s.\n",
			 own->redirect ? "Redirecting" : "Copying", log_path());
	write_all(own->descriptor, text, (size_t)(n < (int)sizeof text ? n : (int)sizeof text - 1));
	return NULL;
}

static struct cudasim_error *logging_off(void)
{
	struct shell_console *own = &shell_state()->console;
	if (own->log_descriptor < 0)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "You aren't set up for logging.");
	fflush(console());
	close(own->log_descriptor);
	own->log_descriptor = -1;
	fprintf(console(), "Done logging to %s.\n", log_path());
	return NULL;
}

/* set logging [enabled] on|off, file F, overwrite on|off, redirect on|off. */
static struct cudasim_error *set_logging(const char *argument)
{
	struct shell_console *own = &shell_state()->console;
	char word[32];
	const char *text = argument;
	text_word(&text, word, sizeof word);
	if (!strcmp(word, "enabled"))
		text_word(&text, word, sizeof word);
	if (!*word || !strcmp(word, "on"))
		return logging_on();
	if (!strcmp(word, "off"))
		return logging_off();
	if (!strcmp(word, "file")) {
		if (!*text)
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "Argument required (filename to set it to.).");
		free(own->log_file);
		own->log_file = strdup(text);
		return NULL;
	}
	bool *flag = !strcmp(word, "overwrite")  ? &own->overwrite
		     : !strcmp(word, "redirect") ? &own->redirect
						 : NULL;
	if (!flag || (*text && strcmp(text, "on") != 0 && strcmp(text, "off") != 0))
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Usage: set logging on|off, file FILE, overwrite on|off, redirect on|off.");
	*flag = strcmp(text, "off") != 0;
	return NULL;
}

static struct cudasim_error *show_logging(const char *argument)
{
	struct shell_console *own = &shell_state()->console;
	(void)argument;
	fprintf(console(),
		"Logging is %s.  The log file is \"%s\".  Logs will be %s the log file.\n",
		own->log_descriptor >= 0 ? "on" : "off", log_path(),
		own->overwrite ? "written over" : "appended to");
	return NULL;
}

const struct command commands_logging[] = {
	{.name = "set logging",
	 .run = set_logging,
	 .completer = COMPLETE_FILE,
	 .usage = "set logging [enabled] on|off | file FILE | overwrite on|off | redirect on|off",
	 .summary = "Copy what commands print into a file.",
	 .example = "set logging file session.txt"},
	{.name = "show logging",
	 .run = show_logging,
	 .usage = "show logging",
	 .summary = "Show whether a log is written, and where.",
	 .example = "show logging"},
	{0},
};
