/* SPDX-License-Identifier: Apache-2.0 */
/* No program of cudasim's: it opens a library that has kernels, as python's ctypes does. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
	puts("opener");
	fflush(stdout);
	void *library = dlopen("./libopened.so", RTLD_NOW);
	int (*doubled)(int) = library ? (int (*)(int))dlsym(library, "doubled") : NULL;
	if (!doubled) {
		puts(dlerror());
		return 1;
	}
	printf("%d\n", doubled(5));
	return 0;
}
