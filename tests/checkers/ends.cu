/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that end, or go wrong, in odd places, each with one finding before: tests/checkers/ends
 * says what the report and the exit status have to be. */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime.h>
#include <cudasim/check.h>
#include <cudasim/observer.h>

__global__ void put(int *a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		a[i & 1023] = i;
}

/* Its stack is full somewhere, also in the midst of a checker's work on *p. */
__device__ int endless(int n, volatile int *p)
{
	volatile int local[8];
	local[n & 7] = p[n & 7];
	return endless(n + 1, p) + local[n & 3];
}
__global__ void deep(int *p)
{
	*p = endless(0, p);
}

static int *memory;
static void one_finding()
{
	cudaMalloc(&memory, 1023 * sizeof(int));
	put<<<1, 1024>>>(memory, 1024);
	cudaDeviceSynchronize();
	cudaFree(memory);
}

static void leave(cudaStream_t, cudaError_t, void *)
{
	exit(7);
}

static void *run_and_die(void *)
{
	one_finding();
	pthread_exit(nullptr);
}

int main(int, char **argv)
{
	const char *how = argv[1];
	if (!strcmp(how, "thread")) {
		pthread_t t;
		pthread_create(&t, nullptr, run_and_die, nullptr);
		pthread_join(t, nullptr);
		return 3;
	}
	if (!strcmp(how, "flood")) { /* a million threads */
		cudaMalloc(&memory, sizeof(int));
		put<<<1024, 1024>>>(memory, 1 << 20);
		cudaDeviceSynchronize();
		cudaFree(memory);
		return 0;
	}
	if (!strcmp(how, "deep")) {
		cudaMalloc(&memory, 256);
		cudaMemset(memory, 0, 256);
		deep<<<1, 1>>>(memory);
		cudaError_t error = cudaDeviceSynchronize();
		cudaDeviceReset(); /* what checkers remember of the memory is looked at again */
		return error == cudaErrorIllegalAddress ? 0 : 1;
	}
	one_finding();
	if (!strcmp(how, "return"))
		return 5;
	if (!strcmp(how, "tools")) { /* beside all checkers */
		static struct cudasim_observer mine[20];
		static char names[20][2];
		for (int i = 0; i < 20; i++) {
			names[i][0] = (char)('a' + i);
			mine[i].version = CUDASIM_OBSERVER_VERSION;
			mine[i].name = names[i];
			if (cudasim_observer_add(&mine[i]))
				return 1;
		}
		return 0;
	}
	if (!strcmp(how, "counts"))
		return cudasim_check_findings() == 1 && cudasim_check_launch_findings() == 1 ? 0 : 1;
	if (!strcmp(how, "quick_exit"))
		quick_exit(4);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "segv"))
		*(volatile int *)8 = 1;
	if (!strcmp(how, "terminate"))
		raise(SIGTERM);
	if (!strcmp(how, "callback")) {
		cudaStreamAddCallback(0, leave, nullptr, 0);
		cudaDeviceSynchronize();
		pause();
	}
	if (!strcmp(how, "smash")) {
		char *p = (char *)malloc(40);
		memset(p, 0x41, 4096);
		for (int i = 0; i < 64; i++)
			free(malloc(40 * i + 8));
		free(p);
	}
	if (!strcmp(how, "closed")) {
		fclose(stderr);
		close(2);
		return 0;
	}
	if (!strcmp(how, "fork")) {
		pid_t child = fork();
		if (!child)
			exit(9);
		int status;
		waitpid(child, &status, 0);
		return WEXITSTATUS(status);
	}
	return 1;
}
