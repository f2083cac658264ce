/* SPDX-License-Identifier: Apache-2.0 */
/* host_end.c - ends of the program that run no exit handlers: _exit() has an int3 of
 * ours at its beginning (quick_exit(), _Exit() and exit() go through it), and exec...()
 * is reached through slots of the program's own files, which lead here instead.
 *
 * Rejected for exec: an int3 in execve(). The C library's posix_spawn(), system() and
 * popen() come there in a child that has no handlers any more. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gnu/lib-names.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"
#include "host.h"
#include "host_state.h"

/* ---- _exit ----------------------------------------------------------------------------- */

static bool on_exit_call(void *user, const struct registers *registers, struct stop *stop)
{
	enum { RDI = 5 };
	(void)user;
	if (program_is_repl() || program_is_detached() ||
	    getpid() != host_state()->ends.own_process)
		return false;
	stop->kind = STOP_EXITED;
	stop->exit_status = (int)(registers->value[RDI] & 0xff);
	return true;
}

/* ---- exec ------------------------------------------------------------------------------ */

extern char **environ;

/* Tell the REPL, which does it; comes back where it could not. */
static int run_instead(const char *path, char *const arguments[], char *const environment[])
{
	if (getpid() == host_state()->ends.own_process && !program_is_repl() &&
	    !program_is_detached() && !access(path, X_OK)) {
		struct stop stop = {.kind = STOP_EXEC};
		struct exec_call call = {path, arguments, environment};
		stop.exec = &call;
		program_stop(&stop);
	}
	return execve(path, arguments, environment);
}

/* As execvp(): a name without a slash is looked for in PATH. */
static int search(const char *name, char *const arguments[], char *const environment[])
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];
	if (strchr(name, '/'))
		return run_instead(name, arguments, environment);
	for (path = path ? path : "/bin:/usr/bin"; path;
	     path = strchr(path, ':') ? strchr(path, ':') + 1 : NULL) {
		size_t n = strcspn(path, ":");
		int length = snprintf(file, sizeof file, "%.*s%s%s", (int)n, path, n ? "/" : "",
				      name);
		if (length < PATH_MAX && !access(file, X_OK))
			return run_instead(file, arguments, environment);
	}
	return execvpe(name, arguments, environment);
}

static int our_execv(const char *path, char *const arguments[])
{
	return run_instead(path, arguments, environ);
}

static int our_execvp(const char *name, char *const arguments[])
{
	return search(name, arguments, environ);
}

/* The arguments up to NULL; behind it stands the environment of execle(). On the stack,
 * as in the C library: this may be a child that shares memory. */
#define COLLECT(first)                                                                             \
	va_list list;                                                                              \
	size_t n = 1;                                                                              \
	va_start(list, first);                                                                     \
	while (va_arg(list, char *))                                                               \
		n++;                                                                               \
	va_end(list);                                                                              \
	char *arguments[n + 1];                                                                    \
	va_start(list, first);                                                                     \
	arguments[0] = (char *)(uintptr_t)first;                                                   \
	for (size_t i = 1; i <= n; i++)                                                            \
	arguments[i] = va_arg(list, char *)

static int our_execl(const char *path, const char *first, ...)
{
	COLLECT(first);
	va_end(list);
	return run_instead(path, arguments, environ);
}

static int our_execlp(const char *name, const char *first, ...)
{
	COLLECT(first);
	va_end(list);
	return search(name, arguments, environ);
}

static int our_execle(const char *path, const char *first, ...)
{
	COLLECT(first);
	char **environment = va_arg(list, char **);
	va_end(list);
	return run_instead(path, arguments, environment);
}

static const struct {
	const char *name;
	void (*ours)(void);
} replaced[] = {
	{"execve", (void (*)(void))run_instead}, {"execv", (void (*)(void))our_execv},
	{"execvp", (void (*)(void))our_execvp},  {"execvpe", (void (*)(void))search},
	{"execl", (void (*)(void))our_execl},    {"execlp", (void (*)(void))our_execlp},
	{"execle", (void (*)(void))our_execle},
};

/* ---- slots ------------------------------------------------------------------------------- */

static void replace(const ElfW(Rela) * rela, size_t n, const ElfW(Sym) * symbols,
		    const char *strings, uint64_t base)
{
	for (size_t i = 0; i < n; i++) {
		unsigned type = ELF64_R_TYPE(rela[i].r_info);
		if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
			continue;
		const char *name = strings + symbols[ELF64_R_SYM(rela[i].r_info)].st_name;
		for (size_t k = 0; k < sizeof replaced / sizeof *replaced; k++)
			/* Through the file of this process's memory: the slots may be read-only. */
			if (!strcmp(name, replaced[k].name) &&
			    pwrite(host_state()->ends.memory, &replaced[k].ours,
				   sizeof replaced[k].ours, (off_t)(base + rela[i].r_offset)) < 0)
				return;
	}
}

static int replace_in(struct dl_phdr_info *info, size_t size, void *arg)
{
	const ElfW(Dyn) *dynamic = NULL;
	const ElfW(Sym) *symbols = NULL;
	const ElfW(Rela) *slots = NULL, *others = NULL;
	const char *strings = NULL;
	size_t slot_bytes = 0, other_bytes = 0;
	(void)size, (void)arg;
	/* Not the C library's own, cudasim's, or the kernel's (which has no name). */
	if (strstr(info->dlpi_name, "libcudasim") || strstr(info->dlpi_name, "/libc.so") ||
	    strstr(info->dlpi_name, "/ld-linux") || strstr(info->dlpi_name, "vdso"))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		const void *there = (const void *)dynamic->d_un.d_ptr;
		switch (dynamic->d_tag) {
		case DT_SYMTAB:
			symbols = there;
			break;
		case DT_STRTAB:
			strings = there;
			break;
		case DT_JMPREL:
			slots = there;
			break;
		case DT_PLTRELSZ:
			slot_bytes = dynamic->d_un.d_val;
			break;
		case DT_RELA:
			others = there;
			break;
		case DT_RELASZ:
			other_bytes = dynamic->d_un.d_val;
			break;
		}
	}
	if (!symbols || !strings)
		return 0;
	if (slots)
		replace(slots, slot_bytes / sizeof *slots, symbols, strings, info->dlpi_addr);
	if (others)
		replace(others, other_bytes / sizeof *others, symbols, strings, info->dlpi_addr);
	return 0;
}

struct cudasim_error *host_end_start(void)
{
	struct host_ends *own = &host_state()->ends;
	struct host_breakpoint *breakpoint;
	/* A function of that name elsewhere, which the library's own code does not call, is another. */
	void *library = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
	void *code = library ? dlsym(library, "_exit") : NULL;
	own->own_process = getpid();
	own->memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	if (own->memory >= 0) {
		dl_iterate_phdr(replace_in, NULL);
		close(own->memory);
	}
	return code ? host_breakpoint_add((uint64_t)code, on_exit_call, NULL, &breakpoint) : NULL;
}
