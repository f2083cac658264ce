/* SPDX-License-Identifier: Apache-2.0 */
/* test_find.c - test executables: those with a section .cudasim.test, which
 * cudasim/test.h makes, and those that call cmocka_run_group_tests(); and building them where
 * there are only sources. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "places.h"
#include "test.h"

#define OUTPUT ".cudasim-test"

/* ---- executables ------------------------------------------------------------ */

static bool has_mark(Elf *elf)
{
	size_t names;
	GElf_Ehdr header;
	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
	    (header.e_type != ET_EXEC && header.e_type != ET_DYN) || elf_getshdrstrndx(elf, &names))
		return false;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr s;
		const char *name = gelf_getshdr(section, &s) ? elf_strptr(elf, names, s.sh_name)
							     : NULL;
		if (name && !strcmp(name, ".cudasim.test"))
			return true;
	}
	return false;
}

/* Does it call cmocka_run_group_tests(), linked or not? */
static bool has_cmocka(Elf *elf, bool *simulated)
{
	bool found = false;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr s;
		Elf_Data *data = gelf_getshdr(section, &s) ? elf_getdata(section, NULL) : NULL;
		if (!data || !s.sh_entsize)
			continue;
		size_t n = s.sh_size / s.sh_entsize;
		bool symbols = s.sh_type == SHT_DYNSYM || s.sh_type == SHT_SYMTAB;
		for (size_t i = 0; i < n && (symbols || s.sh_type == SHT_DYNAMIC); i++) {
			GElf_Sym symbol;
			GElf_Dyn entry;
			const char *name = NULL;
			if (symbols && gelf_getsym(data, (int)i, &symbol))
				name = elf_strptr(elf, s.sh_link, symbol.st_name);
			else if (!symbols && gelf_getdyn(data, (int)i, &entry) &&
				 entry.d_tag == DT_NEEDED)
				name = elf_strptr(elf, s.sh_link, entry.d_un.d_val);
			found = found ||
				(name && symbols && !strcmp(name, "_cmocka_run_group_tests"));
			*simulated = *simulated || (name && strstr(name, "cudasim"));
		}
	}
	return found;
}

enum kind { NO_TEST, MARKED, PLAIN, PLAIN_OTHER /* that does not use cudasim */ };

static enum kind kind_of(const char *path)
{
	struct stat status;
	bool simulated = false;
	if (stat(path, &status) || !S_ISREG(status.st_mode) || access(path, X_OK))
		return NO_TEST;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return NO_TEST;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
	enum kind ret = elf && has_mark(elf) ? MARKED : NO_TEST;
	if (elf && !ret && elf_kind(elf) == ELF_K_ELF && has_cmocka(elf, &simulated))
		ret = simulated ? PLAIN : PLAIN_OTHER;
	elf_end(elf);
	close(file);
	return ret;
}

bool test_is_plain(const char *executable)
{
	enum kind kind = kind_of(executable);
	return kind == PLAIN || kind == PLAIN_OTHER;
}

/* Of a folder: programs of the host alone are somebody else's. */
static bool is_test(const char *path)
{
	enum kind kind = kind_of(path);
	return kind == MARKED || kind == PLAIN;
}

static void look(const char *folder, int depth, struct words *executables, struct words *sources)
{
	DIR *dir = depth < 12 ? opendir(folder) : NULL;
	if (!dir)
		return;
	for (struct dirent *entry; (entry = readdir(dir));) {
		struct stat status;
		if (*entry->d_name == '.')
			continue;
		char *path = !strcmp(folder, ".") ? text_copy(entry->d_name)
						  : text_format("%s/%s", folder, entry->d_name);
		if (lstat(path, &status))
			(void)status;
		else if (S_ISDIR(status.st_mode))
			look(path, depth + 1, executables, sources);
		else if (S_ISREG(status.st_mode) && text_ends(path, ".cu"))
			words_add(sources, path);
		else if (is_test(path))
			words_add(executables, path);
		free(path);
	}
	closedir(dir);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort(struct words *words)
{
	if (words->n)
		qsort(words->at, words->n, sizeof *words->at, by_name);
}

/* ---- building ----------------------------------------------------------------- */

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	if (!file)
		return NULL;
	if (getdelim(&text, &size, 0, file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

static bool is_source(const char *path)
{
	char *text = read_file(path);
	bool ret = text &&
		   (strstr(text, "cudasim/test.h") || strstr(text, "cmocka_run_group_tests"));
	free(text);
	return ret;
}

static bool is_older(const char *path, const struct timespec *than)
{
	struct stat status;
	if (stat(path, &status))
		return false;
	return status.st_mtim.tv_sec < than->tv_sec ||
	       (status.st_mtim.tv_sec == than->tv_sec && status.st_mtim.tv_nsec <= than->tv_nsec);
}

/* Is the executable there, built by the same command, and younger than this program and
 * everything that went into it, as the compiler's .d file tells? */
static bool is_fresh(const char *executable, const char *depends, const char *command,
		     const char *self)
{
	struct stat status;
	char *record = text_format("%s.command", executable), *was = read_file(record);
	bool ret = was && !strcmp(was, command) && !stat(executable, &status);
	char *text = ret ? read_file(depends) : NULL;
	ret = ret && text && is_older(self, &status.st_mtim);
	struct words files = {0};
	char *colon = text ? strchr(text, ':') : NULL;
	if (colon) {
		for (char *c = colon; *c; c++)
			if (*c == '\n' || (*c == '\\' && c[1] == '\n'))
				*c = ' ';
		words_split(&files, colon + 1, ' ');
	}
	for (size_t i = 0; i < files.n && ret; i++)
		ret = is_older(files.at[i], &status.st_mtim);
	words_fini(&files);
	free(text);
	free(was);
	free(record);
	return ret;
}

static void keep_command(const char *executable, const char *command)
{
	char *path = text_format("%s.command", executable);
	FILE *file = fopen(path, "we");
	if (file) {
		fputs(command, file);
		fclose(file);
	}
	free(path);
}

static struct cudasim_error *spawn(const struct words *command)
{
	pid_t child = fork();
	if (child == 0) {
		execv(command->at[0], command->at);
		_exit(127);
	}
	int status;
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return cudasim_error_errno(errno, "test: cannot run the compiler");
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return NULL;
	return cudasim_error_new(CUDASIM_E_FAILED, "test: building failed");
}

static struct cudasim_error *build(const char *self, const char *folder, const char *source,
				   const struct test_options *options, struct words *ret)
{
	bool here = !strcmp(folder, ".");
	char *output = here ? text_copy(OUTPUT) : text_format("%s/" OUTPUT, folder);
	size_t n = strlen(folder);
	char *name = text_copy(!strncmp(source, folder, n) && source[n] == '/' ? source + n + 1
									       : source);
	for (char *c = name; *c; c++)
		if (*c == '/')
			*c = '_';
	name[strlen(name) - 3] = 0;
	char *executable = text_format("%s/%s", output, name),
	     *depends = text_format("%s.d", executable);
	struct words command = {0};
	words_add_all(&command, self, "cc", "-std=c++17", "--extended-lambda", "-g", "-MD", "-MF",
		      depends, "-o", executable, source, NULL);
	if (options->gpu)
		words_add(&command, "--gpu");
	words_append(&command, &options->compile);
	words_add(&command, "-lcmocka");
	char *line = words_quote(&command);
	struct cudasim_error *error = NULL;
	if (mkdir(output, 0777) && errno != EEXIST)
		error = cudasim_error_errno(errno, "test: cannot make '%s'", output);
	if (!error && !is_fresh(executable, depends, line, self)) {
		fprintf(stderr, "cudasim: building %s\n", source);
		unlink(executable);
		error = spawn(&command);
		if (!error)
			keep_command(executable, line);
	}
	if (!error)
		words_add(ret, executable);
	free(line);
	words_fini(&command);
	free(depends);
	free(executable);
	free(name);
	free(output);
	return error;
}

static struct cudasim_error *build_all(const char *folder, const struct words *sources,
				       const struct test_options *options, struct words *ret)
{
	struct places places;
	struct cudasim_error *error = places_find(&places);
	if (error)
		return error;
	for (size_t i = 0; i < sources->n && !error; i++)
		if (is_source(sources->at[i]))
			error = build(places.self, folder, sources->at[i], options, ret);
	places_fini(&places);
	return error;
}

/* ---- both ------------------------------------------------------------------------ */

static struct cudasim_error *find_in(const char *target, const struct test_options *options,
				     struct words *ret)
{
	struct stat status;
	struct words executables = {0}, sources = {0};
	struct cudasim_error *error = NULL;
	if (text_ends(target, ".cu") && !stat(target, &status) && S_ISREG(status.st_mode)) {
		const char *slash = strrchr(target, '/');
		char *folder = slash ? text_copy_n(target, (size_t)(slash - target))
				     : text_copy(".");
		words_add(&sources, target);
		error = build_all(slash == target ? "/" : folder, &sources, options, ret);
		if (!error && !ret->n)
			error = cudasim_error_new(
				CUDASIM_E_FORMAT,
				"test: '%s' does not include cudasim/test.h, and does not call "
				"cmocka_run_group_tests()",
				target);
		free(folder);
		words_fini(&sources);
		return error;
	}
	if (!stat(target, &status) && !S_ISDIR(status.st_mode)) {
		if (kind_of(target) == NO_TEST)
			return cudasim_error_new(
				CUDASIM_E_FORMAT,
				"test: '%s' is not a test executable: it was not built with cudasim/test.h, and does "
				"not call cmocka_run_group_tests()",
				target);
		words_add(ret, target);
		return NULL;
	}
	char *folder = text_copy(target);
	while (strlen(folder) > 1 && text_ends(folder, "/"))
		folder[strlen(folder) - 1] = 0;
	look(folder, 0, &executables, &sources);
	sort(&executables);
	sort(&sources);
	if (!executables.n)
		error = build_all(folder, &sources, options, &executables);
	words_append(ret, &executables);
	words_fini(&executables);
	words_fini(&sources);
	free(folder);
	return error;
}

struct cudasim_error *test_find(const struct test_options *options, struct words *ret)
{
	struct cudasim_error *error = NULL;
	if (!options->targets.n)
		error = find_in(".", options, ret);
	for (size_t i = 0; i < options->targets.n && !error; i++)
		error = find_in(options->targets.at[i], options, ret);
	if (!error && !ret->n)
		error = cudasim_error_new(
			CUDASIM_E_NOTFOUND,
			"test: no test executables, and no .cu files with tests (that include cudasim/test.h or "
			"call cmocka_run_group_tests()), in '%s'",
			options->targets.n ? options->targets.at[0] : ".");
	return error;
}
