/* SPDX-License-Identifier: Apache-2.0 */
/* compare_report.c - what a comparison has found, for people and for programs. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

static const char *const verdict_names[] = {"equal", "within tolerance", "different"};

/* ---- text ------------------------------------------------------------------------- */

static void tell_owner(FILE *out, const struct owner *o)
{
	if (o->place && o->found)
		fprintf(out, ", stored by block (%u,%u,%u), thread (%u,%u,%u) at %s", o->block[0],
			o->block[1], o->block[2], o->thread[0], o->thread[1], o->thread[2],
			o->place);
	else if (o->place)
		fputs(", not stored by a thread of this launch", out);
}

static void tell_element(FILE *out, const char *what, const struct finding *f,
			 const struct element *e, const struct owner *owner, const struct side *a,
			 const struct side *b)
{
	char x[64], y[64];
	value_text(f->tally.type, e->a, x, sizeof x);
	value_text(f->tally.type, e->b, y, sizeof y);
	fprintf(out, "    %-6s[%" PRIu64 "]: %s %s, %s %s", what, e->index, x, a->label, y,
		b->label);
	if (value_is_floating(f->tally.type) && e->distance != UINT64_MAX)
		fprintf(out, ", %" PRIu64 " ULP", e->distance);
	tell_owner(out, owner);
	fputc('\n', out);
}

static void tell_buckets(FILE *out, const uint64_t *buckets)
{
	char text[32];
	for (unsigned i = 0; i < VALUE_BUCKETS; i++) {
		if (!buckets[i])
			continue;
		bucket_text(i, text, sizeof text);
		fprintf(out, "  %s: %" PRIu64, text, buckets[i]);
	}
	fputc('\n', out);
}

static void tell_memory(FILE *out, const struct finding *f)
{
	if (f->kind == RECORD_VARIABLE)
		fprintf(out, "  variable %s, %" PRIu64 " bytes", f->name, f->size);
	else
		fprintf(out, "  memory %u, %" PRIu64 " bytes by %s%s%s", f->memory[0], f->size,
			f->name, *f->place ? " in " : "", f->place);
}

static void tell_finding(FILE *out, const struct finding *f, const struct side *a,
			 const struct side *b)
{
	const struct tally *t = &f->tally;
	tell_memory(out, f);
	if (!t->n_different) {
		fprintf(out, ": differs in %u chunk%s whose bytes the recording does not have\n",
			f->n_chunks, f->n_chunks == 1 ? "" : "s");
		return;
	}
	if (f->is_sampled)
		fprintf(out,
			": %" PRIu64 " of the %" PRIu64 " %s elements that the recording has "
			"differ",
			t->n_different, t->n_compared, value_name(t->type));
	else
		fprintf(out, ": %" PRIu64 " of %" PRIu64 " %s elements differ", t->n_different,
			f->size / value_bytes(t->type), value_name(t->type));
	if (t->n_beyond != t->n_different)
		fprintf(out, ", %" PRIu64 " beyond the tolerance", t->n_beyond);
	fputc('\n', out);
	tell_element(out, "first", f, &t->first, &f->first, a, b);
	if (t->worst.index != t->first.index)
		tell_element(out, "worst", f, &t->worst, &f->worst, a, b);
	if (value_is_floating(t->type)) {
		fputs("    ULP ", out);
		tell_buckets(out, t->buckets);
	}
}

static void tell_result(FILE *out, const struct result *r, const struct side *a,
			const struct side *b)
{
	fprintf(out, "launch %" PRIu64 ", %s: %s\n", r->launch, r->kernel,
		verdict_names[r->verdict]);
	if (r->message)
		fprintf(out, "  %s\n", r->message);
	for (size_t i = 0; i < r->n; i++)
		tell_finding(out, &r->findings[i], a, b);
}

void compare_report_text(FILE *out, const struct comparison *c, const struct side *a,
			 const struct side *b, size_t n_told)
{
	bool any = false;
	for (size_t i = 0; i < c->n_results && i < n_told; i++)
		tell_result(out, &c->results[i], a, b);
	uint64_t more = c->n_results > n_told ? c->n_results - n_told : 0;
	if (more + c->n_untold)
		fprintf(out, "(and %" PRIu64 " more launches)\n", more + c->n_untold);
	if (c->divergence)
		fprintf(out, "the runs diverge: %s\n", c->divergence);
	fprintf(out, "%" PRIu64 " launch%s compared (%s, %s): %" PRIu64 " equal", c->n_launches,
		c->n_launches == 1 ? "" : "es", a->label, b->label,
		c->n_verdicts[VERDICT_EQUAL] - c->n_unwatched);
	if (c->n_verdicts[VERDICT_WITHIN])
		fprintf(out, ", %" PRIu64 " within the tolerance", c->n_verdicts[VERDICT_WITHIN]);
	fprintf(out, ", %" PRIu64 " different", c->n_verdicts[VERDICT_DIFFERENT]);
	if (c->n_unwatched)
		fprintf(out, ", %" PRIu64 " not looked at", c->n_unwatched);
	fputc('\n', out);
	for (unsigned i = 0; i < VALUE_BUCKETS; i++)
		any |= c->buckets[i] != 0;
	if (any) {
		fputs("floating-point elements by ULP:", out);
		tell_buckets(out, c->buckets);
	}
	if (a->uses_heap || b->uses_heap)
		fputs("not compared: memory that kernels got from malloc(), which no CUDA call can read\n",
		      out);
}

/* ---- JSON --------------------------------------------------------------------------- */

static json_t *json_dim(const uint32_t dim[3])
{
	return json_pack("[I, I, I]", (json_int_t)dim[0], (json_int_t)dim[1], (json_int_t)dim[2]);
}

static json_t *json_element(enum value_type type, const struct element *e,
			    const struct owner *owner)
{
	char x[64], y[64];
	value_text(type, e->a, x, sizeof x);
	value_text(type, e->b, y, sizeof y);
	json_t *to = json_pack("{s: I, s: s, s: s}", "index", (json_int_t)e->index, "first", x,
			       "second", y);
	if (e->distance <= INT64_MAX)
		json_object_set_new(to, "ulp", json_integer((json_int_t)e->distance));
	if (owner->place && owner->found)
		json_object_set_new(to, "owner",
				    json_pack("{s: o, s: o, s: s}", "block", json_dim(owner->block),
					      "thread", json_dim(owner->thread), "place",
					      owner->place));
	return to;
}

static json_t *json_buckets(const uint64_t *buckets)
{
	json_t *to = json_object();
	char text[32];
	for (unsigned i = 0; i < VALUE_BUCKETS; i++) {
		bucket_text(i, text, sizeof text);
		if (buckets[i])
			json_object_set_new(to, text, json_integer((json_int_t)buckets[i]));
	}
	return to;
}

static json_t *json_finding(const struct finding *f)
{
	static const char *const kinds[] = {"device", "managed", "variable", "host", "array"};
	const struct tally *t = &f->tally;
	json_t *to = json_pack(
		"{s: s, s: I, s: s, s: s, s: I, s: b, s: s, s: I, s: I, s: I}", "kind",
		kinds[f->kind], "memory", (json_int_t)f->memory[0], "made_by", f->name, "place",
		f->place, "bytes", (json_int_t)f->size, "sampled", (int)f->is_sampled, "type",
		value_name(t->type), "compared", (json_int_t)t->n_compared, "different",
		(json_int_t)t->n_different, "beyond_tolerance", (json_int_t)t->n_beyond);
	if (!to || !t->n_different)
		return to;
	json_object_set_new(to, "first", json_element(t->type, &t->first, &f->first));
	json_object_set_new(to, "worst", json_element(t->type, &t->worst, &f->worst));
	json_object_set_new(to, "ulp", json_buckets(t->buckets));
	return to;
}

static json_t *json_result(const struct result *r)
{
	json_t *findings = json_array();
	for (size_t i = 0; i < r->n; i++)
		json_array_append_new(findings, json_finding(&r->findings[i]));
	json_t *to = json_pack("{s: I, s: s, s: s, s: o}", "launch", (json_int_t)r->launch,
			       "kernel", r->kernel, "verdict", verdict_names[r->verdict],
			       "memories", findings);
	if (to && r->message)
		json_object_set_new(to, "message", json_string(r->message));
	return to;
}

static json_t *json_side(const struct side *s)
{
	return json_pack("{s: s, s: b, s: s}", "run", s->label, "simulated", (int)s->simulated,
			 "device", s->device ? s->device : "");
}

/* Of launches that changed nothing but floating-point memory, that and other, only other. */
static json_t *json_data(const struct comparison *c)
{
	static const char *const names[] = {"floating_point", "both", "other"};
	json_t *to = json_object();
	for (unsigned i = 0; i < N_DATA; i++)
		json_object_set_new(to, names[i],
				    json_pack("{s: I, s: I}", "launches",
					      (json_int_t)c->by_data[i].launches, "equal",
					      (json_int_t)c->by_data[i].equal));
	return to;
}

struct cudasim_error *compare_report_json(FILE *out, const struct comparison *c,
					  const struct side *a, const struct side *b)
{
	json_t *results = json_array();
	for (size_t i = 0; i < c->n_results; i++)
		json_array_append_new(results, json_result(&c->results[i]));
	json_t *all = json_pack(
		"{s: o, s: o, s: I, s: I, s: I, s: I, s: I, s: I, s: o, s: o}", "first",
		json_side(a), "second", json_side(b), "launches", (json_int_t)c->n_launches,
		"equal", (json_int_t)(c->n_verdicts[VERDICT_EQUAL] - c->n_unwatched),
		"within_tolerance", (json_int_t)c->n_verdicts[VERDICT_WITHIN], "different",
		(json_int_t)c->n_verdicts[VERDICT_DIFFERENT], "not_looked_at",
		(json_int_t)c->n_unwatched, "different_integers", (json_int_t)c->n_integer_launches,
		"ulp", json_buckets(c->buckets), "results", results);
	if (!all)
		return &cudasim_error_nomem;
	json_object_set_new(all, "data", json_data(c));
	json_object_set_new(all, "uses_device_heap", json_boolean(a->uses_heap || b->uses_heap));
	if (c->divergence)
		json_object_set_new(all, "divergence", json_string(c->divergence));
	int failed = json_dumpf(all, out, JSON_INDENT(1)) | (fputc('\n', out) == EOF);
	json_decref(all);
	return failed ? cudasim_error_new(CUDASIM_E_SYSTEM, "cannot write the report") : NULL;
}
