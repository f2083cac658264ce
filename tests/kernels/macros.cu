/* SPDX-License-Identifier: Apache-2.0 */
/* Macros of the command line with names that headers of a simulator could want for themselves;
 * nvcc 13 takes all of them.
 *
 * Flags: -DNAME=1 -DLAYER=2 -DLEVEL=3 -DD1=4 -DLOD=5 -DCUBE=6 -DXY=7 -DRESIDENT=8 -Dhash=9 -Dhandler=10 -Dhow=11 -DSCOPE=12 -Dfetch=13 */
#include <cstdio>

__global__ void sum()
{
	const int values[] = {NAME, LAYER, LEVEL, D1, LOD, CUBE, XY, RESIDENT,
			      hash, handler, how, SCOPE, fetch};
	int all = 0;
	for (int v : values)
		all += v;
	printf("macros: %d %d\n", (int)(sizeof values / sizeof *values), all);
}

int main()
{
	sum<<<1, 1>>>();
	return cudaDeviceSynchronize();
}
