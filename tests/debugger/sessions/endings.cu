// Ways in which a program ends, by its first argument.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <csignal>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
__global__ void mark(int *p) { *p = 1; }
static void *leave(void *) {
  exit(5);
}
static void *finish(void *) {
  _exit(6);
}
static void in_thread(void *(*f)(void *)) {
  pthread_t thread;
  pthread_create(&thread, nullptr, f, nullptr);
  pthread_join(thread, nullptr);
}
static void fork_one() {
  pid_t child = fork();
  if (!child) {
    _exit(7);
  }
  int status;
  waitpid(child, &status, 0);
  printf("child %d\n", WEXITSTATUS(status));
}
static int *nowhere;
static void crash() {
  *nowhere = 1;
}
int main(int argc, char **argv) {
  const char *how = argc > 1 ? argv[1] : "return";
  if (!strcmp(how, "exit")) exit(3);
  if (!strcmp(how, "_exit")) _exit(4);
  if (!strcmp(how, "quick_exit")) quick_exit(9);
  if (!strcmp(how, "_Exit")) _Exit(10);
  if (!strcmp(how, "thread")) in_thread(leave);
  if (!strcmp(how, "thread_exit")) in_thread(finish);
  if (!strcmp(how, "abort")) abort();
  if (!strcmp(how, "crash")) crash();
  if (!strcmp(how, "divide")) return argc / (argc - 2);
  if (!strcmp(how, "term")) raise(SIGTERM);
  if (!strcmp(how, "usr1")) raise(SIGUSR1);
  if (!strcmp(how, "fork")) fork_one();
  if (!strcmp(how, "exec")) execl(argv[0], argv[0], "_exit", nullptr);
  if (!strcmp(how, "again")) execl(argv[0], argv[0], "exec", nullptr);
  if (!strcmp(how, "true")) execl("/bin/sh", "sh", "-c", "echo from the shell; exit 11", nullptr);
  int *p;
  cudaMallocManaged(&p, 4);
  mark<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  return *p;
}
