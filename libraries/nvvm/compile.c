/* SPDX-License-Identifier: Apache-2.0 */
/* compile.c - a program's modules as files in a folder of their own, in which `cudasim cc` runs,
 * so that neither messages nor the compiler's cache know where that folder is. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"
#include "nvvm.h"

#define INPUT "nvvm-input-"
#define OUTPUT "image"

/* ---- the log --------------------------------------------------------------------------------- */

static bool starts(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* `nvvm-input-N.ll` becomes the module's name, and what is said of a place libNVVM's form:
 * `NAME (LINE, COLUMN): parse TEXT`, where columns count from 0. Returns how much of said that
 * was. */
static size_t tell_name(FILE *out, const struct nvvm_program *p, const char *said)
{
	static const char error[] = ": error: ", bitcode[] = ": error: not LLVM bitcode: ";
	unsigned long i;
	unsigned line, column;
	int name = 0, place = 0;
	if (sscanf(said, INPUT "%lu.ll%n", &i, &name) != 1 || !name || i >= p->n_modules)
		return 0;
	fputs(p->modules[i].name, out);
	if (sscanf(said + name, ":%u:%u%n", &line, &column, &place) == 2 && place &&
	    starts(said + name + place, error)) {
		fprintf(out, " (%u, %u): parse ", line, column ? column - 1 : 0);
		return (size_t)(name + place) + strlen(error);
	}
	if (starts(said + name, bitcode)) {
		fputs(": parse ", out);
		return (size_t)name + strlen(bitcode);
	}
	return (size_t)name;
}

/* What `cudasim cc` said as libNVVM would. */
static char *tell(const struct nvvm_program *p, const char *said)
{
	char *ret = NULL;
	size_t size;
	FILE *out = open_memstream(&ret, &size);
	while (out && *said) {
		size_t n = tell_name(out, p, said);
		if (!n)
			fputc(*said++, out);
		said += n;
	}
	if (!out || fclose(out))
		return NULL;
	/* The line's end is the process's, not the message's, unless that has one of its own: then
	 * libNVVM's has two. */
	if (size && ret[size - 1] == '\n' && (size < 2 || ret[size - 2] != '\n'))
		ret[size - 1] = 0;
	return ret;
}

/* ---- the compiler ----------------------------------------------------------------------------- */

static bool is_bitcode(const struct nvvm_module *module)
{
	return module->n >= 4 && (!memcmp(module->bytes, "BC\xc0\xde", 4) ||
				  !memcmp(module->bytes, "\xde\xc0\x17\x0b", 4));
}

static bool write_module(const struct nvvm_module *module, const char *folder, const char *name)
{
	char *path = jit_format("%s/%s", folder, name);
	FILE *out = path ? fopen(path, "we") : NULL;
	free(path);
	if (!out)
		return false;
	bool written = fwrite(module->bytes, 1, module->n, out) == module->n;
	return !fclose(out) && written;
}

static bool write_modules(const struct nvvm_program *p, const char *folder, struct jit_words *words)
{
	for (size_t i = 0; i < p->n_modules; i++) {
		char *name = jit_format(INPUT "%zu.ll", i);
		bool done = name && write_module(&p->modules[i], folder, name) &&
			    jit_words_add(words,
					  jit_format("%s%s",
						     p->modules[i].lazy ? "--lazy-module=" : "",
						     name));
		free(name);
		if (!done)
			return false;
	}
	return true;
}

static enum nvvm_result failure(const char *log, bool verify)
{
	if (strstr(log, "incompatible IR detected"))
		return NVVM_ERROR_IR_VERSION_MISMATCH;
	return verify ? NVVM_ERROR_INVALID_IR : NVVM_ERROR_COMPILATION;
}

static bool makes_lto(const struct jit_words *words)
{
	for (size_t i = 0; i < words->n; i++)
		if (!strcmp(words->at[i], "-ltoir"))
			return true;
	return false;
}

static enum nvvm_result run(struct nvvm_program *p, struct jit_words *words, const char *folder,
			    bool verify)
{
	char *log = jit_format("%s/log", folder), *output = jit_format("%s/" OUTPUT, folder);
	char *said = NULL;
	enum nvvm_result result = NVVM_ERROR_OUT_OF_MEMORY;
	if (!log || !output)
		goto end;
	int status = compiler_run(words->at, folder, log);
	if (status < 0 || status == 127) {
		nvvm_say(p, jit_format("libnvvm : error: cannot run %s", words->at[0]));
		result = verify ? NVVM_ERROR_INVALID_IR : NVVM_ERROR_COMPILATION;
		goto end;
	}
	said = compiler_read_text(log);
	if (!said || !nvvm_say(p, tell(p, said)))
		goto end;
	result = status ? failure(p->log, verify) : NVVM_SUCCESS;
	if (!result && !verify) {
		size_t n = 0;
		char *made = compiler_read_file(output, &n);
		if (!made) {
			result = NVVM_ERROR_OUT_OF_MEMORY;
			goto end;
		}
		free(p->result);
		p->result = made;
		p->n_result = makes_lto(words) ? n : n + 1;
	}
end:
	free(log);
	free(output);
	free(said);
	return result;
}

enum nvvm_result nvvm_compile(struct nvvm_program *p, const struct jit_words *options, bool verify)
{
	for (size_t i = 0; i < p->n_modules; i++)
		if (p->modules[i].lazy && !is_bitcode(&p->modules[i]))
			return verify ? NVVM_ERROR_INVALID_IR : NVVM_ERROR_COMPILATION;
	const char *tmp = getenv("TMPDIR");
	char *folder = jit_format("%s/cudasim-nvvm-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	struct jit_words words = {0};
	bool ready = jit_words_add(&words, compiler_find()) &&
		     jit_words_add(&words, jit_format("cc")) &&
		     jit_words_add(&words, jit_format("-w"));
	if (!makes_lto(options))
		ready = ready && jit_words_add(&words, jit_format("-ptx"));
	for (size_t i = 0; i < options->n; i++)
		ready = ready && jit_words_add(&words, jit_format("%s", options->at[i]));
	if (verify)
		ready = ready && jit_words_add(&words, jit_format("-fdevice-syntax-only"));
	bool made = ready && folder && mkdtemp(folder);
	enum nvvm_result result = NVVM_ERROR_OUT_OF_MEMORY;
	if (ready && folder && !made) {
		nvvm_say(p, jit_format("libnvvm : error: cannot make a folder for temporary files "
				       "in %s",
				       tmp && *tmp ? tmp : "/tmp"));
		result = verify ? NVVM_ERROR_INVALID_IR : NVVM_ERROR_COMPILATION;
	} else if (made && write_modules(p, folder, &words) &&
		   jit_words_add(&words, jit_format("-o")) &&
		   jit_words_add(&words, jit_format(OUTPUT))) {
		result = run(p, &words, folder, verify);
	}
	if (made)
		compiler_remove_folder(folder);
	jit_words_fini(&words);
	free(folder);
	return result;
}
