/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - `cudasim compare`. */
#define _GNU_SOURCE
#include "compare.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "env.h"
#include "manual.h"

static const struct manual_option option_texts[] = {
	MANUAL_OPTION(
		"--tolerance", "T",
		"allow floating-point elements to differ by 4ulp, 1e-6abs, 1e-5rel, or a list with commas, "
		"of which one has to hold; not for integers"),
	MANUAL_OPTION(
		"--type", "TYPE",
		"the type of the elements: half, bfloat16, float, double, int8, uint8, int16, ..., int, "
		"uint, int64, uint64; default: of the kernels' parameters. M=TYPE: the type of the memory "
		"with number M, or of the variable M"),
	MANUAL_OPTION("--kernel", "NAME",
		      "compare only after launches of kernels whose name contains NAME"),
	MANUAL_OPTION("--json", NULL, "report as JSON; the program's output goes to stderr"),
	MANUAL_OPTION("--all", NULL, "report every launch that differs, not only the first 20"),
	MANUAL_OPTION("--record", "FILE",
		      "run once, as CUDASIM selects, and write hashes and samples to FILE"),
	MANUAL_OPTION(
		"--limit", "BYTES",
		"the size of FILE beyond which only hashes of whole memories are kept (default 256M)"),
	MANUAL_OPTION("--against", "FILE",
		      "run once, simulated unless CUDASIM selects the GPU, and compare with FILE"),
	MANUAL_OPTION("--reference", "PROGRAM",
		      "the second run is of PROGRAM, for example built by nvcc -cudart shared"),
	MANUAL_OPTION(
		"--with", "NAME=VALUE",
		"the second run is the first one's with this environment variable, for example "
		"CUDASIM_SCHEDULE=reverse; may be repeated"),
	{0},
};
static const struct manual_row examples[] = {
	{"cudasim compare ./app 1000", "simulated and on this machine's GPU"},
	{"cudasim compare --with CUDASIM_SCHEDULE=reverse ./app", "two orders of threads"},
	{"cudasim compare --record gpu.rec ./app", "on the machine with a GPU"},
	{"cudasim compare --against gpu.rec --tolerance 4ulp ./app", "on the one without"},
	{0},
};
static const struct manual_row statuses[] = {
	{"0", "equal (all within the tolerance)"},
	{"1", "different"},
	{"2", "could not compare"},
	{0},
};
const struct manual compare_manual = {
	.name = "compare",
	.summary = "compare what kernels store, simulated and on a GPU",
	.usage = "[OPTIONS] PROGRAM [ARGUMENTS]",
	.text = "Runs PROGRAM twice, simulated and on the GPU, and compares after each kernel launch "
		"the contents of device memory, `__device__` variables, managed memory, pinned host "
		"memory, and arrays that surfaces can write. The manual is docs/gpu.md, "
		"installed as share/doc/cudasim/gpu.md.",
	.options = option_texts,
	.examples = examples,
	.statuses = statuses,
	.variables = "CUDASIM CUDASIM_DEVICE CUDASIM_LIBCUDART CUDASIM_SCHEDULE",
	.see = "cc check env",
};

enum { TOLD = 20, OWNERS = 32 };

struct request {
	struct comparison comparison;
	const char *record, *against, *reference, *kernel, *limit;
	struct words with;
	bool json, all;
	char **program;
};

/* ---- options ------------------------------------------------------------------------ */

static struct cudasim_error *add_rule(struct comparison *c, char *text)
{
	char *equals = strchr(text, '=');
	struct type_rule rule = {.type = value_type_named(equals ? equals + 1 : text)};
	if (!rule.type)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"--type %s: there is no type of this name; `cudasim help compare` lists them",
			text);
	if (equals) {
		*equals = '\0';
		rule.memory = text;
	}
	struct type_rule *more = realloc(c->rules, (c->n_rules + 1) * sizeof rule);
	if (!more)
		return &cudasim_error_nomem;
	c->rules = more;
	more[c->n_rules++] = rule;
	return NULL;
}

static struct cudasim_error *set_value(struct request *r, const char *option, char *value)
{
	struct cudasim_error *error = NULL;
	if (!strcmp(option, "--tolerance"))
		error = tolerance_parse(value, &r->comparison.tolerance);
	else if (!strcmp(option, "--type"))
		error = add_rule(&r->comparison, value);
	else if (!strcmp(option, "--kernel"))
		r->kernel = value;
	else if (!strcmp(option, "--record"))
		r->record = value;
	else if (!strcmp(option, "--limit"))
		r->limit = value;
	else if (!strcmp(option, "--against"))
		r->against = value;
	else if (!strcmp(option, "--reference"))
		r->reference = value;
	else if (!strchr(value, '='))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "--with needs NAME=VALUE, not '%s'",
					  value);
	else
		words_add(&r->with, value);
	return error;
}

static bool takes_value(const char *option)
{
	static const char *const all[] = {"--tolerance", "--type",    "--kernel",    "--record",
					  "--limit",     "--against", "--reference", "--with"};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(option, all[i]))
			return true;
	return false;
}

static struct cudasim_error *read_options(int n, char **arguments, struct request *r)
{
	int i = 1;
	for (; i < n && arguments[i][0] == '-'; i++) {
		char *equals = !strncmp(arguments[i], "--", 2) ? strchr(arguments[i], '=') : NULL;
		char *option = equals ? text_copy_n(arguments[i], (size_t)(equals - arguments[i]))
				      : text_copy(arguments[i]);
		struct cudasim_error *error = NULL;
		bool done = !strcmp(option, "--");
		if (!strcmp(option, "--json") && !equals)
			r->json = true;
		else if (!strcmp(option, "--all") && !equals)
			r->all = true;
		else if (takes_value(option) && (equals || i + 1 < n))
			error = set_value(r, option, equals ? equals + 1 : arguments[++i]);
		else if (takes_value(option))
			error = cudasim_error_new(CUDASIM_E_ARGUMENT, "%s needs a value", option);
		else if (!done)
			error = cudasim_error_new(
				CUDASIM_E_ARGUMENT,
				"cudasim compare has no option '%s'; `cudasim help compare` lists them",
				arguments[i]);
		free(option);
		if (error)
			return error;
		if (done) {
			i++;
			break;
		}
	}
	if (i >= n)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "no program to run; see `cudasim help compare`");
	r->program = arguments + i;
	if (!!r->record + !!r->against + !!r->reference + !!r->with.n > 1)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"only one of --record, --against, --reference and --with can be done at a time");
	if (r->limit && !r->record)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "--limit goes with --record");
	return NULL;
}

/* ---- runs ---------------------------------------------------------------------------- */

/* A run that never called CUDA where the recorder could see it. */
static struct cudasim_error *recorded_nothing(struct side *side, const char *program)
{
	run_wait(side);
	char *status = run_status(side);
	struct cudasim_error *error = cudasim_error_new(
		CUDASIM_E_NOTFOUND,
		"the %s run recorded nothing: '%s' %s without having allocated memory or launched a "
		"kernel through a shared CUDA runtime",
		side->label, program, status);
	free(status);
	return error;
}

static struct cudasim_error *record(const struct request *r, int *ret)
{
	struct run run = {.label = "recorded",
			  .arguments = r->program,
			  .file = r->record,
			  .kernel = r->kernel,
			  .out = STDOUT_FILENO};
	struct side side;
	struct stat about;
	if (r->limit && setenv("CUDASIM_RECORD_LIMIT", r->limit, 1))
		return &cudasim_error_nomem;
	/* What an earlier run has left is not this one's. */
	if (unlink(r->record) && errno != ENOENT)
		return cudasim_error_errno(errno, "cannot write '%s'", r->record);
	struct cudasim_error *error = run_start(&run, &side);
	run_wait(&side);
	if (!error && stat(r->record, &about))
		error = recorded_nothing(&side, r->program[0]);
	if (!error) {
		side.file = open(r->record, O_RDONLY | O_CLOEXEC);
		side.reader.name = r->record;
		if (side.file < 0)
			error = cudasim_error_errno(errno, "cannot read '%s'", r->record);
	}
	uint64_t n = 0;
	for (bool more = true; !error && more; n += more)
		error = side_next(&side, &more);
	if (!error && !side.has_ended) {
		char *status = run_status(&side);
		error = cudasim_error_new(CUDASIM_E_FORMAT, "the recording is cut short: '%s' %s",
					  r->program[0], status);
		free(status);
	}
	if (!error)
		fprintf(stderr, "cudasim: recorded %" PRIu64 " launch%s on %s%s, %lld bytes\n", n,
			n == 1 ? "" : "es", side.simulated ? "a simulated " : "", side.device,
			(long long)about.st_size);
	if (!error && side.status) {
		char *status = run_status(&side);
		fprintf(stderr, "cudasim: '%s' %s\n", r->program[0], status);
		free(status);
	}
	side_fini(&side);
	*ret = 0;
	return error;
}

/* The second side: a file, or another run. */
static struct cudasim_error *open_second(const struct request *r, struct side *b, struct run *run)
{
	*run = (struct run){
		.label = "second", .kernel = r->kernel, .arguments = r->program, .out = -1};
	if (r->against) {
		int file = open(r->against, O_RDONLY | O_CLOEXEC);
		if (file < 0)
			return cudasim_error_errno(errno, "cannot read '%s'", r->against);
		side_init(b, "recorded", file, false, r->against);
		return NULL;
	}
	if (r->with.n) {
		run->mode = env_get("CUDASIM") ? NULL : "1";
		run->variables = r->with;
	} else {
		run->label = r->reference ? "reference" : "GPU";
		run->mode = "0";
	}
	if (r->reference) {
		size_t n = 0;
		while (r->program[n])
			n++;
		run->arguments = calloc(n + 1, sizeof *run->arguments);
		if (!run->arguments)
			return &cudasim_error_nomem;
		memcpy(run->arguments, r->program, n * sizeof *run->arguments);
		run->arguments[0] = (char *)r->reference;
	}
	return run_start(run, b);
}

/* Both sides launch by launch, until one has no more. */
static struct cudasim_error *compare_all(struct comparison *c, struct side *a, struct side *b)
{
	while (!c->divergence) {
		bool more[2];
		struct cudasim_error *error = side_next(a, &more[0]);
		if (!error)
			error = side_next(b, &more[1]);
		if (error)
			return error;
		if (!more[0] || !more[1]) {
			if (more[0] != more[1] && a->has_header && b->has_header)
				c->divergence = text_format("the %s run ends after %" PRIu64
							    " launch%s, the %s run continues",
							    more[0] ? b->label : a->label,
							    c->n_launches,
							    c->n_launches == 1 ? "" : "es",
							    more[0] ? a->label : b->label);
			return NULL;
		}
		error = compare_launches(c, a, b);
		if (error)
			return error;
		side_go(a);
		side_go(b);
	}
	return NULL;
}

/* Whether there was anything to compare, and what became of the process. One that waits for
 * the other run's next launch is not needed any more. */
static struct cudasim_error *check_end(struct comparison *c, struct side *side, const char *program)
{
	if (!side->has_header && !side->live)
		return cudasim_error_new(CUDASIM_E_FORMAT, "%s: this is not a recording",
					 side->reader.name);
	if (!side->is_closed)
		run_end(side);
	run_wait(side);
	if (!side->has_header && side->is_closed)
		return recorded_nothing(side, program);
	if (side->has_ended || !side->is_closed)
		return NULL;
	if (!side->live)
		return cudasim_error_new(CUDASIM_E_FORMAT, "%s: the recording is cut short",
					 side->reader.name);
	char *status = run_status(side), *before = c->divergence;
	c->divergence =
		text_format("the %s run's process %s after %" PRIu64 " launch%s, in the middle "
			    "of the program",
			    side->label, status, c->n_launches, c->n_launches == 1 ? "" : "es");
	free(before);
	free(status);
	return NULL;
}

/* ---- owners ---------------------------------------------------------------------------- */

/* Stores are seen by address, which an array has none of. */
static bool has_owner(const struct finding *f)
{
	return f->tally.n_different && f->kind != RECORD_ARRAY;
}

/* One question for each element that is told, in this order. */
static char *questions(const struct comparison *c, int side, size_t *ret_n)
{
	char *text = text_copy("");
	*ret_n = 0;
	for (size_t i = 0; i < c->n_results; i++)
		for (size_t k = 0; k < c->results[i].n && *ret_n < OWNERS; k++) {
			const struct finding *f = &c->results[i].findings[k];
			size_t size = value_bytes(f->tally.type);
			if (!has_owner(f))
				continue;
			char *more = text_format(
				"%s%s%" PRIu64 ":%u:%" PRIu64 ":%zu,%" PRIu64 ":%u:%" PRIu64 ":%zu",
				text, *text ? "," : "", c->results[i].launch, f->memory[side],
				f->tally.first.index * size, size, c->results[i].launch,
				f->memory[side], f->tally.worst.index * size, size);
			free(text);
			text = more;
			*ret_n += 2;
		}
	return text;
}

static void take(struct owner *to, struct owner *from)
{
	*to = *from;
	from->place = NULL;
}

static void take_answers(struct comparison *c, struct side *side)
{
	size_t at = 0;
	for (size_t i = 0; i < c->n_results; i++)
		for (size_t k = 0; k < c->results[i].n && at + 1 < side->n_owners; k++) {
			struct finding *f = &c->results[i].findings[k];
			if (!has_owner(f))
				continue;
			take(&f->first, &side->owners[at]);
			take(&f->worst, &side->owners[at + 1]);
			at += 2;
		}
}

/* Run the simulated side once more, to see which threads store what differs. */
static struct cudasim_error *find_owners(struct comparison *c, const struct run *run, int side)
{
	struct run again = *run;
	struct side answers;
	size_t n;
	char *text = questions(c, side, &n);
	struct cudasim_error *error = NULL;
	bool more = true;
	again.owners = text;
	again.out = -1;
	again.label = "third";
	if (n) {
		error = run_start(&again, &answers);
		while (!error && more) {
			error = side_next(&answers, &more);
			if (!error && more)
				side_go(&answers);
		}
		if (error)
			run_end(&answers);
		run_wait(&answers);
		take_answers(c, &answers);
		side_fini(&answers);
	}
	free(text);
	return error;
}

/* ---- the command ------------------------------------------------------------------------ */

static struct cudasim_error *report(struct request *r, struct side *a, struct side *b)
{
	if (r->json)
		return compare_report_json(stdout, &r->comparison, a, b);
	compare_report_text(stdout, &r->comparison, a, b, r->all ? SIZE_MAX : TOLD);
	return fflush(stdout) ? cudasim_error_errno(errno, "cannot write the report") : NULL;
}

static struct cudasim_error *compare(struct request *r, int *ret)
{
	struct comparison *c = &r->comparison;
	struct side a = {.file = -1}, b = {.file = -1};
	struct run first = {.label = r->with.n ? "first" : "simulated",
			    .arguments = r->program,
			    .kernel = r->kernel,
			    .out = r->json ? STDERR_FILENO : STDOUT_FILENO,
			    .mode = (r->with.n || r->against) && env_get("CUDASIM") ? NULL : "1"};
	struct run second = {0};
	struct cudasim_error *error = open_second(r, &b, &second);
	if (!error)
		error = run_start(&first, &a);
	if (!error)
		error = compare_all(c, &a, &b);
	if (!error)
		error = check_end(c, &b, second.arguments[0]);
	if (!error)
		error = check_end(c, &a, first.arguments[0]);
	run_end(&a);
	run_end(&b);
	if (!error && c->n_results && a.simulated)
		error = find_owners(c, &first, 0);
	if (!error)
		error = report(r, &a, &b);
	*ret = c->divergence || c->n_verdicts[VERDICT_DIFFERENT];
	if (second.arguments != r->program)
		free(second.arguments);
	side_fini(&a);
	side_fini(&b);
	return error;
}

struct cudasim_error *command_compare(int n, char **arguments, int *ret)
{
	struct request request = {0};
	*ret = 0;
	if (n == 2 && (!strcmp(arguments[1], "--help") || !strcmp(arguments[1], "-h"))) {
		manual_print(stdout, &compare_manual);
		return NULL;
	}
	struct cudasim_error *error = read_options(n, arguments, &request);
	if (!error)
		error = request.record ? record(&request, ret) : compare(&request, ret);
	comparison_fini(&request.comparison);
	words_fini(&request.with);
	if (!error)
		return NULL;
	/* 1 is an answer here. */
	fprintf(stderr, "cudasim: %s\n", error->message);
	cudasim_error_free(error);
	*ret = 2;
	return NULL;
}
