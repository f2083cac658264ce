/* SPDX-License-Identifier: Apache-2.0 */
/* Programs whose report tests/checkers/sarif reads as SARIF; the lines it wants are marked. */
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void beyond(int *p)
{
	p[threadIdx.x] = 1; /* HERE beyond */
}

__global__ void race(int *p)
{
	__shared__ int s;
	s = threadIdx.x; /* HERE race */
	__syncthreads();
	if (threadIdx.x == 1)
		s = 7; /* HERE first */
	p[threadIdx.x] = s; /* HERE second */
}

static int *memory;

static void launch_beyond()
{
	cudaMalloc(&memory, 31 * sizeof(int));
	beyond<<<1, 32>>>(memory); /* HERE launch */
	cudaDeviceSynchronize();
	cudaFree(memory);
}

static void too_far()
{
	cudaMemset(memory, 0, 17); /* HERE call */
}

static int start(const char *program, const char *how)
{
	int status = 0;
	pid_t child = fork();
	if (!child) {
		execl(program, program, how, nullptr);
		_exit(127);
	}
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

int main(int, char **argv)
{
	const char *how = argv[1];
	if (!strcmp(how, "nothing")) {
		cudaDeviceSynchronize();
		return 0;
	}
	if (!strcmp(how, "race")) {
		cudaMalloc(&memory, 32 * sizeof(int));
		race<<<1, 32>>>(memory);
		cudaDeviceSynchronize();
		cudaFree(memory);
		return 0;
	}
	if (!strcmp(how, "call")) {
		cudaMalloc(&memory, 16);
		too_far();
		cudaFree(memory);
		return 0;
	}
	if (!strcmp(how, "calls")) { /* two findings with one place */
		cudaMalloc(&memory, 16);
		too_far();
		too_far();
		cudaFree(memory);
		return 0;
	}
	launch_beyond();
	if (!strcmp(how, "abort"))
		raise(SIGABRT);
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "start"))
		return start(argv[0], "race");
	if (!strcmp(how, "notes")) {
		cudaStream_t left;
		cudaStreamCreate(&left);
	}
	return 0;
}
