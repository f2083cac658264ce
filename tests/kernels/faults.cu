/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel's fault leaves behind: the error of the call that notices it, of
 * the calls after it, and that the process lives on. Each case is a process of
 * its own: this program runs itself with the case's name. */
#include <cassert>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "case.cuh"

__global__ void fine(int *out)
{
	*out = 1;
}
__global__ void write_to(int *p)
{
	*p = 1;
}
__global__ void read_from(const int *p, int *out)
{
	*out = *p;
}
__global__ void trap_now(int lane)
{
	if (threadIdx.x == lane)
		__trap();
}
__global__ void assert_below(int limit)
{
	assert(threadIdx.x < limit);
}
__device__ int endless(int n, volatile int *p)
{
	int local[64];
	for (int i = 0; i < 64; i++)
		local[i] = p[i & 1] + n;
	return endless(n + 1, p) + local[n & 63];
}
__global__ void overflow(int *p)
{
	*p = endless(0, p);
}
__global__ void shared_beyond(int *out, int i)
{
	__shared__ int s[32];
	s[i] = 1;
	*out = s[0];
}
/* The fault of one block ends the launch, also for blocks that wait. */
__global__ void others_wait(volatile int *flag)
{
	if (blockIdx.x == 3)
		*(volatile int *)8 = 1;
	while (*flag == 0)
		;
}

/* The errors of the usual calls after a fault, and whether host code goes on. */
static void report()
{
	cudaError_t sync = cudaDeviceSynchronize();
	cudaError_t again = cudaDeviceSynchronize();
	cudaError_t peek = cudaPeekAtLastError();
	cudaError_t last = cudaGetLastError();
	cudaError_t after = cudaGetLastError();
	void *p;
	cudaError_t allocation = cudaMalloc(&p, 16);
	fine<<<1, 1>>>((int *)p);
	cudaError_t launch = cudaGetLastError();
	printf("sync %d, again %d, peek %d, last %d, then %d, malloc %d, launch %d", sync, again, peek, last, after,
	       allocation, launch);
	cudaError_t reset = cudaDeviceReset();
	printf(", reset %d\n", reset);
}

static void fault(const std::string &which)
{
	int *cell;
	CHECK(cudaMalloc(&cell, 64));
	if (which == "none")
		fine<<<1, 1>>>(cell);
	else if (which == "null")
		write_to<<<1, 1>>>(nullptr);
	else if (which == "low address")
		read_from<<<1, 1>>>((const int *)64, cell);
	else if (which == "far beyond")
		write_to<<<1, 1>>>(cell + ((size_t)1 << 36));
	else if (which == "host pointer")
		write_to<<<1, 1>>>((int *)0x10);
	else if (which == "trap")
		trap_now<<<2, 64>>>(40);
	else if (which == "assert")
		assert_below<<<1, 8>>>(5);
	else if (which == "endless recursion")
		overflow<<<1, 1>>>(cell);
	else if (which == "shared, far beyond")
		shared_beyond<<<1, 1>>>(cell, 1 << 24);
	else if (which == "others wait")
		others_wait<<<8, 1>>>(cell);
	report();
}

static const char *cases[] = {"none", "null", "low address", "far beyond", "host pointer", "trap", "assert",
			      "endless recursion", "shared, far beyond", "others wait"};

/* Runs this program for one case; returns what it wrote to stdout, and adds the
 * lines on stderr that a device's assert writes. */
static std::string in_a_child(const char *program, const char *which)
{
	int out[2];
	fflush(stdout);
	if (pipe(out) != 0)
		exit(1);
	pid_t child = fork();
	if (child == 0) {
		dup2(out[1], 1);
		dup2(out[1], 2);
		close(out[0]);
		close(out[1]);
		execl("/proc/self/exe", program, which, (char *)nullptr);
		_exit(127);
	}
	close(out[1]);
	std::string text;
	char buffer[4096];
	for (ssize_t n; (n = read(out[0], buffer, sizeof buffer)) > 0;)
		text.append(buffer, n);
	close(out[0]);
	int status;
	waitpid(child, &status, 0);

	std::string kept;
	for (size_t at = 0; at < text.size();) {
		size_t end = text.find('\n', at);
		if (end == std::string::npos)
			end = text.size();
		std::string line = text.substr(at, end - at);
		at = end + 1;
		if (line.rfind("sync ", 0) == 0)
			kept = line + (kept.empty() ? "" : "; ") + kept;
		size_t assertion = line.find("Assertion");
		if (assertion != std::string::npos) {
			size_t block = line.find("block:");
			kept += (kept.empty() ? "" : "; ") + line.substr(block == std::string::npos ? 0 : block);
		}
	}
	if (WIFSIGNALED(status))
		kept += "; signal " + std::to_string(WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		kept += "; exit " + std::to_string(WEXITSTATUS(status));
	return kept;
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		fault(argv[1]);
		return 0;
	}
	for (const char *which : cases)
		say(which, "%s", in_a_child(argv[0], which).c_str());
	return 0;
}
