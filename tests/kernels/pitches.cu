/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and sets of two and three dimensions with each size and pitch around their limits. A line
 * has an error for each pair of pitches, and a hash of what the destination holds behind them. The
 * answers are an H200's.
 *
 * Flags: -std=c++17 -lcuda
 * Schedules: free */
#include "apart.cuh"
#include "driver.cuh"

static const size_t pitches[] = {0, 1, 15, 16, 17, 64, 0x7fffffff, 0x80000000u, (size_t)1 << 40};
static const size_t widths[] = {0, 1, 16, 17, 64};
static const size_t heights[] = {0, 1, 2, 3};
enum { ROOM = 4096 };
static unsigned char *device[2], *host[2], pageable[2][ROOM];
static cudaStream_t stream;

static const struct {
	const char *name;
	cudaMemcpyKind kind;
	bool to_device, from_device;
} kinds[] = {
	{"host to host", cudaMemcpyHostToHost, false, false},
	{"host to device", cudaMemcpyHostToDevice, true, false},
	{"device to host", cudaMemcpyDeviceToHost, false, true},
	{"device to device", cudaMemcpyDeviceToDevice, true, true},
	{"default to device", cudaMemcpyDefault, true, false},
	{"default in the host", cudaMemcpyDefault, false, false},
};

static void start()
{
	for (int i = 0; i < 2; i++) {
		cudaMalloc(&device[i], ROOM);
		cudaMallocHost(&host[i], ROOM);
	}
	cudaStreamCreate(&stream);
}

static void fill()
{
	for (int i = 0; i < ROOM; i++) {
		host[1][i] = (unsigned char)(i * 7 + i / 256);
		host[0][i] = 0xee;
		pageable[0][i] = 0xee;
	}
	memcpy(pageable[1], host[1], ROOM);
	cudaMemset(device[0], 0xee, ROOM);
	cudaMemcpy(device[1], host[1], ROOM, cudaMemcpyHostToDevice);
}

static uint64_t left(bool in_device)
{
	static unsigned char seen[ROOM];
	cudaDeviceSynchronize();
	if (in_device)
		cudaMemcpy(seen, device[0], ROOM, cudaMemcpyDeviceToHost);
	return hash_of(in_device ? seen : host[0], ROOM) * 31 + hash_of(pageable[0], ROOM);
}

/* Would the rows lie in ROOM bytes? */
static bool fits(size_t pitch, size_t width, size_t height)
{
	return height < 2 ? width <= ROOM : pitch < ROOM && pitch * (height - 1) + width <= ROOM;
}

/* How: 0 at once, 1 in a stream, 2 the driver's, 3 in a stream from pageable memory, 4 with three
 * dimensions. */
static cudaError_t copy(int how, int kind, size_t to_pitch, size_t from_pitch, size_t width, size_t height)
{
	void *to = kinds[kind].to_device ? device[0] : how == 3 ? pageable[0] : host[0];
	void *from = kinds[kind].from_device ? device[1] : how == 3 ? pageable[1] : host[1];
	cudaMemcpyKind k = kinds[kind].kind;
	if (how == 0)
		return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, k);
	if (how == 1 || how == 3)
		return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, k, stream);
	if (how == 2) {
		CUDA_MEMCPY2D p = {};
		p.srcMemoryType = p.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
		p.srcDevice = (CUdeviceptr)from;
		p.dstDevice = (CUdeviceptr)to;
		p.srcPitch = from_pitch;
		p.dstPitch = to_pitch;
		p.WidthInBytes = width;
		p.Height = height;
		return (cudaError_t)cuMemcpy2D(&p);
	}
	cudaMemcpy3DParms p = {};
	p.srcPtr = make_cudaPitchedPtr(from, from_pitch, 64, 3);
	p.dstPtr = make_cudaPitchedPtr(to, to_pitch, 64, 3);
	p.extent = make_cudaExtent(width, height, how == 4 ? 1 : 2);
	p.kind = k;
	return cudaMemcpy3D(&p);
}

static void copies(int how)
{
	static const char *const hows[] = {"2D", "2D async", "driver 2D", "2D async pageable", "3D", "3D of two"};
	for (int kind = 0; kind < 6; kind++)
		for (size_t width : widths)
			for (size_t height : heights) {
				char name[128], text[1024];
				int n = 0;
				uint64_t hash = 0;
				snprintf(name, sizeof name, "%s %s %zu x %zu", hows[how], kinds[kind].name, width, height);
				fill();
				for (size_t to : pitches) {
					for (size_t from : pitches) {
						if (how != 5 && (!fits(to, width, height) || !fits(from, width, height)))
							if (!((to > 0x7fffffff || from > 0x7fffffff) && height < 2)) {
								n += snprintf(text + n, sizeof text - n, "-");
								continue;
							}
						if (how == 5 && (to > 64 || from > 64 || to * 5 + width > ROOM)) {
							n += snprintf(text + n, sizeof text - n, "-");
							continue;
						}
						n += snprintf(text + n, sizeof text - n, "%x", copy(how, kind, to, from, width, height));
					}
					n += snprintf(text + n, sizeof text - n, " ");
				}
				hash = left(kinds[kind].to_device);
				say(name, "%s%016llx, last %d", text, (unsigned long long)hash, cudaGetLastError());
			}
}

static void sets()
{
	for (int how = 0; how < 4; how++)
		for (size_t width : widths)
			for (size_t height : heights) {
				char name[128], text[512];
				int n = 0;
				static const char *const hows[] = {"set 2D", "set 2D async", "driver sets 2D", "set 3D"};
				snprintf(name, sizeof name, "%s %zu x %zu", hows[how], width, height);
				fill();
				for (size_t pitch : pitches) {
					if (!fits(pitch, width, height) || (how == 3 && pitch > 64)) {
						n += snprintf(text + n, sizeof text - n, "-");
						continue;
					}
					int error = how == 0 ? (int)cudaMemset2D(device[0], pitch, (int)pitch, width, height)
						  : how == 1 ? (int)cudaMemset2DAsync(device[0], pitch, (int)pitch, width, height, stream)
						  : how == 2 ? (int)cuMemsetD2D8((CUdeviceptr)device[0], pitch, (unsigned char)pitch, width, height)
						  : (int)cudaMemset3D(make_cudaPitchedPtr(device[0], pitch, 64, 3), (int)pitch, make_cudaExtent(width, height, 2));
					n += snprintf(text + n, sizeof text - n, "%x", error);
					cudaDeviceSynchronize();
				}
				say(name, "%s %016llx, last %d", text, (unsigned long long)left(true), cudaGetLastError());
			}
	/* Words of two and four bytes. */
	for (int bytes = 2; bytes <= 4; bytes += 2)
		for (size_t pitch : {0, 1, 2, 3, 4, 6, 7, 8, 12, 14, 16})
			for (size_t at : {0, 1, 2, 4}) {
				char name[128];
				snprintf(name, sizeof name, "words of %d, pitch %zu, at %zu", bytes, pitch, at);
				int list[3], i = 0;
				for (size_t height : {0, 1, 2}) {
					CUdeviceptr p = (CUdeviceptr)device[0] + at;
					list[i++] = bytes == 2 ? (int)cuMemsetD2D16(p, pitch, 7, 3, height) : (int)cuMemsetD2D32(p, pitch, 7, 3, height);
				}
				say(name, "%d %d %d", list[0], list[1], list[2]);
			}
}

/* Null pointers and the kinds that there are not. */
static void wrong()
{
	for (size_t width : {0, 1, 16})
		for (size_t height : {0, 1}) {
			char name[64];
			snprintf(name, sizeof name, "wrong %zu x %zu", width, height);
			say(name, "%d %d %d %d %d", cudaMemcpy2D(NULL, 16, device[1], 16, width, height, cudaMemcpyDeviceToDevice),
			    cudaMemcpy2D(device[0], 16, NULL, 16, width, height, cudaMemcpyDeviceToDevice),
			    cudaMemcpy2D(device[0], 16, device[1], 16, width, height, (cudaMemcpyKind)5),
			    cudaMemcpy2D(device[0], 16, device[1], 16, width, height, (cudaMemcpyKind)-1),
			    cudaMemset2D(NULL, 16, 0, width, height));
		}
	for (size_t n : {0, 1}) {
		char name[64];
		snprintf(name, sizeof name, "wrong %zu", n);
		say(name, "%d %d %d %d %d %d", cudaMemcpy(NULL, device[1], n, cudaMemcpyDeviceToDevice),
		    cudaMemcpy(device[0], NULL, n, cudaMemcpyDeviceToDevice),
		    cudaMemcpy(device[0], device[1], n, (cudaMemcpyKind)5), cudaMemset(NULL, 0, n),
		    cudaMemcpyAsync(device[0], device[1], n, (cudaMemcpyKind)-1, stream), cudaMemsetAsync(NULL, 0, n, stream));
	}
	cudaMemcpy3DParms p = {};
	ANSWER("3D of nothing", cudaMemcpy3D(&p));
	p.extent = make_cudaExtent(1, 1, 1);
	ANSWER("3D from nowhere", cudaMemcpy3D(&p));
	ANSWER("3D null", cudaMemcpy3D(NULL));
	p.srcPtr = make_cudaPitchedPtr(device[1], 64, 64, 3);
	p.dstPtr = make_cudaPitchedPtr(device[0], 64, 64, 3);
	for (int kind = -1; kind < 7; kind++) {
		p.kind = (cudaMemcpyKind)kind;
		ANSWER("3D kinds", cudaMemcpy3D(&p));
	}
	p.kind = cudaMemcpyDeviceToDevice;
	/* Rows of a slice beyond what the pitched pointer tells. */
	for (size_t ysize : {0, 1, 2, 3}) {
		p.srcPtr.ysize = ysize;
		for (size_t depth : {0, 1, 2}) {
			p.extent = make_cudaExtent(16, 2, depth);
			ANSWER("3D of fewer rows", cudaMemcpy3D(&p));
		}
	}
	p.srcPtr.ysize = 3;
	for (size_t x : {0, 1, 48, 49, 64, 65}) {
		p.srcPos = make_cudaPos(x, 0, 0);
		p.extent = make_cudaExtent(16, 1, 1);
		ANSWER("3D from x", cudaMemcpy3D(&p));
		p.srcPos = make_cudaPos(0, 0, 0);
		p.dstPos = make_cudaPos(x, 0, 0);
		ANSWER("3D to x", cudaMemcpy3D(&p));
		p.dstPos = make_cudaPos(0, 0, 0);
	}
	cudaGetLastError();
}

int main()
{
	for (int how = 0; how < 6; how++)
		apart("copies", [&] {
			start();
			copies(how);
		});
	apart("sets", [] {
		start();
		sets();
	});
	apart("wrong", [] {
		start();
		wrong();
	});
	apart_wait(0);
	return 0;
}
