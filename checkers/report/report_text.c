/* SPDX-License-Identifier: Apache-2.0 */
/* report_text.c - findings in the form of compute-sanitizer's reports. */
#include <inttypes.h>
#include <string.h>

#include "report.h"

static const char *file_of(const struct check_options *o, const char *path)
{
	return backtrace_file(path, o->strip_paths);
}

static void write_lines(FILE *out, const struct check_options *o, const char *text)
{
	while (*text) {
		size_t n = strcspn(text, "\n");
		fprintf(out, "%s     %.*s\n", o->prefix, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

/* Where no site is known (a signal, in the middle of a statement) the pc says it. */
static void write_site(FILE *out, const struct check_options *o, const struct record *r)
{
	const struct cudasim_site *s = r->finding.side.site;
	struct cudasim_symbol symbol;
	if (s)
		fprintf(out, "%s     at %s in %s:%u\n", o->prefix, s->function, file_of(o, s->file),
			s->line);
	else if (r->device_frames[0] && backtrace_places(r->device_frames[0] - 1, &symbol, 1))
		fprintf(out, "%s     at %s in %s:%u\n", o->prefix, symbol.function,
			file_of(o, symbol.file), symbol.line);
}

static void write_who(FILE *out, const struct check_options *o, const struct finding_side *s)
{
	if (s->kernel)
		fprintf(out, "%s     by thread (%u,%u,%u) in block (%u,%u,%u)\n", o->prefix,
			s->thread[0], s->thread[1], s->thread[2], s->block[0], s->block[1],
			s->block[2]);
}

static const char *verb_of(const struct finding_side *s)
{
	bool store = s->what & CUDASIM_ACCESS_STORE, load = s->what & CUDASIM_ACCESS_LOAD;
	if (s->what & CUDASIM_ACCESS_ATOMIC)
		return store ? load ? "Atomic read-modify-write" : "Atomic write" : "Atomic read";
	return s->host && !s->what ? "Free" : store ? "Write" : load ? "Read" : "Access";
}

/* One side of a race. */
static void write_side(FILE *out, const struct check_options *o, const struct finding_side *s,
		       uint64_t launch_id)
{
	if (s->host) {
		fprintf(out, "%s     %s by %s\n", o->prefix, verb_of(s),
			s->function ? s->function : "the host");
		return;
	}
	fprintf(out, "%s     %s", o->prefix, verb_of(s));
	if (s->size)
		fprintf(out, " of size %" PRIu64 " bytes", s->size);
	if (s->site)
		fprintf(out, " at %s in %s:%u", s->site->function, file_of(o, s->site->file),
			s->site->line);
	fputc('\n', out);
	if (!s->kernel)
		return;
	fprintf(out, "%s         by thread (%u,%u,%u) in block (%u,%u,%u)", o->prefix, s->thread[0],
		s->thread[1], s->thread[2], s->block[0], s->block[1], s->block[2]);
	if (s->launch_id != launch_id)
		fprintf(out, " of kernel %s, launch %" PRIu64, s->kernel->display, s->launch_id);
	fputc('\n', out);
}

static void write_device_frames(FILE *out, const struct check_options *o, const struct record *r)
{
	if (!(o->backtrace & CHECK_BACKTRACE_DEVICE))
		return;
	uint64_t limit = o->callers_device ? o->callers_device : BACKTRACE_MAX;
	/* The innermost is the site. */
	struct cudasim_symbol s[BACKTRACE_MAX];
	size_t n = backtrace_device(r->device_frames, r->inlined, s, BACKTRACE_MAX);
	for (size_t i = 1; i < n && i <= limit; i++)
		if (*s[i].function)
			fprintf(out, "%s         Device Frame: %s in %s:%u\n", o->prefix,
				s[i].function, file_of(o, s[i].file), s[i].line);
}

static void write_host_frames(FILE *out, const struct check_options *o, const char *title,
			      const uint64_t *frames)
{
	if (!(o->backtrace & CHECK_BACKTRACE_HOST) || !frames[0])
		return;
	fprintf(out, "%s     %s\n", o->prefix, title);
	uint64_t limit = o->callers_host ? o->callers_host : BACKTRACE_MAX;
	for (uint64_t i = 0; i < BACKTRACE_MAX && frames[i] && i < limit; i++) {
		char text[1200];
		bool is_main = false, end = false;
		for (size_t k = 0;
		     backtrace_host_line(frames[i], k, o->strip_paths, text, sizeof text, &is_main);
		     k++) {
			if (!backtrace_is_stub(text))
				fprintf(out, "%s         Host Frame: %s\n", o->prefix, text);
			end = end || is_main;
		}
		if (end && o->backtrace_short)
			break;
	}
}

static void write_allocation(FILE *out, const struct check_options *o, const struct record *r)
{
	static const char *const kinds[] = {
		[CUDASIM_MEMORY_DEVICE] = "device memory",
		[CUDASIM_MEMORY_MANAGED] = "managed memory",
		[CUDASIM_MEMORY_HOST] = "pinned host memory",
		[CUDASIM_MEMORY_REGISTERED] = "registered host memory",
		[CUDASIM_MEMORY_HEAP] = "the device heap",
		[CUDASIM_MEMORY_VARIABLE] = "a variable",
	};
	const struct cudasim_memory *m = &r->allocation.memory;
	if (!r->has_allocation || r->finding.tool == CHECKER_LEAKCHECK)
		return;
	fprintf(out, "%s     Allocation of %" PRIu64 " bytes at %p, %s", o->prefix, m->size,
		m->address, kinds[m->kind]);
	if (m->device >= 0)
		fprintf(out, " of device %d", m->device);
	if (m->function)
		fprintf(out, ", by %s", m->function);
	fputc('\n', out);
	write_host_frames(out, o, "Saved host backtrace at allocation time", r->allocation.made);
	if (r->allocation.freed)
		write_host_frames(out, o, "Saved host backtrace at the time it was freed",
				  r->allocation.gone);
}

static void write_launchers(FILE *out, const struct check_options *o, const struct record *r)
{
	for (int i = 0; i < REPORT_LAUNCHERS && r->launchers[i].kernel; i++) {
		const struct finding_side *s = &r->launchers[i];
		fprintf(out, "%s     launched", o->prefix);
		if (s->site)
			fprintf(out, " at %s in %s:%u", s->site->function,
				file_of(o, s->site->file), s->site->line);
		fprintf(out,
			"\n%s         by thread (%u,%u,%u) in block (%u,%u,%u) of kernel %s, launch %" PRIu64
			"\n",
			o->prefix, s->thread[0], s->thread[1], s->thread[2], s->block[0],
			s->block[1], s->block[2], s->kernel->display, s->launch_id);
	}
}

static const char *severity_of(const struct finding *f)
{
	return f->severity == FINDING_WARNING ? "Warning: "
	       : f->severity == FINDING_INFO  ? "Info: "
					      : "";
}

void report_text_begin(FILE *out, const struct check_options *o)
{
	if (o->quiet)
		return;
	fprintf(out, "%s CUDASIM CHECK:", o->prefix);
	for (int i = 0, n = 0; i < CHECK_N_TOOLS; i++)
		if (o->tools[i])
			fprintf(out, "%s %s", n++ ? "," : "", check_tools[i]);
	fputc('\n', out);
}

void report_text_finding(FILE *out, const struct check_options *o, const struct record *r)
{
	const struct finding *f = &r->finding;
	fprintf(out, "%s %s%s\n", o->prefix, severity_of(f), f->title);
	if (f->two) {
		write_side(out, o, &f->side, r->launch_id);
		write_side(out, o, &f->other, r->launch_id);
	} else if (!f->side.host) {
		write_site(out, o, r);
		write_who(out, o, &f->side);
	}
	if (r->threads.n > 1)
		fprintf(out, "%s     and %zu other threads\n", o->prefix, r->threads.n - 1);
	write_lines(out, o, f->detail);
	if (f->remedy)
		write_lines(out, o, f->remedy);
	write_device_frames(out, o, r);
	write_allocation(out, o, r);
	if (f->side.kernel && r->launch_id)
		fprintf(out, "%s     In kernel %s, launch %" PRIu64 "\n", o->prefix,
			f->side.kernel->display, r->launch_id);
	write_launchers(out, o, r);
	write_host_frames(
		out, o,
		r->launch_id ? "Saved host backtrace up to driver entry point at kernel launch time"
		: f->tool == CHECKER_LEAKCHECK
			? "Saved host backtrace up to driver entry point at allocation time"
			: "Saved host backtrace up to driver entry point at error",
		f->tool == CHECKER_LEAKCHECK ? r->allocation.made : r->host_frames);
	if (o->generate_suppressions)
		suppression_write(out, o->prefix, r);
	fprintf(out, "%s \n", o->prefix);
}

static const char *plural(uint64_t n, const char *one, const char *more)
{
	return n == 1 ? one : more;
}

void report_text_end(FILE *out, const struct check_options *o, const struct report_totals *t,
		     const struct record *printed)
{
	for (const struct record *r = printed; r; r = r->listed) {
		const struct cudasim_site *s = r->finding.side.site;
		if (!r->n_later_launches || r->finding.severity == FINDING_INFO)
			continue;
		if (r->launch_id)
			fprintf(out, "%s %s in %s:%u: again in %" PRIu64 " later %s\n", o->prefix,
				r->finding.title, s ? file_of(o, s->file) : "?", s ? s->line : 0,
				r->n_later_launches,
				plural(r->n_later_launches, "launch", "launches"));
		else
			fprintf(out, "%s %s: again %" PRIu64 " %s later\n", o->prefix,
				r->finding.title, r->n_later_times,
				plural(r->n_later_times, "time", "times"));
	}
	if (t->n_unprinted)
		fprintf(out, "%s %" PRIu64 " more %s not printed: --print-limit %" PRIu64 "\n",
			o->prefix, t->n_unprinted,
			plural(t->n_unprinted, "finding was", "findings were"), o->print_limit);
	if (o->quiet && !t->n_errors && !t->n_warnings)
		return;
	if (o->tools[CHECKER_LEAKCHECK])
		fprintf(out,
			"%s LEAK SUMMARY: %" PRIu64 " bytes leaked in %" PRIu64 " allocations\n",
			o->prefix, t->leaked_bytes, t->n_leaked);
	if (o->tools[CHECKER_RACECHECK]) {
		uint64_t n = t->n_races_errors + t->n_races_warnings;
		fprintf(out,
			"%s RACECHECK SUMMARY: %" PRIu64 " %s displayed (%" PRIu64 " %s, %" PRIu64
			" %s)\n",
			o->prefix, n, plural(n, "hazard", "hazards"), t->n_races_errors,
			plural(t->n_races_errors, "error", "errors"), t->n_races_warnings,
			plural(t->n_races_warnings, "warning", "warnings"));
	}
	fprintf(out, "%s ERROR SUMMARY: %" PRIu64 " %s", o->prefix, t->n_errors,
		plural(t->n_errors, "error", "errors"));
	if (t->n_warnings)
		fprintf(out, ", %" PRIu64 " %s", t->n_warnings,
			plural(t->n_warnings, "warning", "warnings"));
	fputc('\n', out);
}
