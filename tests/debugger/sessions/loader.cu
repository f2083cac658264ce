// Opens liblate.so, for pending breakpoints.
#include <cstdio>
#include <dlfcn.h>
int main() {
  void *h = dlopen("./liblate.so", RTLD_NOW);
  if (!h) { puts(dlerror()); return 1; }
  void (*go)(int) = (void (*)(int))dlsym(h, "go_late");
  go(5);
}
