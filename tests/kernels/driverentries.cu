/* SPDX-License-Identifier: Apache-2.0 */
/* What cuGetProcAddress() answers for every name that libcuda exports, with and without its suffix,
 * for all versions and flags: the versions from which the answer is another, and which export it is.
 * The answers are an H200's; for graphics' memory, versions of the toolkit's headers.
 *
 * Flags: -std=c++17 -lcuda
 * Schedules: free */
#include <dlfcn.h>

#include <map>
#include <set>
#include <string>

#include "apart.cuh"
#include "driver.cuh"

static const char *const exports[] = {
#define X(name) #name,
#include "../../sim/names/driver_names.def"
#undef X
};

static const int versions[] = {0, 1000, 1010, 2000, 2010, 2020, 2030, 3000, 3010, 3020, 4000, 4010, 4020, 5000, 5050, 6000, 6050, 7000,
	7050, 8000, 9000, 9010, 9020, 10000, 10010, 10020, 11000, 11010, 11020, 11030, 11040, 11050, 11060, 11070, 11080, 12000, 12010,
	12020, 12030, 12040, 12050, 12060, 12070, 12080, 12090, 13000, 13010, 14000};

static std::map<void *, std::string> names;

static bool has_suffix(const std::string &name)
{
	for (const char *suffix : {"_v2", "_v3", "_v4", "_ptsz", "_ptds"})
		if (name.size() > strlen(suffix) && !name.compare(name.size() - strlen(suffix), strlen(suffix), suffix))
			return true;
	return false;
}

/* The versions from which the answer is another: "2000:cuX 3020:cuX_v2"; what comes before the first
 * and behind the last is the same for all, 0 with the status 2 and CUDA_ERROR_INVALID_VALUE. */
static std::string answers(const std::string &name, unsigned flags)
{
	std::string text, before = "0/2/null";
	for (int version : versions) {
		void *f = (void *)8;
		CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)77;
		CUresult result = cuGetProcAddress(name.c_str(), &f, version, flags, &status);
		std::string now = std::to_string(result);
		if (!result)
			now += "/" + std::to_string(status) + "/" + (!f ? "null" : names.count(f) ? names[f] : "other");
		if (now != before) {
			std::string shown = now.compare(0, 4, "0/0/") ? now == "0/1/null" ? "1/null" : now : now.substr(4);
			if (version != 13010 || now != "1")
				text += (text.empty() ? "" : " ") + std::to_string(version) + ":" + shown;
		} else if (version >= 13010 && now != "1") {
			text += " beyond " + now;
		}
		before = now;
	}
	return text;
}

static void ask(const std::string &name)
{
	std::string text = answers(name, 0), own = answers(name, 2);
	if (answers(name, 1) != text || answers(name, 3) != own)
		say(name.c_str(), "flags of both");
	if (has_suffix(name)) {
		if (text != "0:1/null" || own != text)
			say(name.c_str(), "%s, own %s", text.c_str(), own.c_str());
	} else if (own == text) {
		say(name.c_str(), "%s", text.c_str());
	} else {
		say(name.c_str(), "%s | %s", text.c_str(), own.c_str());
	}
}

int main()
{
	for (const char *name : {"cuInit", "cuNothing"})
		for (int status = 0; status < 2; status++)
			apart("null", [&] {
				void *f = (void *)8;
				CUdriverProcAddressQueryResult query = (CUdriverProcAddressQueryResult)77;
				char text[64];
				snprintf(text, sizeof text, "%s, %d 1", name, status);
				DO(cuInit(0));
				CUresult e = cuGetProcAddress(name, &f, 13000, 0, status ? &query : NULL);
				say(text, "%d, %s, %d", e, !f ? "null" : f == (void *)8 ? "untouched" : "there", query);
			});
	apart_wait(0);
	DO(cuInit(0));
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	std::set<std::string> all;
	for (const char *name : exports) {
		void *f = library ? dlsym(library, name) : NULL;
		if (f && (!names.count(f) || names[f] > name))
			names[f] = name;
		if (!f)
			say("not exported", "%s", name);
		/* Their versions are the toolkit's headers'. */
		if (strstr(name, "GL") || strstr(name, "Egl") || strstr(name, "VDPAU"))
			continue;
		all.insert(name);
	}
	for (const char *name : {"", "cu", "cuNothing", "cudaMalloc", "CUINIT", "cuinit", "cuMemAlloc_v3", "cuEGLApiInit",
	     "cuGetExportTable", "cuProfilerInitialize", "cuD3D9Begin"})
		all.insert(name);
	for (const std::string &name : all)
		ask(name);
	say("names with a suffix", "none is known");
	void *f = (void *)8;
	CUdriverProcAddressQueryResult status = (CUdriverProcAddressQueryResult)77;
	ANSWER("null status", cuGetProcAddress("cuInit", &f, 13000, 0, NULL));
	ANSWER("null status, unknown", cuGetProcAddress("cuNothing", &f, 13000, 0, NULL));
	ANSWER("null status, too old", cuGetProcAddress("cuGraphCreate", &f, 4000, 0, NULL));
	ANSWER("version minus one", cuGetProcAddress("cuInit", &f, -1, 0, &status));
	for (unsigned long long flags : {4ull, 7ull, 8ull, 1ull << 40})
		ANSWER("flags", cuGetProcAddress("cuInit", &f, 13000, flags, &status));
	cudaDriverEntryPointQueryResult query = (cudaDriverEntryPointQueryResult)77;
	for (const char *name : {"cuInit", "cuNothing", "cuGraphCreate", "cuMemAlloc", "cuCtxCreate", "cuProfilerStart", ""})
		for (unsigned version : {0u, 4000u, 12000u, 13000u, 13010u, 99000u})
			for (unsigned flags = 0; flags < 4; flags++) {
				char text[128];
				f = (void *)8;
				query = (cudaDriverEntryPointQueryResult)77;
				snprintf(text, sizeof text, "runtime, %s, %u, %u", name, version, flags);
				cudaError_t e = cudaGetDriverEntryPointByVersion(name, &f, version, flags, &query);
				say(text, "%d %d %s", e, query, !f ? "null" : names.count(f) ? names[f].c_str() : "other");
				cudaGetLastError();
			}
	int found[6] = {};
	int *to = found;
	for (const char *name : {"cuGraphicsGLRegisterBuffer", "cuGLInit", "cuVDPAUGetDevice"}) {
		const int first = !strcmp(name, "cuGLInit") ? 2000 : !strcmp(name, "cuVDPAUGetDevice") ? 3010 : 3000;
		for (int version : {first - 10, first}) {
			DO(cuGetProcAddress(name, &f, version, 0, &status));
			*to++ = status;
		}
	}
	say("graphics", "%d %d %d %d %d %d", found[0], found[1], found[2], found[3], found[4], found[5]);
	return 0;
}
