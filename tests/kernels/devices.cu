/* SPDX-License-Identifier: Apache-2.0 */
/* Two devices: each has its own variables, streams and last launch; copies between
 * them; what is refused.
 *
 * Environment: CUDASIM_DEVICES=2 */
#include "case.cuh"

__device__ int counter = 10;
__constant__ int factor = 3;

__global__ void work(int *out, int value)
{
	out[threadIdx.x] = value + threadIdx.x * factor;
	if (threadIdx.x == 0)
		atomicAdd(&counter, value);
}

static const char *name(cudaError_t e)
{
	cudaGetLastError();
	return cudaGetErrorName(e);
}

int main()
{
	int n, current;
	CHECK(cudaGetDeviceCount(&n));
	say("devices", "%d", n);
	int *there[2];
	cudaStream_t stream[2];
	cudaEvent_t event[2];
	for (int d = 0; d < 2; d++) {
		CHECK(cudaSetDevice(d));
		CHECK(cudaMalloc(&there[d], 8 * sizeof(int)));
		CHECK(cudaStreamCreate(&stream[d]));
		CHECK(cudaEventCreate(&event[d]));
	}
	CHECK(cudaGetDevice(&current));
	say("current", "%d", current);
	int seven = 7;
	CHECK(cudaMemcpyToSymbol(factor, &seven, sizeof seven));
	for (int d = 0; d < 2; d++) {
		CHECK(cudaSetDevice(d));
		work<<<1, 8, 0, stream[d]>>>(there[d], 100 * (d + 1));
		CHECK(cudaEventRecord(event[d], stream[d]));
	}
	for (int d = 0; d < 2; d++) {
		CHECK(cudaSetDevice(d));
		CHECK(cudaDeviceSynchronize());
		int count, host[8];
		CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
		CHECK(cudaMemcpy(host, there[d], sizeof host, cudaMemcpyDeviceToHost));
		char text[32];
		snprintf(text, sizeof text, "values of device %d", d);
		show(text, host, 8);
		snprintf(text, sizeof text, "counter of device %d", d);
		say(text, "%d", count);
	}

	CHECK(cudaSetDevice(0));
	cudaPointerAttributes a;
	CHECK(cudaPointerGetAttributes(&a, there[1]));
	say("pointer's device", "%d", a.device);
	CHECK(cudaMemcpyPeer(there[0], 0, there[1], 1, 4 * sizeof(int)));
	int host[8];
	CHECK(cudaMemcpy(host, there[0], sizeof host, cudaMemcpyDefault));
	show("copied from device 1", host, 8);
	CHECK(cudaMemcpy(there[0] + 4, there[1], 4 * sizeof(int), cudaMemcpyDefault));
	CHECK(cudaMemcpyPeerAsync(there[1], 1, there[0], 0, 8 * sizeof(int), stream[0]));
	CHECK(cudaStreamSynchronize(stream[0]));
	CHECK(cudaMemcpy(host, there[1], sizeof host, cudaMemcpyDefault));
	show("and back", host, 8);

	/* An event of one device stops a stream of the other. */
	CHECK(cudaStreamWaitEvent(stream[0], event[1], 0));
	work<<<1, 8, 0, stream[0]>>>(there[0], 5);
	say("wait for the other's event", "%s", name(cudaStreamSynchronize(stream[0])));
	work<<<1, 8, 0, stream[1]>>>(there[1], 5);
	say("launch into the other's stream", "%s", name(cudaGetLastError()));
	say("and its end", "%s", name(cudaStreamSynchronize(stream[1])));
	CHECK(cudaMemcpy(host, there[1], sizeof host, cudaMemcpyDefault));
	show("its values", host, 8);
	say("record in the other's stream", "%s", name(cudaEventRecord(event[0], stream[1])));
	int can;
	CHECK(cudaDeviceCanAccessPeer(&can, 0, 0));
	say("peer of itself", "%d", can);
	CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
	if (can) {
		say("enable peer access", "%s", name(cudaDeviceEnablePeerAccess(1, 0)));
		say("enable it again", "%s", name(cudaDeviceEnablePeerAccess(1, 0)));
		work<<<1, 8>>>(there[1], 1000);
		CHECK(cudaDeviceSynchronize());
		CHECK(cudaMemcpy(host, there[1], sizeof host, cudaMemcpyDefault));
		show("written by the other", host, 8);
		say("disable peer access", "%s", name(cudaDeviceDisablePeerAccess(1)));
	}
	say("device 2", "%s", name(cudaSetDevice(2)));
	say("device -1", "%s", name(cudaSetDevice(-1)));
	CHECK(cudaGetDevice(&current));
	say("current, after errors", "%d", current);
	for (int d = 0; d < 2; d++) {
		CHECK(cudaSetDevice(d));
		CHECK(cudaFree(there[d]));
		CHECK(cudaStreamDestroy(stream[d]));
		CHECK(cudaEventDestroy(event[d]));
	}
	return 0;
}
