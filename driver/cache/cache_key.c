/* SPDX-License-Identifier: Apache-2.0 */
/* cache_key.c - what a compilation depends on besides the headers it reads. */
#define _GNU_SOURCE
#include "cache_key.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "module_id.h"

/* The variables that clang 19 reads, and those that change its messages. */
static const char *const variables[] = {
	"CPATH",
	"C_INCLUDE_PATH",
	"CPLUS_INCLUDE_PATH",
	"COMPILER_PATH",
	"GCC_EXEC_PREFIX",
	"SOURCE_DATE_EPOCH",
	"CCC_OVERRIDE_OPTIONS",
	"LANG",
	"LC_ALL",
	"LC_MESSAGES",
	"CLANG_CONFIG_FILE_USER_DIR",
	"CLANG_CONFIG_FILE_SYSTEM_DIR",
};

static void add_text(struct module_id *id, const char *text)
{
	module_id_add(id, text, strlen(text) + 1);
}

/* A file that nobody changes in place and gives its old times. */
static void add_file(struct module_id *id, const char *path)
{
	struct stat status;
	char *resolved = realpath(path, NULL);
	add_text(id, resolved ? resolved : path);
	free(resolved);
	if (stat(path, &status))
		return;
	module_id_add(id, &status.st_size, sizeof status.st_size);
	module_id_add(id, &status.st_mtim, sizeof status.st_mtim);
}

static void add_sibling(struct module_id *id, const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	char *sibling = text_format("%.*s/%s", slash ? (int)(slash - path) : 0, path, name);
	add_file(id, sibling);
	free(sibling);
}

/* Debian's packages of clang demand libLLVM of the very same build, so its
 * executable stands for both. The folder of gcc's versions, of which clang takes
 * the newest, changes with each that comes or goes. */
static void add_tools(struct module_id *id, const struct surroundings *here)
{
	add_file(id, here->places->self);
	add_file(id, here->places->devcc);
	add_file(id, here->places->builtins);
	add_file(id, here->places->attach);
	add_file(id, here->toolkit->libdevice);
	add_file(id, here->clang);
	add_file(id, "/usr/lib/gcc/x86_64-linux-gnu");
	if (!here->gpu)
		return;
	add_sibling(id, here->places->builtins, "gpu-builtins.bc");
	add_file(id, here->gpu->ptxas);
	add_file(id, here->gpu->fatbinary);
}

/* A word with the temporary folder, which differs each time, under one name; and
 * the files that the device compiler is told to read. */
static void add_word(struct module_id *id, const char *word, const char *temporary)
{
	size_t n = strlen(temporary);
	const char *rest = word;
	for (const char *found; (found = strstr(rest, temporary)); rest = found + n) {
		module_id_add(id, rest, (size_t)(found - rest));
		module_id_add(id, "\1", 1);
	}
	add_text(id, rest);
	if (text_starts(word, "--libdevice=") || text_starts(word, "--builtins=") ||
	    text_starts(word, "--attach="))
		add_file(id, strchr(word, '=') + 1);
}

/* A file that is not there has none: the jobs will say so. */
static void add_content(struct module_id *id, const char *path)
{
	struct cudasim_error *error = module_id_add_file(id, path);
	if (error)
		add_text(id, "\1");
	cudasim_error_free(error);
}

/* The file that a word names and that is known by what it holds: PTX, NVVM IR, code to link. Not what the unit's
 * jobs make. */
static const char *content_of(const char *word, const struct unit *unit, const char *temporary)
{
	static const char *const endings[] = {".ptx", ".ll", ".bc", ".ltoir", ".o", ".a"};
	if (text_starts(word, temporary) || !strcmp(word, unit->object))
		return NULL;
	if (text_starts(word, "--lazy="))
		return strchr(word, '=') + 1;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (text_ends(word, endings[i]))
			return word;
	return NULL;
}

void cache_key(const struct plan *plan, const struct unit *unit, const struct surroundings *here,
	       char key[33])
{
	struct module_id id;
	module_id_init(&id);
	add_text(&id, "cudasim cache 2");
	add_text(&id, unit->by_content || unit->anywhere ? "\2" : here->folder);
	add_tools(&id, here);
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const char *value = getenv(variables[i]);
		add_text(&id, value ? value : "\1");
	}
	for (size_t i = unit->first; i < unit->first + unit->n; i++) {
		const struct words *words = &plan->jobs[i].words;
		for (size_t j = 0; j < words->n; j++) {
			const char *content = content_of(words->at[j], unit, here->temporary);
			add_word(&id, words->at[j], here->temporary);
			if (unit->by_content && content)
				add_content(&id, content);
		}
		add_text(&id, "\1");
	}
	uint8_t bytes[16];
	module_id_text(&id, key, bytes);
}

/* Options by which clang reads or writes more files than headers, the object and
 * the dependency file. */
static bool is_open_ended(const char *word)
{
	static const char *const prefixes[] = {
		"@",
		"--coverage",
		"-coverage",
		"-ftest-coverage",
		"-fprofile",
		"-fcs-profile",
		"-save-",
		"--save-",
		"-fsave-",
		"-gsplit-dwarf",
		"-ftime-",
		"-fmodule",
		"-fcxx-modules",
		"-MJ",
		"-fdump",
		"-fplugin",
		"-fpass-plugin",
		"-load",
		"-fstack-usage",
		"-fcallgraph",
		"-serialize-diagnostics",
		"--serialize-diagnostics",
		"-foptimization-record",
		"-fsanitize-ignorelist",
		"-fsanitize-blacklist",
		"-fsanitize-coverage-",
		"--config",
		"-specs",
		"--specs",
		"-fembed",
		"--embed-dir",
		"-fxray",
		"-Wp,",
		"-include-pch",
		"-emit-",
		"-fprebuilt",
		"-vfsoverlay",
		"-fcrash",
		"-fproc-stat",
	};
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (text_starts(word, prefixes[i]))
			return true;
	return false;
}

/* clang takes a precompiled header that lies beside one of -include. */
static bool has_precompiled(const char *header)
{
	static const char *const endings[] = {".pch", ".gch"};
	bool has = false;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
		char *path = text_format("%s%s", header, endings[i]);
		has |= !access(path, F_OK);
		free(path);
	}
	return has;
}

const char *cache_key_objection(const struct plan *plan, const struct unit *unit)
{
	static const char *const takers[] = {"CC_PRINT_HEADERS", "DEPENDENCIES_OUTPUT",
					     "SUNPRO_DEPENDENCIES"};
	for (size_t i = 0; i < sizeof takers / sizeof *takers; i++)
		if (getenv(takers[i]))
			return takers[i];
	for (size_t i = unit->first; i < unit->first + unit->n; i++) {
		const struct words *words = &plan->jobs[i].words;
		unsigned n_dependency_files = 0;
		if (!plan->jobs[i].headers)
			continue; /* not clang's */
		for (size_t j = 1; j < words->n; j++) {
			n_dependency_files += !strcmp(words->at[j], "-MF");
			if (is_open_ended(words->at[j]) && strcmp(words->at[j], "-emit-llvm"))
				return words->at[j];
			if (!strcmp(words->at[j - 1], "-include") && has_precompiled(words->at[j]))
				return "a precompiled header";
			if (text_starts(words->at[j], "-M") && !unit->depend)
				return words->at[j]; /* given with -Xcompiler */
		}
		if (n_dependency_files > 1)
			return "-MF";
	}
	return NULL;
}
