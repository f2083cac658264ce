/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "compiler.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile_server.h"
#include "jit_words.h"
#include "serve.h"

extern char **environ;

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status, (void)kind, (void)walk;
	return remove(path);
}

bool compiler_write_text(const char *path, const char *text)
{
	FILE *out = path ? fopen(path, "we") : NULL;
	if (!out)
		return false;
	bool written = fputs(text, out) >= 0;
	return !fclose(out) && written;
}

void compiler_remove_folder(const char *folder)
{
	nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

char *compiler_read_file(const char *path, size_t *n_bytes)
{
	FILE *file = path ? fopen(path, "re") : NULL;
	if (!file)
		return NULL;
	char *text = NULL, buffer[65536];
	size_t size, n;
	FILE *out = open_memstream(&text, &size);
	while (out && (n = fread(buffer, 1, sizeof buffer, file)) > 0)
		fwrite(buffer, 1, n, out);
	fclose(file);
	if (!out || fclose(out))
		return NULL;
	*n_bytes = size;
	return text;
}

char *compiler_read_text(const char *path)
{
	size_t n;
	return compiler_read_file(path, &n);
}

/* From the build tree's sim/ and libraries/NAME/; by the installation's folders; on PATH. */
char *compiler_find(void)
{
	static const char *const ways[] = {"/../cudasim", "/../../cudasim",
					   CUDASIM_LIB_UP "/" CUDASIM_BINDIR "/cudasim",
					   /* from cudasim/lib64 */
					   "/../.." CUDASIM_LIB_UP "/" CUDASIM_BINDIR "/cudasim"};
	Dl_info here;
	if (dladdr((void *)(uintptr_t)compiler_find, &here) && here.dli_fname) {
		char *real = realpath(here.dli_fname, NULL);
		char *slash = real ? strrchr(real, '/') : NULL;
		if (slash)
			*slash = 0;
		for (size_t i = 0; slash && i < sizeof ways / sizeof *ways; i++) {
			char *path = jit_format("%s%s", real, ways[i]);
			struct stat about;
			if (path && !access(path, X_OK) && !stat(path, &about) &&
			    S_ISREG(about.st_mode)) {
				free(real);
				return path;
			}
			free(path);
		}
		free(real);
	}
	return jit_format("cudasim");
}

/* What people set for their builds is not for this one. server: a variable more, or NULL. */
static char **environment(char *server)
{
	static const char *const out[] = {
		"NVCC_APPEND_FLAGS=", "NVCC_PREPEND_FLAGS=", SERVE_VARIABLE "="};
	size_t n = 0, kept = 0;
	while (environ[n])
		n++;
	char **ret = calloc(n + 2, sizeof *ret);
	for (size_t i = 0; ret && i < n; i++) {
		bool keeps = true;
		for (size_t j = 0; j < sizeof out / sizeof *out; j++)
			keeps &= strncmp(environ[i], out[j], strlen(out[j])) != 0;
		if (keeps)
			ret[kept++] = environ[i];
	}
	if (ret && server)
		ret[kept] = server;
	return ret;
}

int compiler_run(char **words, const char *folder, const char *log)
{
	posix_spawn_file_actions_t actions;
	int server = compile_server_socket(words[0]);
	char *variable = server < 0 ? NULL : jit_format(SERVE_VARIABLE "=%d", server);
	char **variables = environment(variable);
	pid_t pid;
	int status = -1;
	if (!variables || posix_spawn_file_actions_init(&actions)) {
		free(variables);
		free(variable);
		return -1;
	}
	int error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (!error)
		error = posix_spawn_file_actions_addopen(&actions, 1, log,
							 O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, 1, 2);
	if (!error && folder)
		error = posix_spawn_file_actions_addchdir_np(&actions, folder);
	if (!error && server >= 0) /* no longer closed by exec */
		error = posix_spawn_file_actions_adddup2(&actions, server, server);
	if (!error)
		error = posix_spawnp(&pid, words[0], &actions, NULL, words, variables);
	posix_spawn_file_actions_destroy(&actions);
	free(variables);
	free(variable);
	if (error)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
