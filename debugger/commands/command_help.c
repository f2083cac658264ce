/* SPDX-License-Identifier: Apache-2.0 */
/* command_help.c - help and apropos: the commands by class, their texts, settings. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "breakpoint_commands.h"
#include "command_cuda.h"
#include "command_data.h"
#include "command_stack.h"
#include "command_table.h"
#include "command_view.h"
#include "commands.h"
#include "console.h"
#include "error.h"
#include "recording.h"
#include "setting.h"
#include "shell_state.h"
#include "text.h"

const struct command_class command_classes[] = {
	{"running", "Running and stepping the program", commands_running},
	{"reverse", "Going back", commands_reverse},
	{"recording", "What is recorded", commands_record},
	{"checkpoints", "Moments of what is recorded", commands_checkpoint},
	{"breakpoints", "Making the program stop at certain points", commands_breakpoints},
	{"skipping", "Functions that step passes", commands_skip},
	{"data", "Looking at data", commands_data},
	{"arrays", "Arrays with shape, and memory in files", commands_view},
	{"stack", "Looking at the stack, sources and symbols", commands_stack},
	{"cuda", "The focus, and kernels, blocks, warps and threads", commands_cuda},
	{"host", "The x86-64 code, registers and files of the process", commands_host},
	{"scripts", "Command files and definitions", commands_script},
	{"wrappers", "Commands that run others", commands_wrap},
	{"support", "The debugger itself", commands_support},
	{"environment", "What the program begins with", commands_environment},
	{"logging", "Logging the debugger's output", commands_logging},
	{0},
};
enum { N_CLASSES = sizeof command_classes / sizeof *command_classes - 1 };

static void print_help(const struct command *c)
{
	fputs(c->name, console());
	for (const char *alias = c->aliases; alias && *alias; alias += strcspn(alias, ",")) {
		alias += *alias == ',';
		alias = text_skip(alias);
		fprintf(console(), ", %.*s", (int)strcspn(alias, ","), alias);
	}
	fputc('\n', console());
	size_t n = c->summary ? strlen(c->summary) : 0;
	if (n)
		fprintf(console(), "%s%s\n", c->summary, c->summary[n - 1] == '.' ? "" : ".");
	if (c->text)
		fprintf(console(), "%s%s", c->text,
			c->text[0] && c->text[strlen(c->text) - 1] == '\n' ? "" : "\n");
	if (c->usage)
		fprintf(console(), "Usage: %s\n", c->usage);
	if (c->example)
		fprintf(console(), "Example: %s\n", c->example);
}

static void print_summary(const struct command *c)
{
	size_t n = c->summary ? strlen(c->summary) : 0;
	fprintf(console(), "%s -- %.*s\n", c->name,
		(int)(n && c->summary[n - 1] == '.' ? n - 1 : n), c->summary ? c->summary : "");
}

/* Commands whose first words are these: "help info". */
static bool print_group(const char *words)
{
	bool any = false;
	for (size_t t = 0; shell_state()->tables[t]; t++)
		for (const struct command *c = shell_state()->tables[t]; c->name; c++)
			if (text_after_words(c->name, words, strlen(words))) {
				print_summary(c);
				any = true;
			}
	return any;
}

static void print_class(size_t i)
{
	fprintf(console(), "%s.\n\n", command_classes[i].what);
	for (const struct command *c = command_classes[i].commands; c->name; c++)
		print_summary(c);
}

static void print_all(void)
{
	for (size_t i = 0; i < N_CLASSES; i++) {
		fprintf(console(), "%sCommand class: %s\n\n", i ? "\n" : "",
			command_classes[i].name);
		for (const struct command *c = command_classes[i].commands; c->name; c++)
			print_summary(c);
	}
}

/* The coordinates that `cuda` takes. */
static void print_topics(void)
{
	fputs("\nWhat the command cuda takes:\n\n", console());
	for (const struct command *c = topics_cuda; c->name; c++)
		print_summary(c);
}

static const struct command *find_topic(const char *argument)
{
	for (const struct command *c = topics_cuda; c->name; c++)
		if (!strcmp(c->name, argument))
			return c;
	return NULL;
}

struct cudasim_error *command_help(const char *argument)
{
	const struct command *command;
	const char *rest;
	if (!*argument) {
		fputs("List of classes of commands:\n\n", console());
		for (int i = 0; i < N_CLASSES; i++)
			fprintf(console(), "%s -- %s\n", command_classes[i].name,
				command_classes[i].what);
		fputs("\nType \"help\" followed by a class name for a list of commands in that class, or by a\n"
		      "command name for its help. Command name abbreviations are allowed if unambiguous.\n"
		      "Type \"apropos word\" to search for commands related to \"word\".\n",
		      console());
		return NULL;
	}
	for (int i = 0; i < N_CLASSES; i++)
		if (!strcmp(argument, command_classes[i].name)) {
			const struct command *same = command_find_typed(argument, &rest);
			if (same && !strcmp(same->name, argument)) { /* cuda is both */
				print_help(same);
				fputc('\n', console());
			}
			print_class((size_t)i);
			if (!strcmp(argument, "cuda"))
				print_topics();
			return NULL;
		}
	if (!strcmp(argument, "all")) {
		print_all();
		return NULL;
	}
	if (definition_help(argument))
		return NULL;
	const struct command *topic = find_topic(argument);
	if (topic) {
		print_help(topic);
		return NULL;
	}
	struct cudasim_error *error = command_find(argument, &command, &rest);
	if (!error && *rest && setting_help(console(), command->name, rest))
		return NULL;
	if (!error && !*rest) {
		print_help(command);
		if (!strchr(command->name, ' ')) {
			char *words = strdup(command->name);
			if (words)
				print_group(words);
			free(words);
		}
		return NULL;
	}
	if (print_group(argument)) {
		cudasim_error_free(error);
		return NULL;
	}
	if (!error)
		error = cudasim_error_new(CUDASIM_E_NOTFOUND,
					  "Undefined command: \"%s\".  Try \"help\".", argument);
	return error;
}

static bool mentions(const regex_t *wanted, const struct command *c)
{
	const char *const texts[] = {c->name, c->summary, c->text, c->usage};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i] && !regexec(wanted, texts[i], 0, NULL, 0))
			return true;
	return false;
}

static void print_setting_that_matches(void *user, const struct setting *s)
{
	if (!regexec(user, s->name, 0, NULL, 0) ||
	    (s->summary && !regexec(user, s->summary, 0, NULL, 0)))
		fprintf(console(), "set %s -- %s\n", s->name, s->summary ? s->summary : "");
}

struct cudasim_error *command_apropos(const char *argument)
{
	regex_t wanted;
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "REGEXP string is empty");
	if (regcomp(&wanted, argument, REG_EXTENDED | REG_ICASE | REG_NOSUB))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Error in regular expression: %s",
					 argument);
	for (size_t t = 0; shell_state()->tables[t]; t++)
		for (const struct command *c = shell_state()->tables[t]; c->name; c++)
			if (mentions(&wanted, c))
				print_summary(c);
	for (const struct command *c = topics_cuda; c->name; c++)
		if (mentions(&wanted, c))
			print_summary(c);
	setting_each(print_setting_that_matches, &wanted);
	regfree(&wanted);
	return NULL;
}
