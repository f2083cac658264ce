/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "check_options.h"

#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "env.h"
#include "error.h"

const char *const check_tools[CHECK_N_TOOLS] = {
	"memcheck", "racecheck", "initcheck", "synccheck", "leakcheck", "apicheck",
};

enum kind {
	FLAG,        /* no value, or yes|no behind '=' */
	NUMBER,
	CHOICE,      /* one of `words`, stored as its index */
	TEXT,
	TOOLS,
	FILTER,
	EXCLUDE,
	LEAK,
	BACKTRACE,
	ACCEPTED,    /* takes a value, changes nothing here */
	ACCEPTED_FLAG,
	REFUSED,
};

struct row {
	const char *name, *brief; /* without dashes; brief may be NULL */
	enum kind kind;
	size_t offset;            /* in struct check_options */
	uint64_t max;             /* of numbers */
	const char *words;        /* of choices and, for --help, of others: a|b|c */
	const char *help;         /* of accepted and refused ones: why; may be NULL */
};

#define AT(member) offsetof(struct check_options, member)
static const struct row rows[] = {
	{"tool", "t", TOOLS, 0, 0, "all|memcheck,racecheck,initcheck,synccheck,leakcheck,apicheck",
	 "the checkers to run; default: all"},
	{"error-exitcode", NULL, NUMBER, AT(error_exitcode), 255, "NUMBER",
	 "the exit status if there are errors; default: the program's own"},
	{"log-file", NULL, TEXT, AT(log_file), 0, "FILE",
	 "the report's file; default: stderr. %p is the process, %q{X} the variable X, %% a %"},
	{"save", NULL, TEXT, AT(save), 0, "FILE", "with --xml: write the findings as XML as well"},
	{"xml", NULL, FLAG, AT(xml), 0, NULL, "requires --save"},
	{"json", NULL, TEXT, AT(json), 0, "FILE",
	 "write the findings as JSON as well, one object per line"},
	{"sarif", NULL, TEXT, AT(sarif), 0, "FILE",
	 "write the findings as SARIF 2.1.0 as well, for tools that put them beside the source"},
	{"sarif-root", NULL, TEXT, AT(sarif_root), 0, "FOLDER",
	 "the folder that paths in it are relative to; default: the working directory"},
	{"sarif-api-errors", NULL, FLAG, AT(sarif_api_errors), 0, "yes|no",
	 "whether calls of the CUDA API that fail are in it; default: yes"},
	{"kernel-name", NULL, FILTER, 0, 0, "kns=TEXT|kne=NAME|regex=REGEX",
	 "only kernels whose mangled name contains TEXT, is NAME, or matches; may be repeated"},
	{"kernel-regex", NULL, FILTER, 0, 0, "kns=TEXT|kne=NAME|regex=REGEX", "the same"},
	{"kernel-name-exclude", NULL, EXCLUDE, 0, 0, "kns=TEXT|kne=NAME|regex=REGEX",
	 "exclude these kernels"},
	{"kernel-regex-exclude", NULL, EXCLUDE, 0, 0, "kns=TEXT|kne=NAME|regex=REGEX", "the same"},
	{"launch-skip", "s", NUMBER, AT(launch_skip), UINT64_MAX, "NUMBER",
	 "launches of the selected kernels to skip first"},
	{"launch-count", "c", NUMBER, AT(launch_count), UINT64_MAX, "NUMBER",
	 "launches to check after these; 0: all"},
	{"print-limit", NULL, NUMBER, AT(print_limit), UINT64_MAX, "NUMBER",
	 "findings to print; default 100; 0: all"},
	{"print-level", NULL, CHOICE, AT(level), 0, "info|warn|error",
	 "the lowest severity to print; default: warn"},
	{"leak-check", NULL, LEAK, 0, 0, "full|no", "turns leakcheck on or off"},
	{"padding", NULL, NUMBER, AT(padding), 1u << 30, "BYTES",
	 "the minimum gap behind each allocation; default 4096"},
	{"suppressions", NULL, TEXT, AT(suppressions), 0, "FILE",
	 "findings not to report: see docs/CHECKERS.md"},
	{"generate-suppressions", NULL, FLAG, AT(generate_suppressions), 0, NULL,
	 "print a suppression line under each finding"},
	{"racecheck-report", NULL, CHOICE, AT(race_report), 0, "analysis|hazard|all",
	 "report races by place in the source, or each pair of accesses"},
	{"destroy-on-device-error", NULL, CHOICE, AT(destroy), 0, "context|kernel|none",
	 "end a launch at its first finding (kernel: later launches run; context: they fail); "
	 "default: none, it continues"},
	{"show-backtrace", NULL, BACKTRACE, 0, 0, "yes|no|host|device",
	 "which backtraces to print"},
	{"backtrace-short", NULL, FLAG, AT(backtrace_short), 0, "yes|no",
	 "end host backtraces at main"},
	{"num-callers-host", NULL, NUMBER, AT(callers_host), 1000, "NUMBER",
	 "the number of host frames; 0: all"},
	{"num-callers-device", NULL, NUMBER, AT(callers_device), 1000, "NUMBER",
	 "the number of device frames; 0: all"},
	{"report-api-errors", NULL, CHOICE, AT(api_errors), 0, "explicit|all|no",
	 "report calls of the CUDA API that fail"},
	{"ignore-getprocaddress-notfound", NULL, FLAG, AT(ignore_unknown_functions), 0, NULL,
	 "do not report calls of cuGetProcAddress that find no function"},
	{"check-exit-code", NULL, FLAG, AT(check_exit_code), 0, "yes|no",
	 "report an exit status of the program other than 0"},
	{"target-processes", NULL, CHOICE, AT(root_only), 0, "all|application-only",
	 "whether to check programs that the program starts"},
	{"prefix", NULL, TEXT, AT(prefix), 0, "TEXT", "the text at the start of each line"},
	{"quiet", "q", FLAG, AT(quiet), 0, NULL, "print only findings"},
	{"strip-paths", NULL, FLAG, AT(strip_paths), 0, "yes|no",
	 "print file names without folders"},
	{"demangle", NULL, ACCEPTED, 0, 0, "full|simple|no", "names are always complete"},
	{"language", NULL, ACCEPTED, 0, 0, "c", NULL},
	{"force-blocking-launches", NULL, ACCEPTED_FLAG, 0, 0, NULL, "not needed"},
	{"check-device-heap", NULL, ACCEPTED, 0, 0, "yes|no", "always checked"},
	{"check-api-memory-access", NULL, ACCEPTED, 0, 0, "yes|no", "always checked"},
	{"check-bulk-copy", NULL, ACCEPTED, 0, 0, "yes|no", "always checked"},
	{"check-cache-control", NULL, ACCEPTED_FLAG, 0, 0, NULL, "a prefetch accesses nothing"},
	{"force-synchronization-limit", NULL, ACCEPTED, 0, 0, "NUMBER", "not needed"},
	{"racecheck-deadlock-timeout", NULL, ACCEPTED, 0, 0, "NUMBER",
	 "a deadlock is detected without a time limit"},
	{"racecheck-continue-on-deadlock", NULL, ACCEPTED, 0, 0, "yes|no",
	 "a deadlock ends its launch"},
	{"print-session-details", NULL, ACCEPTED_FLAG, 0, 0, NULL,
	 "the first line lists the tools"},
	{"save-session-details", NULL, ACCEPTED_FLAG, 0, 0, NULL, NULL},
	{"check-warpgroup-mma", NULL, ACCEPTED, 0, 0, "yes|no", NULL},
	{"require-cuda-init", NULL, ACCEPTED, 0, 0, "yes|no", "programs need not use CUDA"},
	{"nvtx", NULL, ACCEPTED, 0, 0, "yes|no", NULL},
	{"racecheck-num-workers", NULL, ACCEPTED, 0, 0, "NUMBER",
	 "CUDASIM_WORKERS sets the number"},
	{"racecheck-memcpy-async", NULL, ACCEPTED, 0, 0, "yes|no", NULL},
	{"racecheck-detect-level", NULL, ACCEPTED, 0, 0, "info|warn|error", NULL},
	{"num-cuda-barriers", NULL, ACCEPTED, 0, 0, "NUMBER", "all of them are found"},
	{"missing-barrier-init-is-fatal", NULL, ACCEPTED, 0, 0, "yes|no", NULL},
	{"launch-timeout", NULL, ACCEPTED, 0, 0, "SECONDS", "there are no connections"},
	{"max-connections", NULL, ACCEPTED, 0, 0, "NUMBER", NULL},
	{"port", NULL, ACCEPTED, 0, 0, "NUMBER", NULL},
	{"kill", NULL, ACCEPTED_FLAG, 0, 0, NULL, NULL},
	{"support-32bit", NULL, ACCEPTED_FLAG, 0, 0, NULL, NULL},
	{"track-stream-ordered-races", NULL, ACCEPTED, 0, 0,
	 "all|use-before-alloc|use-after-free|no", "always checked"},
	{"read", NULL, REFUSED, 0, 0, NULL,
	 "reports cannot be read back; --json writes a form for tools"},
	{"mode", NULL, REFUSED, 0, 0, NULL, "the checkers run in the program from its start"},
	{"attach", NULL, REFUSED, 0, 0, NULL, "the checkers run in the program from its start"},
	{"preload-library", NULL, REFUSED, 0, 0, NULL, "use LD_PRELOAD"},
	{"injection-path", NULL, REFUSED, 0, 0, NULL, "nothing is injected"},
	{"injection-path32", NULL, REFUSED, 0, 0, NULL, "nothing is injected"},
	{"coredump-name", NULL, REFUSED, 0, 0, NULL,
	 "there are no GPU core dumps; use cudasim debug"},
	{"generate-coredump", NULL, REFUSED, 0, 0, NULL,
	 "there are no GPU core dumps; use cudasim debug"},
	{"coredump-behavior", NULL, REFUSED, 0, 0, NULL,
	 "there are no GPU core dumps; use cudasim debug"},
	{"detect-missing-module-unload", NULL, REFUSED, 0, 0, NULL,
	 "modules end with the process and are not reported"},
	{"racecheck-trace-sync", NULL, REFUSED, 0, 0, NULL,
	 "synchronization is not traced; an observer (CUDASIM_OBSERVER) can do so"},
	{"unused-memory-threshold", NULL, REFUSED, 0, 0, NULL, "unused memory is not reported"},
	{"check-optix-leaks", NULL, REFUSED, 0, 0, NULL, "OptiX is not supported"},
	{"track-unused-memory", NULL, REFUSED, 0, 0, NULL, "unused memory is not reported"},
	{"check-optix", NULL, REFUSED, 0, 0, NULL, "OptiX is not supported"},
	{"target-processes-filter", NULL, REFUSED, 0, 0, NULL,
	 "set CUDASIM_CHECK for the processes to check"},
};
#undef AT

struct cudasim_error *check_options_init(struct check_options *options)
{
	*options = (struct check_options){
		.print_limit = 100,
		.padding = 4096,
		.destroy = CHECK_DESTROY_NONE,
		.backtrace = CHECK_BACKTRACE_HOST | CHECK_BACKTRACE_DEVICE,
		.level = CHECK_LEVEL_WARN,
		.strip_paths = true,
		.backtrace_short = true,
		.sarif_api_errors = true,
		.prefix = strdup("========="),
	};
	for (int i = 0; i < CHECK_N_TOOLS; i++)
		options->tools[i] = true;
	return options->prefix ? NULL : &cudasim_error_nomem;
}

void check_options_fini(struct check_options *options)
{
	for (struct check_filter *f = options->filters, *next; f; f = next) {
		next = f->next;
		free(f->value);
		free(f);
	}
	free(options->log_file);
	free(options->save);
	free(options->json);
	free(options->sarif);
	free(options->sarif_root);
	free(options->suppressions);
	free(options->prefix);
}

struct cudasim_error *check_options_tools(struct check_options *options, const char *list)
{
	bool tools[CHECK_N_TOOLS] = {false};
	while (*list) {
		size_t n = strcspn(list, ",");
		bool found = false;
		for (int i = 0; i < CHECK_N_TOOLS; i++)
			if ((n == 3 && !strncmp(list, "all", 3)) ||
			    (strlen(check_tools[i]) == n && !strncmp(list, check_tools[i], n)))
				found = tools[i] = true;
		if (!found)
			return cudasim_error_new(
				CUDASIM_E_ARGUMENT,
				"there is no checker '%.*s': all, memcheck, racecheck, initcheck, "
				"synccheck, leakcheck or apicheck, or several with ',' between",
				(int)n, list);
		list += n + (list[n] == ',' && list[n + 1]);
		if (*list == ',' && !list[1])
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "the list of checkers ends in ','");
	}
	memcpy(options->tools, tools, sizeof tools);
	return NULL;
}

/* ---- values --------------------------------------------------------------- */

static struct cudasim_error *wrong(const struct row *row, const char *value)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "--%s %s: must be %s", row->name, value,
				 row->words);
}

static struct cudasim_error *read_filter(struct check_options *options, const struct row *row,
					 const char *value)
{
	static const struct {
		const char *key;
		enum check_filter_kind kind;
	} keys[] = {
		{"kernel_name", CHECK_FILTER_NAME},
		{"kne", CHECK_FILTER_NAME},
		{"kernel_substring", CHECK_FILTER_SUBSTRING},
		{"kns", CHECK_FILTER_SUBSTRING},
		{"regex", CHECK_FILTER_REGEX},
	};
	while (*value) {
		size_t key = strcspn(value, "="), i = 0;
		while (i < sizeof keys / sizeof *keys &&
		       (strlen(keys[i].key) != key || strncmp(keys[i].key, value, key)))
			i++;
		if (i == sizeof keys / sizeof *keys || value[key] != '=')
			return wrong(row, value);
		value += key + 1;
		/* A regular expression may hold commas, and is alone. */
		size_t n = keys[i].kind == CHECK_FILTER_REGEX ? strlen(value) : strcspn(value, ",");
		struct check_filter *f = calloc(1, sizeof *f);
		if (!f || !(f->value = strndup(value, n))) {
			free(f);
			return &cudasim_error_nomem;
		}
		f->kind = keys[i].kind;
		f->exclude = row->kind == EXCLUDE;
		f->next = options->filters;
		options->filters = f;
		regex_t regex;
		if (f->kind == CHECK_FILTER_REGEX &&
		    regcomp(&regex, f->value, REG_EXTENDED | REG_NOSUB))
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "--%s: '%s' is no regular expression", row->name,
						 f->value);
		if (f->kind == CHECK_FILTER_REGEX)
			regfree(&regex);
		value += n + (value[n] == ',');
	}
	return NULL;
}

static struct cudasim_error *read_number(void *to, const struct row *row, const char *value)
{
	char *end;
	errno = 0;
	unsigned long long n = strtoull(value, &end, 10);
	if (errno || *end || *value < '0' || *value > '9' || n > row->max)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "--%s %s: must be a whole number up to %llu", row->name,
					 value, (unsigned long long)row->max);
	if (row->offset == offsetof(struct check_options, error_exitcode))
		*(unsigned *)to = (unsigned)n;
	else
		*(uint64_t *)to = n;
	return NULL;
}

/* The index of value among words, -1 where it is not there. */
static int choice(const char *words, const char *value)
{
	size_t n = strlen(value);
	for (int i = 0; *words; i++) {
		size_t length = strcspn(words, "|");
		if (length == n && !strncmp(words, value, n))
			return i;
		words += length + (words[length] == '|');
	}
	return -1;
}

static struct cudasim_error *read_value(struct check_options *options, const struct row *row,
					const char *value)
{
	void *to = (char *)options + row->offset;
	int n;
	switch (row->kind) {
	case NUMBER:
		return read_number(to, row, value);
	case TEXT:
		free(*(char **)to);
		*(char **)to = strdup(value);
		return *(char **)to ? NULL : &cudasim_error_nomem;
	case TOOLS:
		return check_options_tools(options, value);
	case FILTER:
	case EXCLUDE:
		return read_filter(options, row, value);
	case FLAG:
		if ((n = choice("no|yes", value)) < 0)
			return cudasim_error_new(CUDASIM_E_ARGUMENT, "--%s %s: must be yes|no",
						 row->name, value);
		*(bool *)to = n;
		return NULL;
	case CHOICE:
		if ((n = choice(row->words, value)) < 0)
			return wrong(row, value);
		if (row->offset == offsetof(struct check_options, root_only))
			options->root_only = n;
		else
			*(int *)to = n; /* an enum with no negative value; as large as int */
		return NULL;
	case LEAK:
		if ((n = choice("full|no", value)) < 0)
			return wrong(row, value);
		options->leak_full = n == 0;
		options->leak_no = n == 1;
		return NULL;
	case BACKTRACE:
		if ((n = choice("no|host|device|yes", value)) < 0)
			return wrong(row, value);
		options->backtrace = (unsigned)n; /* the bits of CHECK_BACKTRACE_* */
		return NULL;
	default:
		return NULL;
	}
}

/* ---- words ---------------------------------------------------------------- */

/* The row of "--name", "--name=value", "-b" or "-b=value"; *value is behind the '='. */
static const struct row *row_of(const char *word, const char **value)
{
	bool is_long = word[1] == '-';
	const char *name = word + 1 + is_long;
	size_t n = strcspn(name, "=");
	*value = name[n] ? name + n + 1 : NULL;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *own = is_long ? rows[i].name : rows[i].brief;
		if (own && strlen(own) == n && !strncmp(own, name, n))
			return &rows[i];
	}
	return NULL;
}

/* Does the next word belong to the option? Flags take yes or no, as compute-sanitizer's do. */
static bool takes_next(const struct row *row, const char *next)
{
	if (row->kind == ACCEPTED_FLAG || row->kind == REFUSED)
		return false;
	if (row->kind == FLAG)
		return row->words && next && choice("no|yes", next) >= 0;
	return true;
}

struct cudasim_error *check_options_read(struct check_options *options, int n, char **words,
					 int *ret)
{
	int i = 0;
	for (; i < n && words[i][0] == '-' && words[i][1]; i++) {
		const char *value;
		if (!strcmp(words[i], "--")) {
			i++;
			break;
		}
		const struct row *row = row_of(words[i], &value);
		if (!row)
			return cudasim_error_new(
				CUDASIM_E_ARGUMENT,
				"cudasim check has no option '%s'; `cudasim help check` lists them",
				words[i]);
		if (row->kind == REFUSED)
			return cudasim_error_new(CUDASIM_E_UNSUPPORTED, "--%s: %s", row->name,
						 row->help);
		if (!value && takes_next(row, i + 1 < n ? words[i + 1] : NULL)) {
			if (++i == n)
				return cudasim_error_new(CUDASIM_E_ARGUMENT,
							 "--%s needs a value: %s", row->name,
							 row->words);
			value = words[i];
		}
		if (!value && row->kind == FLAG)
			value = "yes";
		struct cudasim_error *error = value ? read_value(options, row, value) : NULL;
		if (error)
			return error;
	}
	*ret = i;
	if (options->xml && !options->save)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "--xml needs --save FILE");
	if (options->save && !options->xml)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "--save writes XML only: add --xml, or use --json FILE");
	if (options->sarif_root && !options->sarif)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "--sarif-root needs --sarif FILE");
	return NULL;
}

struct cudasim_error *check_options_read_text(struct check_options *options, const char *text)
{
	size_t n = strlen(text);
	char *copy = malloc(n + 1), **words = calloc(n / 2 + 2, sizeof *words), *to = copy;
	struct cudasim_error *error = copy && words ? NULL : &cudasim_error_nomem;
	int n_words = 0, end;
	while (!error && *text) {
		while (*text == ' ')
			text++;
		if (!*text)
			break;
		words[n_words++] = to;
		while (*text && *text != ' ') {
			if (*text == '\\' && (text[1] == ' ' || text[1] == '\\'))
				text++;
			*to++ = *text++;
		}
		*to++ = '\0';
		if (*text)
			text++;
	}
	if (!error)
		error = check_options_read(options, n_words, words, &end);
	if (!error && end < n_words)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "'%s' is no option", words[end]);
	free(words);
	free(copy);
	return error;
}

char *check_options_text(int n, char *const *words)
{
	size_t size = 1;
	for (int i = 0; i < n; i++)
		size += 2 * strlen(words[i]) + 1;
	char *text = malloc(size), *to = text;
	if (!text)
		return NULL;
	for (int i = 0; i < n; i++) {
		if (i)
			*to++ = ' ';
		for (const char *c = words[i]; *c; c++) {
			if (*c == ' ' || *c == '\\')
				*to++ = '\\';
			*to++ = *c;
		}
	}
	*to = '\0';
	return text;
}

static struct cudasim_error *about(const char *variable, struct cudasim_error *error)
{
	if (!error || error == &cudasim_error_nomem)
		return error;
	struct cudasim_error *ret = cudasim_error_new(error->code, "%s: %s", variable,
						      error->message);
	cudasim_error_free(error);
	return ret;
}

struct cudasim_error *check_options_env(void)
{
	const char *list = env_get("CUDASIM_CHECK"), *text = env_get("CUDASIM_CHECK_OPTIONS");
	struct check_options options;
	struct cudasim_error *error = check_options_init(&options);
	if (!error && text)
		error = about("CUDASIM_CHECK_OPTIONS", check_options_read_text(&options, text));
	if (!error && list && strcmp(list, "0") && strcmp(list, "1"))
		error = about("CUDASIM_CHECK", check_options_tools(&options, list));
	check_options_fini(&options);
	return error;
}

bool check_options_describe(size_t i, struct check_option_text *ret)
{
	if (i >= sizeof rows / sizeof *rows)
		return false;
	const struct row *row = &rows[i];
	*ret = (struct check_option_text){
		.name = row->name,
		.brief = row->brief,
		.words = row->words,
		.help = row->help,
		.may_lack_value = row->kind == FLAG,
		.is_accepted = row->kind == ACCEPTED || row->kind == ACCEPTED_FLAG,
		.is_refused = row->kind == REFUSED,
	};
	return true;
}
