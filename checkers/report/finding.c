/* SPDX-License-Identifier: Apache-2.0 */
/* finding.c - keeps findings, merges equal ones, prints them when their turn has come.
 *
 * Pending records stand in a hash table by key, which includes the launch. When a launch and
 * all before it have ended its records are sorted and printed; an equal one that an earlier
 * launch had (same key without the launch) is only counted there. */
#define _GNU_SOURCE
#include "finding.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hash.h"
#include "must.h"
#include "report.h"
#include "session.h"

enum { N_CHAINS = 1 << 12, MAX_THREADS = 1 << 22 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const struct check_options *options;
static struct record *pending[N_CHAINS]; /* by key ^ launch */
static struct record *seen[N_CHAINS];    /* printed ones, by key */
static struct record *printed, **printed_end = &printed;
static uint64_t n_records, n_pending, n_printed;
static struct report_totals totals;
static FILE *log_out, *json_out, *xml_out;
static bool finished, alone; /* alone: no other thread is there, locks mean nothing */

/* Launches in flight, by id, since `first`. */
static struct launch {
	bool known, ended;
	uint64_t host_frames[BACKTRACE_MAX];
	struct finding_side launchers[REPORT_LAUNCHERS];
} *launches;
static uint64_t first = 1, last, n_launch_slots;

static void hold(void)
{
	if (!alone)
		pthread_mutex_lock(&lock);
}

static void let_go(void)
{
	if (!alone)
		pthread_mutex_unlock(&lock);
}

/* ---- distinct threads ------------------------------------------------------ */

/* Millions per finding: 8 bytes a slot, where base/hash.h has 16. */
static void set_add(struct thread_set *set, uint64_t thread)
{
	if (2 * set->n >= set->n_slots) {
		struct thread_set more = {.n_slots = set->n_slots ? 2 * set->n_slots : 16};
		if (more.n_slots > MAX_THREADS)
			return;
		more.slots = must(calloc(more.n_slots, sizeof *more.slots));
		for (size_t i = 0; i < set->n_slots; i++)
			if (set->slots[i])
				set_add(&more, set->slots[i]);
		free(set->slots);
		*set = more;
	}
	size_t i = (thread * 0x9e3779b97f4a7c15u >> 20) & (set->n_slots - 1);
	for (; set->slots[i]; i = (i + 1) & (set->n_slots - 1))
		if (set->slots[i] == thread)
			return;
	set->slots[i] = thread;
	set->n++;
}

/* ---- equal and less -------------------------------------------------------- */

static uint64_t mix_text(uint64_t h, const char *text)
{
	for (; text && *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3u;
	return hash_mix(h, 1);
}

static uint64_t mix_side(uint64_t h, const struct finding_side *side)
{
	h = hash_mix(h, (uint64_t)(uintptr_t)side->kernel);
	h = hash_mix(h, (uint64_t)(uintptr_t)side->site);
	return side->host ? mix_text(h, side->function) : h;
}

static uint64_t key_of(const struct record *r)
{
	const struct finding *f = &r->finding;
	uint64_t h = hash_mix(17, (uint64_t)f->tool << 8 | (uint64_t)f->severity);
	h = mix_text(h, f->kind);
	h = mix_text(h, f->title);
	h = mix_side(h, &f->side);
	if (f->two)
		h = mix_side(h, &f->other);
	/* Allocations count in the order of the program. */
	h = hash_mix(h, r->has_allocation ? r->allocation.memory.id + 1 : 0);
	if (!r->launch_id)
		for (int i = 0; i < BACKTRACE_MAX && r->host_frames[i]; i++)
			h = hash_mix(h, r->host_frames[i]);
	return h;
}

static int compare_three(const uint32_t *a, const uint32_t *b)
{
	for (int i = 2; i >= 0; i--)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static int compare_who(const struct finding_side *a, const struct finding_side *b)
{
	int order = compare_three(a->block, b->block);
	return order ? order : compare_three(a->thread, b->thread);
}

static int compare_sites(const struct cudasim_site *a, const struct cudasim_site *b)
{
	if (a == b || !a || !b)
		return (a != NULL) - (b != NULL);
	int order = strcmp(a->file, b->file);
	if (order)
		return order;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->column < b->column ? -1 : a->column > b->column;
}

/* In the order of printing. */
static int compare(const void *x, const void *y)
{
	const struct record *a = *(struct record *const *)x, *b = *(struct record *const *)y;
	const struct finding *f = &a->finding, *g = &b->finding;
	if (a->after != b->after)
		return a->after < b->after ? -1 : 1;
	if (!a->launch_id != !b->launch_id)
		return a->launch_id ? -1 : 1;
	if (!a->launch_id)
		return a->number < b->number ? -1 : 1;
	int order = (int)f->tool - (int)g->tool;
	if (!order)
		order = compare_sites(f->side.site, g->side.site);
	if (!order)
		order = compare_sites(f->other.site, g->other.site);
	if (!order)
		order = strcmp(f->kind, g->kind);
	if (!order)
		order = strcmp(f->title, g->title);
	if (!order && a->allocation.memory.id != b->allocation.memory.id)
		order = a->allocation.memory.id < b->allocation.memory.id ? -1 : 1;
	return order ? order : compare_who(&f->side, &g->side);
}

/* ---- printing -------------------------------------------------------------- */

static void record_free(struct record *r)
{
	free(r->threads.slots);
	free(r);
}

static bool worth_a_line(const struct record *r)
{
	if (r->finding.severity == FINDING_INFO)
		return options->level == CHECK_LEVEL_INFO;
	return r->finding.severity == FINDING_ERROR || options->level != CHECK_LEVEL_ERROR;
}

static void count(const struct record *r)
{
	bool race = r->finding.tool == CHECKER_RACECHECK;
	switch (r->finding.severity) {
	case FINDING_ERROR:
		totals.n_errors++;
		session_found();
		totals.n_races_errors += race;
		break;
	case FINDING_WARNING:
		totals.n_warnings++;
		totals.n_races_warnings += race;
		break;
	case FINDING_INFO:
		totals.n_infos++;
		break;
	}
}

static void print(struct record *r)
{
	struct record **chain = &seen[r->key % N_CHAINS];
	for (struct record *old = *chain; old; old = old->next)
		if (old->key == r->key) {
			old->n_later_launches++;
			old->n_later_times += r->n_times;
			record_free(r);
			return;
		}
	r->next = *chain;
	*chain = r;
	*printed_end = r;
	printed_end = &r->listed;
	count(r);
	if (worth_a_line(r)) {
		if (!options->print_limit || n_printed < options->print_limit) {
			report_text_finding(log_out, options, r);
			n_printed++;
		} else {
			totals.n_unprinted++;
		}
	}
	if (json_out)
		report_json_finding(json_out, r);
	if (xml_out)
		report_xml_finding(xml_out, r);
	if (options->sarif && worth_a_line(r) &&
	    (options->sarif_api_errors || strcmp(r->finding.kind, "api-error") != 0))
		report_sarif_finding(r);
	free(r->threads.slots);
	r->threads.slots = NULL;
}

/* Print what belongs to launches before `end` and to the host's calls among them. */
static void flush_until(uint64_t end)
{
	struct record **all;
	size_t n = 0;
	if (!n_pending)
		return;
	all = must(calloc(n_pending, sizeof *all));
	for (int i = 0; i < N_CHAINS; i++)
		for (struct record **at = &pending[i]; *at;) {
			struct record *r = *at;
			if (r->after >= end) {
				at = &r->next;
				continue;
			}
			*at = r->next;
			all[n++] = r;
		}
	n_pending -= n;
	qsort(all, n, sizeof *all, compare);
	for (size_t i = 0; i < n; i++)
		print(all[i]);
	free(all);
	fflush(log_out);
}

/* ---- launches -------------------------------------------------------------- */

static struct launch *launch_at(uint64_t id)
{
	return id >= first && id - first < n_launch_slots ? &launches[id - first] : NULL;
}

static void take_launchers(struct launch *l, const struct cudasim_launch *launch,
			   const struct launch *parent)
{
	const struct cudasim_launch *by = launch->parent;
	l->launchers[0] = (struct finding_side){
		.launch_id = by->id,
		.kernel = by->kernel,
		.site = launch->parent_site,
	};
	memcpy(l->launchers[0].block, launch->parent_block, sizeof launch->parent_block);
	memcpy(l->launchers[0].thread, launch->parent_thread, sizeof launch->parent_thread);
	if (parent)
		memcpy(&l->launchers[1], parent->launchers,
		       sizeof l->launchers - sizeof l->launchers[0]);
}

void finding_launch_submit(const struct cudasim_launch *launch)
{
	uint64_t frames[BACKTRACE_MAX] = {0};
	backtrace_take(frames);
	hold();
	if (launch->id >= first) {
		if (launch->id - first >= n_launch_slots) {
			uint64_t n = 2 * (launch->id - first) + 64;
			struct launch *more = must(realloc(launches, n * sizeof *more));
			memset(more + n_launch_slots, 0, (n - n_launch_slots) * sizeof *more);
			launches = more;
			n_launch_slots = n;
		}
		struct launch *l = launch_at(launch->id);
		l->known = true;
		/* Device code's launches come from where the host made the first. */
		struct launch *parent = launch->parent ? launch_at(launch->parent->id) : NULL;
		memcpy(l->host_frames, parent ? parent->host_frames : frames, sizeof frames);
		if (launch->parent)
			take_launchers(l, launch, parent);
		if (launch->id > last)
			last = launch->id;
	}
	let_go();
}

void finding_launch_end(const struct cudasim_launch *launch)
{
	hold();
	struct launch *l = launch_at(launch->id);
	if (l)
		l->ended = true;
	/* Ids that nobody told us of are launches that never were. */
	uint64_t n = 0;
	while (first + n <= last && (launches[n].ended || !launches[n].known))
		n++;
	if (n && !finished) {
		memmove(launches, launches + n, (n_launch_slots - n) * sizeof *launches);
		memset(launches + n_launch_slots - n, 0, n * sizeof *launches);
		first += n;
		flush_until(first);
	}
	let_go();
}

/* ---- reporting ------------------------------------------------------------- */

void finding_side_of(struct finding_side *ret, const struct cudasim_thread *thread)
{
	const struct cudasim_block *block = thread->block;
	*ret = (struct finding_side){
		.launch_id = block->launch->id,
		.kernel = block->launch->kernel,
		.site = thread->site,
	};
	memcpy(ret->block, block->ctaid, sizeof ret->block);
	memcpy(ret->thread, thread->tid, sizeof ret->thread);
}

void finding_side_at(struct finding_side *ret, const struct cudasim_thread *thread,
		     const struct cudasim_access *access)
{
	finding_side_of(ret, thread);
	ret->site = access->site;
	ret->what = access->what;
	ret->size = access->size;
}

static uint64_t thread_number(const struct finding_side *side)
{
	return ((uint64_t)side->block[0] + 0x10001u * (uint64_t)side->block[1] +
		0x100000007u * (uint64_t)side->block[2])
		       << 11 |
	       ((side->thread[0] + 32u * side->thread[1] + 1024u * side->thread[2]) & 0x7ff) |
	       1ull << 63;
}

static void take_frames(struct record *r, struct cudasim_thread *thread)
{
	struct cudasim_frame frames[BACKTRACE_MAX];
	size_t n = thread ? cudasim_thread_frames(thread, frames, BACKTRACE_MAX) : 0;
	memset(r->device_frames, 0, sizeof r->device_frames);
	r->inlined = thread && thread->block->launch->looped;
	for (size_t i = 0; i < n && i < BACKTRACE_MAX; i++)
		r->device_frames[i] = frames[i].exact ? frames[i].pc + 1 : frames[i].pc;
}

/* All of a record but its frames of the device. */
static void fill(struct record *r, const struct finding *f)
{
	r->finding = *f;
	r->finding.launch = NULL;
	r->finding.thread = r->finding.stands = NULL;
	r->launch_id = f->launch ? f->launch->id : 0;
	r->has_allocation = f->address && allocation_find(f->address, &r->allocation, &r->inside);
	if (!r->launch_id && f->host_frames)
		memcpy(r->host_frames, f->host_frames, sizeof r->host_frames);
	else if (!r->launch_id)
		backtrace_take(r->host_frames);
	r->finding.host_frames = NULL;
}

static struct record *find(const struct record *new)
{
	for (struct record *r = pending[(new->key ^ new->launch_id) % N_CHAINS]; r; r = r->next)
		if (r->key == new->key && r->launch_id == new->launch_id)
			return r;
	return NULL;
}

static struct record *add(const struct record *new)
{
	struct record *r = must(malloc(sizeof *r));
	*r = *new;
	r->number = ++n_records;
	r->after = r->launch_id ? r->launch_id : last;
	const struct launch *l = launch_at(r->launch_id);
	if (l) {
		memcpy(r->host_frames, l->host_frames, sizeof r->host_frames);
		memcpy(r->launchers, l->launchers, sizeof r->launchers);
	}
	struct record **chain = &pending[(r->key ^ r->launch_id) % N_CHAINS];
	r->next = *chain;
	*chain = r;
	n_pending++;
	return r;
}

static enum cudasim_verdict tell(const struct finding *f, struct cudasim_thread *thread)
{
	char text[FINDING_TITLE + FINDING_DETAIL + 1];
	snprintf(text, sizeof text, "%s%s%s", f->title, *f->detail ? "\n" : "", f->detail);
	struct cudasim_finding seen_by_all = {
		.tool = check_tools[f->tool],
		.kind = f->kind,
		.text = text,
		.severity = (enum cudasim_severity)f->severity,
		.launch = f->launch ? f->launch->id : 0,
		.site = f->side.site,
		.address = f->address,
	};
	enum cudasim_verdict verdict = cudasim_finding_tell(thread, &seen_by_all);
	if (f->severity == FINDING_ERROR && f->launch && thread &&
	    checker_options.destroy_on_device_error != DESTROY_NONE)
		verdict = checker_options.destroy_on_device_error == DESTROY_KERNEL ? CUDASIM_STOP
										    : CUDASIM_ABORT;
	return verdict;
}

static void keep_remedy(struct finding *f, const struct finding *wider)
{
	f->remedy = wider->remedy;
	f->reach = wider->reach;
}

enum cudasim_verdict finding_report(const struct finding *f)
{
	struct record new = {0};
	bool fresh = false;
	fill(&new, f);
	new.key = key_of(&new);
	if (options->suppressions && suppression_fits(&new))
		return CUDASIM_GO;
	hold();
	struct record *r = finished ? NULL : find(&new);
	if (!r && !finished) {
		r = add(&new);
		take_frames(r, f->thread);
		fresh = true;
	} else if (r && r->launch_id && compare_who(&f->side, &r->finding.side) < 0) {
		if (r->finding.reach > new.finding.reach)
			keep_remedy(&new.finding, &r->finding);
		r->finding = new.finding;
		r->allocation = new.allocation;
		r->inside = new.inside;
		take_frames(r, f->thread);
	} else if (r && new.finding.reach > r->finding.reach) {
		keep_remedy(&r->finding, &new.finding);
	}
	if (r) {
		r->n_times++;
		if (!f->side.host && f->side.kernel)
			set_add(&r->threads, thread_number(&f->side));
		/* Of a launch that is over already. */
		if (fresh && !r->launch_id && last < first)
			flush_until(first);
	}
	let_go();
	return fresh ? tell(f, f->thread ? f->thread : f->stands) : CUDASIM_GO;
}

void finding_leaked(uint64_t bytes)
{
	hold();
	totals.leaked_bytes += bytes;
	totals.n_leaked++;
	let_go();
}

/* ---- begin and end --------------------------------------------------------- */

bool finding_start(const struct check_options *given)
{
	options = given;
	if (!report_file_open("log-file", given->log_file, &log_out) ||
	    !report_file_open("json", given->json, &json_out) ||
	    !report_file_open("save", given->save, &xml_out) ||
	    (given->sarif && !report_sarif_begin(given)))
		return false;
	/* Lines of other processes may come between, but none into one. */
	if (json_out)
		setvbuf(json_out, NULL, _IOFBF, 1 << 16);
	if (log_out)
		setvbuf(log_out, NULL, _IOFBF, 1 << 16);
	if (!log_out) {
		/* Of our own, so that the program may close its stderr. */
		int file = dup(STDERR_FILENO);
		log_out = file >= 0 ? fdopen(file, "we") : NULL;
		if (!log_out)
			log_out = stderr;
		setvbuf(log_out, NULL, _IOFBF, 1 << 16);
	}
	report_text_begin(log_out, options);
	if (xml_out)
		report_xml_begin(xml_out);
	fflush(log_out);
	return true;
}

static void end(void)
{
	flush_until(UINT64_MAX);
	finished = true;
	report_text_end(log_out, options, &totals, printed);
	if (xml_out)
		report_xml_end(xml_out, &totals);
	fflush(log_out);
	if (json_out)
		fflush(json_out);
	if (xml_out)
		fflush(xml_out);
}

bool finding_finish(void)
{
	hold();
	if (!finished)
		end();
	bool found = totals.n_errors;
	let_go();
	return found;
}

void finding_last_words(void)
{
	alone = true;
	if (!finished)
		end();
}

void finding_forked(void)
{
	/* The parent's; what stands in buffers is printed there. */
	alone = finished = true;
}
