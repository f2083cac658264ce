/* SPDX-License-Identifier: Apache-2.0 */
/* misaligned_parts.cu - misaligned accesses of which only a part is wanted, or several are one.
 * Each line: the case, the offset in bytes of the address from one that is aligned
 * for everything, and what cudaDeviceSynchronize() answers. As an H200 answers code
 * of nvcc -O3. Each case is a process of its own, since 716 stays.
 * Watched bodies, and nvcc -G, access what the source says.
 *
 * Environment: CUDASIM_BODY=auto */
#include <cuda_fp16.h>
#include <sys/wait.h>
#include <unistd.h>

#include "case.cuh"

/* g: aligned memory; o: other memory, of zeros. */
#define K(name, ...) \
	__global__ void k_##name(char *g, int off, int *o) { __VA_ARGS__ }
K(ldv4x, float4 v = *(float4 *)(g + off); *o = v.x;)
K(ldv4y, float4 v = *(float4 *)(g + off); *o = v.y;)
K(ldv4xy, float4 v = *(float4 *)(g + off); *o = v.x + v.y;)
K(ldv4yw, float4 v = *(float4 *)(g + off); *o = v.y + v.w;)
K(ldv4if, float4 v = *(float4 *)(g + off); float s = v.x; if (*o) s += v.y + v.z * v.w; *o = s;)
K(fields4, float4 *p = (float4 *)(g + off); *o = p->x + p->y * p->z - p->w;)
K(fields2, float4 *p = (float4 *)(g + off); *o = p->x + p->y;)
K(fieldx, float4 *p = (float4 *)(g + off); *o = p->x;)
K(fieldsif, float4 *p = (float4 *)(g + off); float s = p->x; if (*o) s += p->y; *o = s;)
K(stfields4, float4 *p = (float4 *)(g + off); p->x = 1; p->y = *o; p->z = 3; p->w = 4;)
K(stfieldx, float4 *p = (float4 *)(g + off); p->x = 1;)
K(ldv2y, float2 v = *(float2 *)(g + off); *o = v.y;)
K(unused, int v = *(int *)(g + off); (void)v;)

static const struct {
	const char *name;
	void (*f)(char *, int, int *);
	int off;
} rows[] = {
#define R(name, off) {#name, k_##name, off},
	R(ldv4x, 4) R(ldv4x, 2) R(ldv4y, 4) R(ldv4xy, 8) R(ldv4xy, 4) R(ldv4yw, 8) R(ldv4if, 4)
	R(ldv4if, 8) R(fields4, 8) R(fields4, 4) R(fields2, 8) R(fields2, 4) R(fieldx, 4)
	R(fieldx, 2) R(fieldsif, 4) R(stfields4, 8) R(stfields4, 4) R(stfieldx, 4) R(ldv2y, 4)
	R(unused, 1)
#undef R
};

static void run(char *g, int *o, int k)
{
	rows[k].f<<<1, 32>>>(g, rows[k].off, o);
	CHECK(cudaGetLastError());
	printf("%s %d: %d\n", rows[k].name, rows[k].off, (int)cudaDeviceSynchronize());
}

int main()
{
	for (int k = 0; k < (int)(sizeof rows / sizeof *rows); k++) {
		fflush(stdout);
		if (pid_t child = fork()) {
			int status;
			waitpid(child, &status, 0);
			if (!WIFEXITED(status) || WEXITSTATUS(status))
				printf("case %d ended by itself\n", k);
			continue;
		}
		char *g;
		int *o;
		CHECK(cudaMalloc(&g, 4096));
		CHECK(cudaMalloc(&o, 4096));
		CHECK(cudaMemset(g, 0, 4096));
		CHECK(cudaMemset(o, 0, 4096));
		CHECK(cudaDeviceSynchronize());
		run(g, o, k);
		fflush(stdout);
		_exit(0);
	}
	return 0;
}
