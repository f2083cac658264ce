/* SPDX-License-Identifier: Apache-2.0 */
/* report_sarif.c - findings as results of SARIF 2.1.0.
 *
 * A result stands at a line: of the access, or of the program's call on the host. The other side of a
 * race, the launches, the allocation are related locations; stacks are stacks. Its fingerprint
 * holds no line's number but the line's text, so that it stays when lines are put before it. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_session.h"
#include "error.h"
#include "hash.h"
#include "must.h"
#include "report.h"
#include "report_place.h"
#include "sarif.h"
#include "session.h"

static char *path;  /* of the file, absolute */
static bool failed; /* it cannot be written, which has been said */

bool report_sarif_begin(const struct check_options *options)
{
	char *name = report_file_name("sarif", options->sarif);
	char *folder = must(get_current_dir_name());
	if (!name)
		return false;
	if (*name == '/' ? !(path = name) : asprintf(&path, "%s/%s", folder, name) < 0)
		must_fail();
	const char *root = place_root(options->sarif_root ? options->sarif_root : folder);
	struct cudasim_error *error = session_is_first(path) ? sarif_begin(path, root) : NULL;
	if (error)
		fprintf(stderr, "cudasim: --sarif: %s\n", error->message);
	if (path != name)
		free(name);
	free(folder);
	bool fine = !error;
	cudasim_error_free(error);
	return fine;
}

/* ---- locations ------------------------------------------------------------- */

static json_t *message_object(const char *text)
{
	return json_pack("{s:s}", "text", text);
}

/* {} where nothing is known. */
static json_t *location_object(const struct place *p, int id, const char *message)
{
	json_t *ret = json_object();
	if (id)
		json_object_set_new(ret, "id", json_integer(id));
	if (*p->file) {
		bool below;
		char *uri = place_uri(p->file, &below);
		json_t *artifact = json_pack("{s:s}", "uri", uri);
		json_t *physical = json_pack("{s:o}", "artifactLocation", artifact);
		if (below)
			json_object_set_new(artifact, "uriBaseId", json_string("%SRCROOT%"));
		if (p->line) {
			json_t *region = json_pack("{s:i}", "startLine", (int)p->line);
			if (p->column)
				json_object_set_new(region, "startColumn", json_integer(p->column));
			json_object_set_new(physical, "region", region);
		}
		json_object_set_new(ret, "physicalLocation", physical);
		free(uri);
	}
	if (*p->function)
		json_object_set_new(ret, "logicalLocations",
				    json_pack("[{s:s,s:s}]", "fullyQualifiedName", p->function,
					      "kind", "function"));
	if (message)
		json_object_set_new(ret, "message", message_object(message));
	return ret;
}

/* Takes the places. */
static void add_stack(json_t *stacks, const char *message, struct place *places, size_t n)
{
	json_t *frames = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(frames, json_pack("{s:o}", "location",
							location_object(&places[i], 0, NULL)));
	free(places);
	if (n)
		json_array_append_new(stacks, json_pack("{s:o,s:o}", "message",
							message_object(message), "frames", frames));
	else
		json_decref(frames);
}

/* ---- what the result says -------------------------------------------------- */

static const char *access_of(const struct finding_side *s)
{
	bool store = s->what & CUDASIM_ACCESS_STORE, load = s->what & CUDASIM_ACCESS_LOAD;
	if (s->what & CUDASIM_ACCESS_ATOMIC)
		return store ? load ? "atomic read-modify-write" : "atomic write" : "atomic read";
	return s->host && !s->what ? "free" : store ? "write" : load ? "read" : "access";
}

static void write_who(FILE *out, const struct finding_side *s)
{
	if (s->kernel)
		fprintf(out,
			" by thread (%u,%u,%u) in block (%u,%u,%u) of kernel %s, launch %" PRIu64,
			s->thread[0], s->thread[1], s->thread[2], s->block[0], s->block[1],
			s->block[2], s->kernel->display, s->launch_id);
	else if (s->host)
		fprintf(out, " by %s", s->function ? s->function : "the host");
}

/* A sentence, whatever ends it already; its lines become one. */
static void write_sentence(FILE *out, const char *text)
{
	size_t n = strlen(text);
	if (!n)
		return;
	for (const char *c = text; *c; c++)
		fputc(*c == '\n' ? ' ' : *c, out);
	fputs(text[n - 1] == '.' ? " " : ". ", out);
}

static char *message_of(const struct record *r)
{
	const struct finding *f = &r->finding;
	char *ret = NULL;
	size_t size;
	FILE *out = must(open_memstream(&ret, &size));
	if (f->two || f->side.host) {
		write_sentence(out, f->title);
	} else {
		fputs(f->title, out);
		write_who(out, &f->side);
		fputs(". ", out);
	}
	if (f->two) {
		fprintf(out, "First: %s", access_of(&f->side));
		write_who(out, &f->side);
		/* A link to the related location. */
		fputs(". Second: [", out);
		fprintf(out, "%s](1)", access_of(&f->other));
		write_who(out, &f->other);
		fputs(". ", out);
	}
	write_sentence(out, f->detail);
	if (f->remedy)
		write_sentence(out, f->remedy);
	if (r->threads.n > 1)
		fprintf(out, "And %zu other threads.", r->threads.n - 1);
	fclose(out);
	size = strlen(must(ret));
	while (size && ret[size - 1] == ' ')
		ret[--size] = '\0';
	return ret;
}

static char *side_message(const char *what, const struct finding_side *s)
{
	char *ret = NULL;
	size_t size;
	FILE *out = must(open_memstream(&ret, &size));
	fputs(what, out);
	write_who(out, s);
	fclose(out);
	return must(ret);
}

/* ---- the result ------------------------------------------------------------ */

/* The host's stack that says most of a finding. */
static const uint64_t *host_frames_of(const struct record *r)
{
	return r->finding.tool == CHECKER_LEAKCHECK ? r->allocation.made : r->host_frames;
}

static void add_related(json_t *related, const struct place *p, char *message)
{
	json_array_append_new(related,
			      location_object(p, (int)json_array_size(related) + 1, message));
	free(message);
}

static json_t *related_locations(const struct record *r)
{
	const struct finding *f = &r->finding;
	json_t *ret = json_array();
	struct place p;
	if (f->two) {
		place_of_side(&f->other, NULL, &p);
		if (!*p.file && !r->launch_id)
			place_of_host(r->host_frames, &p);
		add_related(ret, &p, side_message(access_of(&f->other), &f->other));
	}
	for (int i = 0; i < REPORT_LAUNCHERS && r->launchers[i].kernel; i++) {
		place_of_side(&r->launchers[i], NULL, &p);
		add_related(ret, &p, side_message("launched", &r->launchers[i]));
	}
	if (r->launch_id && place_of_host(r->host_frames, &p))
		add_related(ret, &p, strdup("the host's launch"));
	if (r->has_allocation && f->tool != CHECKER_LEAKCHECK) {
		if (place_of_host(r->allocation.made, &p))
			add_related(ret, &p, strdup("the allocation"));
		if (r->allocation.freed && place_of_host(r->allocation.gone, &p))
			add_related(ret, &p, strdup("the memory was freed"));
	}
	return ret;
}

static json_t *stacks(const struct record *r)
{
	json_t *ret = json_array();
	size_t n;
	struct place *places = place_device_stack(r->device_frames, r->inlined, &n);
	add_stack(ret, "device", places, n);
	places = place_host_stack(host_frames_of(r), &n);
	add_stack(ret, r->launch_id ? "host, at the launch" : "host", places, n);
	return ret;
}

static uint64_t mix(uint64_t h, const char *text)
{
	for (; *text; text++)
		h = hash_mix(h, (unsigned char)*text);
	return hash_mix(h, 0);
}

/* Without lines' numbers, and what a run makes (addresses, threads). */
static uint64_t mix_place(uint64_t h, const struct place *p)
{
	bool below;
	char *uri = place_uri(p->file, &below), *line = place_line(p);
	h = mix(mix(mix(h, uri), p->function), line);
	free(uri);
	free(line);
	return h;
}

/* Without the addresses of a run. */
static uint64_t mix_title(uint64_t h, const char *text)
{
	for (; *text; text++) {
		h = hash_mix(h, (unsigned char)*text);
		if (!strncmp(text, "0x", 2))
			text += 1 + strspn(text + 2, "0123456789abcdef");
	}
	return h;
}

/* Findings are the same one in two processes where all but the example and the host's stack is. What
 * one process has of that several times, as the text has it, is in the file as often. */
static bool is_new(const struct record *r, const struct place *first, const struct place *second)
{
	static struct hash times; /* by hash */
	char line[64];
	uint64_t h = mix_title(mix(17, r->finding.kind), r->finding.title);
	h = hash_mix(hash_mix(mix_place(h, first), first->line), first->column);
	h = hash_mix(hash_mix(mix_place(h, second), second->line), second->column);
	h = hash_mix(h, r->has_allocation ? r->allocation.memory.id + 1 : 0);
	h = mix(h, r->finding.side.kernel ? r->finding.side.kernel->display : "");
	h |= 1; /* a key */
	const void *key = (const void *)(uintptr_t)h;
	size_t n = hash_number_of(hash_get(&times, key));
	if (!hash_put(&times, key, hash_number(n + 1)))
		must_fail();
	snprintf(line, sizeof line, CHECK_SESSION_FINDING "%016" PRIx64 " %zu\n", h, n);
	return session_is_new(line);
}

static json_t *result_object(const struct record *r, const struct place *first,
			     const struct place *second)
{
	static const char *const levels[] = {"error", "warning", "note"};
	const struct finding *f = &r->finding;
	char *message = message_of(r), fingerprint[32];
	size_t rule = sarif_rule_of(f->kind);
	snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64,
		 mix_place(mix_place(mix(17, f->kind), first), second));
	json_t *ret = json_pack("{s:s}", "ruleId", f->kind);
	if (rule < sarif_n_rules)
		json_object_set_new(ret, "ruleIndex", json_integer((json_int_t)rule));
	json_object_set_new(ret, "level", json_string(levels[f->severity]));
	json_object_set_new(ret, "message", message_object(message));
	json_object_set_new(ret, "locations", json_pack("[o]", location_object(first, 0, NULL)));
	json_t *more = related_locations(r);
	if (json_array_size(more))
		json_object_set(ret, "relatedLocations", more);
	json_decref(more);
	more = stacks(r);
	if (json_array_size(more))
		json_object_set(ret, "stacks", more);
	json_decref(more);
	json_object_set_new(ret, "partialFingerprints",
			    json_pack("{s:s}", "cudasimFinding/v1", fingerprint));
	json_t *properties = json_pack("{s:s,s:I}", "tool", check_tools[f->tool], "threads",
				       (json_int_t)r->threads.n);
	if (f->side.kernel)
		json_object_set_new(properties, "kernel", json_string(f->side.kernel->display));
	json_object_set_new(ret, "properties", properties);
	free(message);
	return ret;
}

void report_sarif_finding(const struct record *r)
{
	struct place first, second = {0};
	if (failed)
		return;
	if (!place_of_side(&r->finding.side, r->device_frames, &first) &&
	    !place_of_host(host_frames_of(r), &first))
		place_of_program(&first);
	if (r->finding.two)
		place_of_side(&r->finding.other, NULL, &second);
	if (!is_new(r, &first, &second))
		return;
	json_t *result = result_object(r, &first, &second);
	char *text = must(json_dumps(result, JSON_COMPACT | JSON_PRESERVE_ORDER));
	struct cudasim_error *error = sarif_add(path, text);
	if (error)
		fprintf(stderr, "cudasim: --sarif: %s\n", error->message);
	failed = error;
	cudasim_error_free(error);
	free(text);
	json_decref(result);
}
