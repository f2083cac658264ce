/* SPDX-License-Identifier: Apache-2.0 */
/* Launches a kernel of each of two libraries it is linked with. */
#include <cstdio>

void red(int *out);
void blue(int *out);

int main()
{
	int *out, host[8];
	cudaMalloc(&out, sizeof host);
	red(out);
	blue(out + 4);
	cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
	printf("%d %d\n", host[3], host[7]);
	return 0;
}
