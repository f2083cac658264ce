/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills: linear, 2D, 3D, pitched, peer-less, of every direction; what is
 * refused; pointer attributes. */
#include "case.cuh"

__global__ void sum_rows(int *out, const char *base, size_t pitch, int width, int height)
{
	for (int y = 0; y < height; y++) {
		out[y] = 0;
		for (int x = 0; x < width; x++)
			out[y] += (unsigned char)base[y * pitch + x] * (x + 1);
	}
}

__global__ void double_it(int *p, int n)
{
	if (threadIdx.x < n)
		p[threadIdx.x] *= 2;
}

static const char *name(cudaError_t e)
{
	cudaGetLastError();
	return cudaGetErrorName(e);
}

int main()
{
	unsigned char host[12 * 20], back[12 * 20] = {};
	for (int i = 0; i < 240; i++)
		host[i] = i;

	char *pitched;
	size_t pitch;
	CHECK(cudaMallocPitch(&pitched, &pitch, 20, 12));
	say("pitch of 20 bytes", "%zu", pitch);
	CHECK(cudaMemset2D(pitched, pitch, 0xee, 20, 12));
	CHECK(cudaMemcpy2D(pitched, pitch, host, 20, 20, 12, cudaMemcpyHostToDevice));
	run("rows", 12, 1, 1, sum_rows, (const char *)pitched, pitch, 20, 12);
	CHECK(cudaMemset2D(pitched + pitch + 2, pitch, 7, 5, 3));
	CHECK(cudaMemcpy2D(back, 20, pitched, pitch, 20, 12, cudaMemcpyDeviceToHost));
	show("after a 2D fill", back + 20, 60);
	char *other;
	CHECK(cudaMalloc(&other, 240));
	CHECK(cudaMemcpy2D(other, 10, pitched + 3, pitch, 10, 12, cudaMemcpyDeviceToDevice));
	CHECK(cudaMemcpy(back, other, 120, cudaMemcpyDefault));
	show("2D, device to device", back, 60);
	CHECK(cudaMemcpy2DAsync(back, 16, host + 5, 20, 6, 4, cudaMemcpyHostToHost, 0));
	CHECK(cudaDeviceSynchronize());
	show("2D, host to host", back, 60);

	/* 3D: a box out of a larger one. */
	cudaPitchedPtr cube;
	CHECK(cudaMalloc3D(&cube, make_cudaExtent(8, 5, 6)));
	say("cube", "pitch %zu, xsize %zu, ysize %zu", cube.pitch, cube.xsize, cube.ysize);
	CHECK(cudaMemset3D(cube, 0x11, make_cudaExtent(8, 5, 6)));
	cudaMemcpy3DParms p = {};
	p.srcPtr = make_cudaPitchedPtr(host, 8, 8, 5);
	p.dstPtr = cube;
	p.srcPos = make_cudaPos(1, 1, 1);
	p.dstPos = make_cudaPos(2, 0, 3);
	p.extent = make_cudaExtent(4, 3, 2);
	p.kind = cudaMemcpyHostToDevice;
	CHECK(cudaMemcpy3D(&p));
	memset(back, 0, sizeof back);
	cudaMemcpy3DParms q = {};
	q.srcPtr = cube;
	q.dstPtr = make_cudaPitchedPtr(back, 8, 8, 5);
	q.extent = make_cudaExtent(8, 5, 6);
	q.kind = cudaMemcpyDeviceToHost;
	CHECK(cudaMemcpy3D(&q));
	show("cube, slices 3", back + 3 * 40, 40);
	show("cube, slices 4", back + 4 * 40, 40);
	say("cube, all", "%016llx", (unsigned long long)hash_of(back, 240));

	/* Offsets, odd sizes, zero bytes. */
	CHECK(cudaMemset(other, 0, 240));
	CHECK(cudaMemcpy(other + 7, host + 3, 13, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(other + 30, other + 8, 9, cudaMemcpyDeviceToDevice));
	CHECK(cudaMemset(other + 41, 0xab, 3));
	CHECK(cudaMemcpy(back, other, 60, cudaMemcpyDeviceToHost));
	show("odd offsets", back, 60);
	say("zero bytes", "%s", name(cudaMemcpy(other, host, 0, cudaMemcpyHostToDevice)));

	/* Pinned, mapped, registered, managed. */
	int *mapped, *there;
	CHECK(cudaHostAlloc(&mapped, 64, cudaHostAllocMapped | cudaHostAllocPortable));
	for (int i = 0; i < 16; i++)
		mapped[i] = i;
	CHECK(cudaHostGetDevicePointer(&there, mapped, 0));
	double_it<<<1, 32>>>(there, 16);
	CHECK(cudaDeviceSynchronize());
	show("mapped", mapped, 16);
	unsigned flags;
	CHECK(cudaHostGetFlags(&flags, mapped));
	say("mapped, flags", "%u", flags);
	static int plain[16] __attribute__((aligned(4096)));
	for (int i = 0; i < 16; i++)
		plain[i] = 3 * i;
	CHECK(cudaHostRegister(plain, sizeof plain, cudaHostRegisterMapped));
	CHECK(cudaHostGetDevicePointer(&there, plain, 0));
	double_it<<<1, 32>>>(there, 16);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaHostUnregister(plain));
	show("registered", plain, 16);
	int *managed;
	CHECK(cudaMallocManaged(&managed, 64));
	for (int i = 0; i < 16; i++)
		managed[i] = 5 * i;
	double_it<<<1, 32>>>(managed, 16);
	CHECK(cudaDeviceSynchronize());
	show("managed", managed, 16);

	cudaPointerAttributes a;
	CHECK(cudaPointerGetAttributes(&a, mapped));
	say("attributes, mapped", "%d, device %d, %d %d", a.type, a.device, a.devicePointer != nullptr, a.hostPointer == mapped);
	CHECK(cudaPointerGetAttributes(&a, managed));
	say("attributes, managed", "%d, %d %d", a.type, a.devicePointer == managed, a.hostPointer == managed);
	CHECK(cudaPointerGetAttributes(&a, other + 17));
	say("attributes, device", "%d, device %d, %d %d", a.type, a.device, a.devicePointer == other + 17, a.hostPointer == nullptr);
	int local;
	const char *result = name(cudaPointerGetAttributes(&a, &local));
	say("attributes, host", "%s %d", result, a.type);

	/* Refused. */
	say("device pointer for host", "%s", name(cudaMemcpy(other, pitched, 4, (cudaMemcpyKind)9)));
	say("null source", "%s", name(cudaMemcpy(other, nullptr, 4, cudaMemcpyHostToDevice)));
	say("width beyond pitch", "%s", name(cudaMemcpy2D(other, 8, host, 8, 16, 2, cudaMemcpyHostToDevice)));
	say("beyond an allocation", "%s", name(cudaMemcpy(other, host, (size_t)1 << 40, cudaMemcpyHostToDevice)));
	say("free of a host pointer", "%s", name(cudaFree(&local)));
	say("free in the middle", "%s", name(cudaFree(other + 4)));
	say("free of nothing", "%s", name(cudaFree(nullptr)));
	say("free of a pinned pointer's neighbour", "%s", name(cudaFreeHost(&local)));
	void *v;
	say("too much memory", "%s", name(cudaMalloc(&v, (size_t)1 << 45)));
	v = &local;
	result = name(cudaMalloc(&v, 0));
	say("no bytes", "%s %d", result, v == nullptr);
	say("freed", "%s", name(cudaFree(other)));
	say("freed again", "%s", name(cudaFree(other)));
	size_t available, total;
	CHECK(cudaMemGetInfo(&available, &total));
	say("memory", "%d", available <= total && available > 0);
	CHECK(cudaFree(pitched));
	CHECK(cudaFree(cube.ptr));
	CHECK(cudaFreeHost(mapped));
	CHECK(cudaFree(managed));
	return 0;
}
