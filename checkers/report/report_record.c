/* SPDX-License-Identifier: Apache-2.0 */
/* report_record.c - findings for other programs: JSON, one object a line, and XML. */
#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "report.h"

static const char *const severities[] = {"error", "warning", "info"};

/* ---- JSON ------------------------------------------------------------------ */

static json_t *three(const uint32_t *v)
{
	return json_pack("[iii]", (int)v[0], (int)v[1], (int)v[2]);
}

static json_t *side_object(const struct finding_side *s)
{
	json_t *o = json_object();
	if (s->host) {
		json_object_set_new(o, "host", json_true());
		if (s->function)
			json_object_set_new(o, "function", json_string(s->function));
		return o;
	}
	if (s->kernel) {
		json_object_set_new(o, "kernel", json_string(s->kernel->display));
		json_object_set_new(o, "launch", json_integer((json_int_t)s->launch_id));
		json_object_set_new(o, "block", three(s->block));
		json_object_set_new(o, "thread", three(s->thread));
	}
	if (s->site) {
		json_object_set_new(o, "function", json_string(s->site->function));
		json_object_set_new(o, "file", json_string(s->site->file));
		json_object_set_new(o, "line", json_integer(s->site->line));
		json_object_set_new(o, "column", json_integer(s->site->column));
	}
	if (s->what)
		json_object_set_new(o, "access",
				    json_string(s->what & CUDASIM_ACCESS_ATOMIC  ? "atomic"
						: s->what & CUDASIM_ACCESS_STORE ? "write"
										 : "read"));
	if (s->size)
		json_object_set_new(o, "size", json_integer((json_int_t)s->size));
	return o;
}

static json_t *device_frames(const struct record *r)
{
	struct cudasim_symbol s[BACKTRACE_MAX];
	size_t n = backtrace_device(r->device_frames, r->inlined, s, BACKTRACE_MAX);
	json_t *all = json_array();
	for (size_t i = 0; i < n; i++) {
		char text[1200];
		snprintf(text, sizeof text, "%.255s in %.511s:%u", s[i].function, s[i].file,
			 s[i].line);
		json_array_append_new(all, json_string(text));
	}
	return all;
}

static json_t *frames_array(const uint64_t *frames)
{
	json_t *all = json_array();
	for (int i = 0; i < BACKTRACE_MAX && frames[i]; i++) {
		char text[1200];
		bool is_main = false, end = false;
		for (size_t k = 0;
		     backtrace_host_line(frames[i], k, false, text, sizeof text, &is_main); k++) {
			if (!backtrace_is_stub(text))
				json_array_append_new(all, json_string(text));
			end = end || is_main;
		}
		if (end)
			break;
	}
	return all;
}

void report_json_finding(FILE *out, const struct record *r)
{
	const struct finding *f = &r->finding;
	json_t *o = json_object();
	json_object_set_new(o, "tool", json_string(check_tools[f->tool]));
	json_object_set_new(o, "kind", json_string(f->kind));
	json_object_set_new(o, "severity", json_string(severities[f->severity]));
	json_object_set_new(o, "title", json_string(f->title));
	json_object_set_new(o, "detail", json_string(f->detail));
	if (f->remedy)
		json_object_set_new(o, "remedy", json_string(f->remedy));
	json_t *side = side_object(&f->side);
	struct cudasim_symbol symbol;
	if (!f->side.site && r->device_frames[0] &&
	    backtrace_places(r->device_frames[0] - 1, &symbol, 1)) {
		json_object_set_new(side, "function", json_string(symbol.function));
		json_object_set_new(side, "file", json_string(symbol.file));
		json_object_set_new(side, "line", json_integer(symbol.line));
	}
	json_object_set_new(o, "side", side);
	if (f->two)
		json_object_set_new(o, "other", side_object(&f->other));
	json_t *launchers = json_array();
	for (int i = 0; i < REPORT_LAUNCHERS && r->launchers[i].kernel; i++)
		json_array_append_new(launchers, side_object(&r->launchers[i]));
	if (json_array_size(launchers))
		json_object_set(o, "launchers", launchers);
	json_decref(launchers);
	json_object_set_new(o, "threads", json_integer((json_int_t)r->threads.n));
	json_object_set_new(o, "times", json_integer((json_int_t)r->n_times));
	if (f->address) {
		char text[32];
		snprintf(text, sizeof text, "%p", f->address);
		json_object_set_new(o, "address", json_string(text));
	}
	if (r->has_allocation) {
		const struct cudasim_memory *m = &r->allocation.memory;
		char text[32];
		snprintf(text, sizeof text, "%p", m->address);
		json_t *a = json_pack("{s:s,s:I,s:i,s:b,s:o}", "address", text, "size",
				      (json_int_t)m->size, "device", m->device, "freed",
				      r->allocation.freed, "made",
				      frames_array(r->allocation.made));
		if (m->function)
			json_object_set_new(a, "function", json_string(m->function));
		json_object_set_new(o, "allocation", a);
	}
	json_object_set_new(o, "device_backtrace", device_frames(r));
	json_object_set_new(o, "host_backtrace", frames_array(r->host_frames));
	json_dumpf(o, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
	fputc('\n', out);
	fflush(out);
	json_decref(o);
}

/* ---- XML ------------------------------------------------------------------- */

static void element(FILE *out, const char *name, const char *text)
{
	fprintf(out, "    <%s>", name);
	for (; *text; text++) {
		if (*text == '<' || *text == '>' || *text == '&')
			fputs(*text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "&amp;", out);
		else if ((unsigned char)*text >= ' ' || *text == '\n' || *text == '\t')
			fputc(*text, out);
	}
	fprintf(out, "</%s>\n", name);
}

static void element_number(FILE *out, const char *name, uint64_t n)
{
	fprintf(out, "    <%s>%" PRIu64 "</%s>\n", name, n, name);
}

static void side_elements(FILE *out, const struct finding_side *s)
{
	if (s->site) {
		element(out, "function", s->site->function);
		element(out, "file", s->site->file);
		element_number(out, "line", s->site->line);
	} else if (s->function) {
		element(out, "function", s->function);
	}
	if (!s->kernel)
		return;
	element(out, "kernel", s->kernel->display);
	element_number(out, "launch", s->launch_id);
	fprintf(out,
		"    <thread x=\"%u\" y=\"%u\" z=\"%u\"/>\n    <block x=\"%u\" y=\"%u\" z=\"%u\"/>\n",
		s->thread[0], s->thread[1], s->thread[2], s->block[0], s->block[1], s->block[2]);
}

void report_xml_begin(FILE *out)
{
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<findings>\n", out);
}

void report_xml_finding(FILE *out, const struct record *r)
{
	const struct finding *f = &r->finding;
	fputs("  <finding>\n", out);
	element(out, "tool", check_tools[f->tool]);
	element(out, "kind", f->kind);
	element(out, "severity", severities[f->severity]);
	element(out, "title", f->title);
	element(out, "detail", f->detail);
	if (f->remedy)
		element(out, "remedy", f->remedy);
	side_elements(out, &f->side);
	element_number(out, "threads", r->threads.n);
	if (f->two) {
		fputs("    <other>\n", out);
		side_elements(out, &f->other);
		fputs("    </other>\n", out);
	}
	for (int i = 0; i < REPORT_LAUNCHERS && r->launchers[i].kernel; i++) {
		fputs("    <launcher>\n", out);
		side_elements(out, &r->launchers[i]);
		fputs("    </launcher>\n", out);
	}
	fputs("  </finding>\n", out);
	fflush(out);
}

void report_xml_end(FILE *out, const struct report_totals *t)
{
	element_number(out, "errors", t->n_errors);
	element_number(out, "warnings", t->n_warnings);
	fputs("</findings>\n", out);
}
