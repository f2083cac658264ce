/* SPDX-License-Identifier: Apache-2.0 */
/* session_client.c - messages to the client. */
#include <stdlib.h>
#include <string.h>

#include "session.h"

void client_send(struct session *s, json_t *message)
{
	char *text = NULL, *framed = NULL;
	size_t size;
	if (!message)
		return;
	json_object_set_new(message, "seq", json_integer(s->next_seq++));
	text = json_dumps(message, JSON_COMPACT);
	if (text)
		framed = message_framed(text, strlen(text), &size);
	if (framed && !message_write(s->client_out, framed, size))
		s->is_over = true;
	free(text);
	free(framed);
	json_decref(message);
}

void client_event(struct session *s, const char *name, json_t *body)
{
	json_t *message = json_pack("{s:i, s:s, s:s}", "seq", 0, "type", "event", "event", name);
	if (body)
		json_object_set_new(message, "body", body);
	client_send(s, message);
}

/* Programs print what they like; what is no UTF-8 becomes question marks. */
static json_t *text_of(const char *text, size_t n)
{
	json_t *ret = json_stringn(text, n);
	char *copy = ret ? NULL : malloc(n + 1);
	if (!copy)
		return ret;
	for (size_t i = 0; i < n; i++)
		copy[i] = (char)((unsigned char)text[i] < 0x80 ? text[i] : '?');
	ret = json_stringn(copy, n);
	free(copy);
	return ret;
}

void client_respond(struct session *s, const json_t *request, json_t *body,
		    struct cudasim_error *error)
{
	const json_t *seq = json_object_get(request, "seq");
	const char *command = json_string_value(json_object_get(request, "command"));
	json_t *message = json_pack("{s:i, s:s, s:I, s:s, s:b}", "seq", 0, "type", "response",
				    "request_seq",
				    json_is_integer(seq) ? json_integer_value(seq) : (json_int_t)0,
				    "command", command ? command : "", "success", !error);
	if (error) {
		json_decref(body);
		json_t *text = text_of(error->message, strlen(error->message));
		body = json_pack("{s:{s:i, s:s, s:{s:O}, s:b}}", "error", "id", (int)error->code,
				 "format", "{_text}", "variables", "_text", text, "showUser", 1);
		json_object_set_new(message, "message", text);
		cudasim_error_free(error);
	}
	if (body)
		json_object_set_new(message, "body", body);
	client_send(s, message);
}

void client_output(struct session *s, const char *category, const char *text, size_t n)
{
	if (n)
		client_event(
			s, "output",
			json_pack("{s:s, s:o}", "category", category, "output", text_of(text, n)));
}

/* ---- capabilities ----------------------------------------------------------------------- */

static json_t *filters(void)
{
	static const struct {
		const char *filter, *label, *description, *condition;
	} rows[] = {
		{"launch", "Kernel launch", "Stops when a kernel is launched", "an expression"},
		{"exit", "Kernel end", "Stops when a kernel has ended", "an expression"},
		{"barrier", "Barrier", "Stops when a thread comes to a barrier of its block",
		 "an expression, in the thread's scope"},
		{"printf", "printf() in a kernel", "Stops when device code prints",
		 "an expression, in the thread's scope"},
		{"assert", "Device assertion", "Stops when an assertion of device code fails",
		 "an expression, in the thread's scope"},
		{"fault", "CUDA exception",
		 "Counts illegal addresses and the like, which stop in any case",
		 "an expression, in the thread's scope"},
		{"finding", "Finding of a checker",
		 "Stops where a checker finds something; needs \"check\" in the launch",
		 "an expression, in the thread's scope"},
		{"race", "Data race", "Stops at a data race; needs \"check\" in the launch",
		 "an expression, in the thread's scope"},
	};
	json_t *ret = json_array();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		json_array_append_new(ret, json_pack("{s:s, s:s, s:s, s:b, s:b, s:s}", "filter",
						     rows[i].filter, "label", rows[i].label,
						     "description", rows[i].description, "default",
						     0, "supportsCondition", 1,
						     "conditionDescription", rows[i].condition));
	return ret;
}

json_t *client_capabilities(void)
{
	static const char *const can[] = {
		"supportsConfigurationDoneRequest",
		"supportsFunctionBreakpoints",
		"supportsConditionalBreakpoints",
		"supportsHitConditionalBreakpoints",
		"supportsLogPoints",
		"supportsEvaluateForHovers",
		"supportsSetVariable",
		"supportsSetExpression",
		"supportsCompletionsRequest",
		"supportsModulesRequest",
		"supportsLoadedSourcesRequest",
		"supportsExceptionInfoRequest",
		"supportsExceptionFilterOptions",
		"supportsValueFormattingOptions",
		"supportsDelayedStackTraceLoading",
		"supportsDataBreakpoints",
		"supportsDataBreakpointBytes",
		"supportsReadMemoryRequest",
		"supportsWriteMemoryRequest",
		"supportsDisassembleRequest",
		"supportsInstructionBreakpoints",
		"supportsSteppingGranularity",
		"supportsBreakpointLocationsRequest",
		"supportsClipboardContext",
		"supportTerminateDebuggee",
		"supportsCancelRequest",
		"supportsStepBack", /* of what is recorded */
	};
	json_t *ret = json_object();
	for (size_t i = 0; i < sizeof can / sizeof *can; i++)
		json_object_set_new(ret, can[i], json_true());
	json_object_set_new(ret, "exceptionBreakpointFilters", filters());
	json_object_set_new(ret, "completionTriggerCharacters",
			    json_pack("[s, s, s]", ".", ">", ":"));
	return ret;
}
