/* SPDX-License-Identifier: Apache-2.0 */
/* dap_evaluate.c - expressions, commands of the debugger, and what completes them.
 *
 * In the context `repl` a line is a command of the debugger, as in `cudasim debug`, and what is
 * no command is an expression. A word that names a variable of the frame is that variable: `n`
 * and `i` are more often variables than commands. "-exec LINE" is a command in any case. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "command_table.h"
#include "complete.h"
#include "dap_views.h"
#include "error.h"
#include "stack.h"
#include "text.h"

struct cudasim_error *dap_evaluate_in(const char *text, const struct context *context,
				      struct value *ret)
{
	struct expression *expression;
	struct cudasim_error *error = expression_parse_in(text, context->frame, &expression);
	if (error)
		return error;
	error = expression_evaluate(expression, context, ret);
	expression_free(expression);
	return error;
}

static struct cudasim_error *evaluate(const char *text, const struct context *context,
				      const json_t *arguments, json_t **ret)
{
	const json_t *format = json_object_get(arguments, "format");
	struct value value;
	struct cudasim_error *error = dap_evaluate_in(text, context, &value);
	if (error)
		return error;
	*ret = json_object();
	dap_describe(*ret, "result", NULL, &value, text, context->frame,
		     dap_bool_of(format, "hex", false));
	return NULL;
}

/* For the clipboard: all of it. */
static struct cudasim_error *copy(const char *text, const struct context *context, json_t **ret)
{
	struct value value;
	struct dap_buffer buffer;
	struct print_settings *settings = print_settings(), before = *settings;
	struct cudasim_error *error = dap_evaluate_in(text, context, &value);
	if (error)
		return error;
	FILE *out = dap_open(&buffer);
	settings->elements = settings->repeats = 0;
	if (out)
		value_print(out, &value, 0, 0, false);
	*settings = before;
	value_fini(&value);
	*ret = json_pack("{s:o, s:i}", "result", dap_close(&buffer), "variablesReference", 0);
	return NULL;
}

/* ---- commands ---------------------------------------------------------------------------- */

/* Is text a word that names a variable there? */
static bool is_variable(const char *text, const struct context *context)
{
	size_t n = 0;
	struct expression *expression;
	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	if (!n || text[n] || isdigit((unsigned char)*text) || !context->frame)
		return false;
	for (size_t i = 0; i < context->frame->n_scopes; i++)
		for (size_t k = 0; k < context->frame->scopes[i].n_variables; k++)
			if (!strcmp(context->frame->scopes[i].variables[k].name, text))
				return true;
	/* A global of at least three letters. */
	struct cudasim_error *error =
		n < 3 ? NULL : expression_parse_in(text, context->frame, &expression);
	if (!error && n >= 3)
		expression_free(expression);
	cudasim_error_free(error);
	return !error && n >= 3;
}

/* What would leave the client without a program that it knows of. */
static struct cudasim_error *refuse(const struct command *command)
{
	static const struct {
		const char *name, *instead;
	} rows[] = {
		{"run", "use the client's restart"},
		{"start", "use the client's restart, with \"stopOnEntry\""},
		{"kill", "end the session in the client"},
		{"quit", "end the session in the client"},
		{"detach", "disconnect in the client"},
		{"commands", "its lines would be missing; put it in a file and `source` that"},
		{"define", "its lines would be missing; put it in a file and `source` that"},
		{"document", "its lines would be missing; put it in a file and `source` that"},
		{"if", "its lines would be missing; put it in a file and `source` that"},
		{"while", "its lines would be missing; put it in a file and `source` that"},
		{"set logging", "the client keeps what its console shows"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(command->name, rows[i].name))
			return cudasim_error_new(
				CUDASIM_E_UNSUPPORTED,
				"There is no \"%s\" in a session of an editor: %s.", command->name,
				rows[i].instead);
	return NULL;
}

static struct cudasim_error *run(const char *line, const struct command *command,
				 const char *argument, json_t **ret)
{
	struct dap_session *own = &dap_state()->session;
	struct focus before = *focus_get();
	json_t *text = NULL;
	struct cudasim_error *error = command ? refuse(command) : NULL;
	if (error)
		return error;
	/* The answer does not wait for the next stop. */
	if (command && !strcmp(command->name, "continue") && !*argument && program_is_running()) {
		own->how = (struct resume){.kind = RESUME_CONTINUE};
		own->goes_on = true;
		*ret = json_pack("{s:s, s:i}", "result", "", "variablesReference", 0);
		return NULL;
	}
	own->how = (struct resume){.kind = RESUME_STEP};
	error = dap_command(line, &text);
	*ret = json_pack("{s:o, s:i}", "result", text ? text : json_string(""),
			 "variablesReference", 0);
	if (error && json_string_length(text))
		dap_output("console", json_string_value(text), json_string_length(text));
	own->focus_moved |= !own->is_running && !focus_same(&before, focus_get());
	dap_points_tell();
	return error;
}

static struct cudasim_error *evaluate_line(const char *text, const struct context *context,
					   const json_t *arguments, json_t **ret)
{
	const struct command *command = NULL;
	const char *argument = "";
	struct cudasim_error *error;
	bool is_command = !strncmp(text, "-exec ", 6);
	int64_t frame = dap_integer_of(arguments, "frameId", 0);
	text = text_skip(is_command ? text + 6 : text);
	if (!is_command && is_variable(text, context))
		return evaluate(text, context, arguments, ret);
	/* Commands speak of the frame that the client shows. */
	if (frame && (error = dap_frame_select(frame)))
		return error;
	error = command_find(text, &command, &argument);
	bool is_unknown = error && error->code == CUDASIM_E_NOTFOUND;
	cudasim_error_free(error);
	if (is_unknown && !is_command) {
		json_t *body = NULL;
		error = evaluate(text, context, arguments, &body);
		if (!error) {
			*ret = body;
			return NULL;
		}
		/* A definition of the user's is found by running it. */
		struct cudasim_error *other = run(text, NULL, "", ret);
		if (!other || other->code != CUDASIM_E_NOTFOUND) {
			cudasim_error_free(error);
			return other;
		}
		cudasim_error_free(other);
		return error;
	}
	return run(text, command, argument, ret);
}

struct cudasim_error *dap_evaluate(const json_t *arguments, json_t **ret)
{
	const char *text, *context = dap_string_of(arguments, "context");
	struct context where;
	struct cudasim_error *error = dap_need_string(arguments, "expression", &text);
	if (!error && strpbrk(text, "\r\n"))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "An expression is one line.");
	if (!error)
		error = dap_context_of(arguments, &where);
	if (error)
		return error;
	if (context && !strcmp(context, "repl"))
		return evaluate_line(text, &where, arguments, ret);
	if (context && !strcmp(context, "clipboard"))
		return copy(text, &where, ret);
	return evaluate(text, &where, arguments, ret);
}

/* ---- completions ----------------------------------------------------------------------------- */

struct words {
	json_t *list;
	size_t start, length;
};

static void add_word(void *user, const char *word)
{
	struct words *words = user;
	json_array_append_new(words->list, json_pack("{s:o, s:I, s:I}", "label", dap_text(word),
						     "start", (json_int_t)words->start, "length",
						     (json_int_t)words->length));
}

struct cudasim_error *dap_completions(const json_t *arguments, json_t **ret)
{
	const char *text;
	int64_t column;
	struct completions found = {0};
	struct cudasim_error *error = dap_need_string(arguments, "text", &text);
	if (!error)
		error = dap_need_integer(arguments, "column", &column);
	if (!error && json_is_integer(json_object_get(arguments, "frameId")))
		error = dap_frame_select(dap_integer_of(arguments, "frameId", 0));
	if (error)
		return error;
	column -= !dap_state()->session.client.columns_from_0;
	if (column < 0 || (size_t)column > strlen(text))
		column = (int64_t)strlen(text);
	char *line = strndup(text, (size_t)column);
	if (!line)
		return &cudasim_error_nomem;
	size_t skipped = strncmp(line, "-exec ", 6) ? 0 : 6;
	complete_line(line + skipped, &found);
	struct words words = {.list = json_array(), .start = skipped + found.start};
	if (!found.n) /* an expression alone */
		words.start = skipped + expression_complete(line + skipped, add_word, &words);
	json_array_clear(words.list);
	words.length = strlen(line) - words.start;
	for (size_t i = 0; i < found.n; i++)
		add_word(&words, found.words[i]);
	if (!found.n)
		expression_complete(line + skipped, add_word, &words);
	completions_fini(&found);
	free(line);
	*ret = json_pack("{s:o}", "targets", words.list);
	return NULL;
}
