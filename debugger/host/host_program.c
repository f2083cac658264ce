/* SPDX-License-Identifier: Apache-2.0 */
/* host_program.c - what an executable file is. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host.h"

bool program_is_ours(const char *path)
{
	static const char name[] = "libcudasim.so";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	off_t size = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	char *bytes = size > 0 ? mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0)
			       : MAP_FAILED;
	if (fd >= 0)
		close(fd);
	if (bytes == MAP_FAILED)
		return false;
	bool found = size > 4 && !memcmp(bytes, "\177ELF", 4) &&
		     memmem(bytes, (size_t)size, name, sizeof name - 1);
	munmap(bytes, (size_t)size);
	return found;
}
