/* SPDX-License-Identifier: Apache-2.0 */
/* device_pass.c - cc-device-pass --overlay OVERLAY --folder FOLDER [--host none] [--prelude FILE]
 * -- COMMAND...:
 * runs clang's device pass; cc-host-pass with the same arguments its host pass. Where clang stops only at declarations that
 * dialect.h can mend, copies of the files are mended in FOLDER, OVERLAY shows
 * them under their own names, and clang runs again. OVERLAY is always written,
 * for the host pass. */
#define _GNU_SOURCE
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "dialect.h"
#include "diagnostics.h"
#include "headers.h"
#include "prelude.h"
#include "served.h"
#include "steps.h"
#include "words.h"

/* Each round mends at least one spot; clang shows 20 errors a round. */
enum { MAX_ROUNDS = 100 };

/* The mended files: originals[i] is shown as copies[i]. */
struct mending {
	const char *folder;
	bool host; /* the host pass */
	bool alone; /* no host pass follows */
	bool guessed; /* a mend may turn out to be an error of another kind */
	bool elsewhere; /* a spot was in a file that is not there: a #line names it */
	bool lists; /* where clang lists headers, for this step alone: not left with -keep */
	struct words originals, copies;
};

static char *read_stream(FILE *file)
{
	char *text = NULL;
	size_t size = 0;
	if (getdelim(&text, &size, 0, file) >= 0)
		return text;
	free(text);
	return text_copy("");
}

static char *read_path(const char *path)
{
	FILE *file = fopen(path, "re");
	if (!file)
		return NULL;
	char *text = read_stream(file);
	fclose(file);
	return text;
}

static struct cudasim_error *write_overlay(const struct mending *mending, const char *path)
{
	json_t *roots = json_array();
	for (size_t i = 0; i < mending->originals.n; i++)
		json_array_append_new(roots, json_pack("{ss ss ss}", "type", "file", "name",
						       mending->originals.at[i],
						       "external-contents", mending->copies.at[i]));
	json_t *overlay = json_pack("{si sb so}", "version", 0, "use-external-names", 0, "roots",
				    roots);
	int failed = !overlay || json_dump_file(overlay, path, JSON_INDENT(1));
	json_decref(overlay);
	return failed ? cudasim_error_new(CUDASIM_E_SYSTEM, "cannot write '%s'", path) : NULL;
}

static struct cudasim_error *read_overlay(struct mending *mending, const char *path)
{
	json_t *overlay = json_load_file(path, 0, NULL), *root;
	size_t i;
	json_array_foreach(json_object_get(overlay, "roots"), i, root)
	{
		words_add(&mending->originals, json_string_value(json_object_get(root, "name")));
		words_add(&mending->copies,
			  json_string_value(json_object_get(root, "external-contents")));
	}
	bool found = overlay != NULL;
	json_decref(overlay);
	return found ? NULL : cudasim_error_new(CUDASIM_E_SYSTEM, "cannot read '%s'", path);
}

/* Mends the file's copy, which is made if there is none yet: one spot, or, without one, the file's
 * deduction guides. */
static bool mend_file(struct mending *mending, const char *path, const struct dialect_spot *spot)
{
	char *original = realpath(path, NULL);
	mending->elsewhere |= !original;
	if (!original)
		return false;
	size_t i = 0;
	while (i < mending->originals.n && strcmp(mending->originals.at[i], original))
		i++;
	char *text = read_path(i < mending->originals.n ? mending->copies.at[i] : original);
	char *mended = !text ? NULL : spot ? dialect_mend(text, spot) : dialect_mend_guides(text);
	free(text);
	if (mended && i == mending->originals.n) {
		words_add(&mending->originals, original);
		words_addf(&mending->copies, "%s/mended-%d-%zu", mending->folder, (int)getpid(), i);
	}
	free(original);
	FILE *file = mended ? fopen(mending->copies.at[i], "we") : NULL;
	bool done = file && fputs(mended, file) >= 0;
	if (file)
		done &= !fclose(file);
	free(mended);
	return done;
}

/* Later spots of a file first, so that those before keep their places. */
static int by_place(const void *a, const void *b)
{
	const struct dialect_spot *x = a, *y = b;
	int files = strcmp(x->path, y->path);
	if (files)
		return files;
	if (x->line != y->line)
		return x->line < y->line ? 1 : -1;
	/* The <<< of a launch is complained of beside its kernel, which says more. */
	bool x_points = x->kind == DIALECT_KERNEL_POINTER,
	     y_points = y->kind == DIALECT_KERNEL_POINTER;
	if (x_points != y_points)
		return x_points ? 1 : -1;
	return x->column < y->column ? 1 : x->column > y->column ? -1 : 0;
}

/* Whether the spot is one of this pass. In its host pass nvcc reads all bodies, and has no instances of
 * device code. */
static bool is_wanted(const struct mending *mending, struct dialect_spot *spot)
{
	if (mending->host && (spot->kind == DIALECT_KERNEL_CALL || spot->kind == DIALECT_UNREAD))
		spot->kind = DIALECT_DEVICE_CALL;
	if (mending->host)
		return spot->kind == DIALECT_HOST || spot->kind == DIALECT_DEVICE_CALL;
	return spot->kind != DIALECT_HOST && (mending->alone || spot->kind != DIALECT_UNREAD);
}

static bool guessed_wrong(const char *diagnostics)
{
	return strstr(diagnostics, DIALECT_UNREAD_USED) ||
	       strstr(diagnostics, DIALECT_DEVICE_CALLED);
}

/* True if something was mended. Of one line only one spot a round: a mended
 * declaration moves, and may have held the others. */
static bool mend_all(struct mending *mending, const char *diagnostics)
{
	struct dialect_spot *spots;
	size_t n = dialect_find_spots(diagnostics, &spots);
	bool mended = false;
	const struct dialect_spot *last = NULL; /* mended */
	qsort(spots, n, sizeof *spots, by_place);
	for (size_t i = 0; i < n; i++) {
		bool same_line = last && spots[i].line == last->line &&
				 !strcmp(spots[i].path, last->path);
		if (!same_line && !is_wanted(mending, &spots[i]))
			continue;
		if (same_line || !mend_file(mending, spots[i].path, &spots[i]))
			continue;
		last = &spots[i];
		mended = true;
		mending->guessed |= last->kind == DIALECT_UNREAD ||
				    last->kind == DIALECT_DEVICE_CALL;
	}
	dialect_free_spots(spots, n);
	return mended;
}

/* The command's diagnostics, NULL if it could not be run. *ret is its exit status. */
static struct cudasim_error *run_and_read(const struct words *words, char **text, int *ret)
{
	FILE *said = tmpfile();
	*text = NULL;
	if (!said)
		return cudasim_error_errno(errno, "cannot make a temporary file");
	struct cudasim_error *error = child_run(words, NULL, said, ret);
	if (!error) {
		rewind(said);
		*text = read_stream(said);
	}
	fclose(said);
	return error;
}

/* The diagnostics of a program without errors, where the compile server has compiled it; else false. */
static bool serve_and_read(const struct words *words, char **text)
{
	FILE *said = tmpfile();
	bool done = said && served_front(words, said);
	if (done) {
		rewind(said);
		*text = read_stream(said);
	}
	if (said)
		fclose(said);
	return done;
}

/* Once more, by the places that files have without #line; what the user is to see was said. */
static struct cudasim_error *mend_lines(struct mending *mending, const struct words *words,
					bool *ret)
{
	struct words physical = {0};
	char *text;
	int status;
	words_append(&physical, words);
	words_add_all(&physical, "-Xclang", "-fno-diagnostics-use-presumed-location", NULL);
	struct cudasim_error *error = run_and_read(&physical, &text, &status);
	*ret = !error && status && mend_all(mending, text);
	free(text);
	words_fini(&physical);
	return error;
}

/* Whether a header is the system's, the toolkit's or another's that the command names as such. */
static bool is_foreign(const char *path, const struct words *command)
{
	static const char *const options[] = {"-isystem", "-idirafter"};
	if (!strncmp(path, "/usr/", 5))
		return true;
	for (size_t i = 0; i < command->n; i++)
		for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
			size_t length = strlen(options[k]);
			if (strncmp(command->at[i], options[k], length))
				continue;
			const char *folder = command->at[i] + length;
			if (!*folder && i + 1 < command->n)
				folder = command->at[i + 1];
			size_t n = strlen(folder);
			if (n && !strncmp(path, folder, n) && path[n] == '/')
				return true;
		}
	return false;
}

/* The guides of the headers that are named in the file `list`, line by line. True if something
 * was mended. */
static bool mend_headers(struct mending *mending, const char *list, const struct words *command)
{
	char *text = read_path(list);
	struct words paths = {0}, seen = {0};
	bool mended = false;
	if (text)
		words_split(&paths, text, '\n');
	for (size_t i = 0; i < paths.n; i++) {
		const char *path = paths.at[i];
		if (!*path || is_foreign(path, command) || words_have(&seen, path))
			continue;
		words_add(&seen, path);
		mended |= mend_file(mending, path, NULL);
	}
	words_fini(&seen);
	words_fini(&paths);
	free(text);
	return mended;
}

/* Whether a header lies in a folder that the command gives with -I. */
static bool is_included(const char *path, const struct words *command)
{
	for (size_t i = 0; i < command->n; i++) {
		const char *word = command->at[i];
		if (!text_starts(word, "-I"))
			continue;
		const char *folder = word[2]              ? word + 2
				     : i + 1 < command->n ? command->at[i + 1]
							  : "";
		size_t n = strlen(folder);
		if (n && text_starts(path, folder) && path[n] == '/')
			return true;
	}
	return false;
}

/* Those of headers that earlier compilations had to mend, so that clang need not run again for
 * them; whether this one reads them is not known yet. */
static void mend_known(struct mending *mending, const struct words *command)
{
	char *list = text_format("%s/" HEADERS_MENDED, mending->folder), *text = read_path(list);
	struct words paths = {0};
	if (text)
		words_split(&paths, text, '\n');
	for (size_t i = 0; i < paths.n; i++)
		if (is_included(paths.at[i], command) && !is_foreign(paths.at[i], command))
			mend_file(mending, paths.at[i], NULL);
	words_fini(&paths);
	free(text);
	free(list);
}

/* For the next compilation: what mend_headers() has added to the first n. */
static void remember_mended(const struct mending *mending, size_t n)
{
	char *path = text_format("%s/" HEADERS_MENDED_NOW, mending->folder);
	FILE *file = n < mending->originals.n ? fopen(path, "ae") : NULL;
	for (size_t i = n; file && i < mending->originals.n; i++)
		fprintf(file, "%s\n", mending->originals.at[i]);
	if (file)
		fclose(file);
	free(path);
}

/* Where clang lists the headers it reads: job.c may have asked already. The caller frees it. */
static char *ask_for_headers(struct mending *mending)
{
	const char *asked = getenv("CC_PRINT_HEADERS_FILE");
	if (asked)
		return text_copy(asked);
	char *list = text_format("%s/headers-%d", mending->folder, (int)getpid());
	headers_ask(list);
	mending->lists = true;
	return list;
}

/* Runs clang, with the precompiled header where there is one that fits. */
static struct cudasim_error *run_pass(const struct mending *mending, const struct words *words,
				      const char *prelude, char **text, int *ret)
{
	struct words shorter = {0};
	struct cudasim_error *error = NULL;
	*text = NULL;
	bool uses = prelude && !prelude_has(prelude, &mending->originals) &&
		    prelude_use(words, prelude, &shorter);
	if (uses && !mending->host && serve_and_read(&shorter, text)) {
		*ret = 0;
		words_fini(&shorter);
		return NULL;
	}
	if (uses)
		error = run_and_read(&shorter, text, ret);
	words_fini(&shorter);
	/* clang names the file where it refuses it. */
	if (!uses || (!error && *ret && strstr(*text, prelude))) {
		free(*text);
		error = run_and_read(words, text, ret);
	}
	return error;
}

struct cudasim_error *step_device_pass(int n, char **arguments, int *ret)
{
	const char *overlay = NULL, *prelude = NULL;
	struct mending mending = {0};
	int first = 1;
	for (; first + 1 < n && strcmp(arguments[first], "--"); first += 2) {
		if (!strcmp(arguments[first], "--overlay"))
			overlay = arguments[first + 1];
		else if (!strcmp(arguments[first], "--folder"))
			mending.folder = arguments[first + 1];
		else if (!strcmp(arguments[first], "--host"))
			mending.alone = !strcmp(arguments[first + 1], "none");
		else if (!strcmp(arguments[first], "--prelude"))
			prelude = arguments[first + 1];
	}
	mending.host = !strcmp(arguments[0], "cc-host-pass");
	if (!overlay || !mending.folder || first + 1 >= n)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "%s: wrong arguments", arguments[0]);
	struct words words = {0};
	char *list = mending.host ? NULL : ask_for_headers(&mending);
	for (int i = first + 1; i < n; i++)
		words_add(&words, arguments[i]);
	bool shows = mending.host; /* the overlay is among the words */
	if (!mending.host)
		mend_file(&mending, arguments[n - 1], NULL); /* the source */
	if (!mending.host)
		mend_known(&mending, &words);
	struct cudasim_error *error = mending.host ? read_overlay(&mending, overlay)
						   : write_overlay(&mending, overlay);
	bool again = !error;
	char *said = NULL; /* before the first guess */
	for (int round = 0; again && !error; round++) {
		char *text = NULL;
		if (!shows && mending.originals.n) {
			words_add_all(&words, "-ivfsoverlay", overlay, NULL);
			shows = true;
		}
		error = run_pass(&mending, &words, prelude, &text, ret);
		if (!error) {
			mending.elsewhere = false;
			bool guessed = mending.guessed;
			again = round < MAX_ROUNDS && *ret && mend_all(&mending, text);
			if (mending.guessed && !guessed)
				said = text_copy(text);
			if (!again && *ret && round < MAX_ROUNDS && mending.elsewhere)
				error = mend_lines(&mending, &words, &again);
		}
		if (!error && !mending.host && !round) {
			size_t n_before = mending.originals.n;
			again |= mend_headers(&mending, list, &words);
			remember_mended(&mending, n_before);
		}
		if (!error && again)
			error = write_overlay(&mending, overlay);
		else if (!error)
			fputs(said && guessed_wrong(text) ? said : text, stderr);
		free(text);
	}
	if (mending.lists)
		unlink(list);
	free(said);
	free(list);
	words_fini(&words);
	words_fini(&mending.originals);
	words_fini(&mending.copies);
	return error;
}
