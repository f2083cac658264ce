/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - running tests: each one begins and ends with a sound device.
 *
 * After a test its launches are waited for. What they died of, assertions that failed
 * in device code, damage around arrays, and memory that the test allocated and did not
 * free fail that test; then the next one begins. A context that has died is made new
 * again in the simulator; on a GPU, where only another process can do that, the
 * executable runs itself again for the tests that are left.
 *
 * Environment, which `cudasim test` sets:
 *   CUDASIM_TEST_FILTER   run tests whose name holds one of these, comma between
 *   CUDASIM_TEST_LIST=1   print the names with their indices, run nothing
 *   CUDASIM_TEST_SEED     of random inputs (a number)
 *   CUDASIM_TEST_LEFT     tests that are left, by index: "0-3,7-7,"; "9-" is all from 9 (our own)
 *
 * Indices count the tests of all cudasim_run_tests() of the program, in their order. */
#ifndef CUDASIM_TEST_RUN_H
#define CUDASIM_TEST_RUN_H

#include <unistd.h>

#ifdef __CUDASIM__
#include <pthread.h>

#include "../inspect.h"
#endif

namespace cudasim
{
namespace test
{

struct runner {
	const CMUnitTest *tests = nullptr;
	size_t n = 0;
	size_t first = 0;              /* index of tests[0] */
	std::vector<size_t> chosen;    /* places in tests, in order */
	size_t at = 0;                 /* in chosen */
	bool lost = false;             /* on a GPU: the context is dead */
	std::string left;              /* what another process has to run: CUDASIM_TEST_LEFT */
	failures *records = nullptr;
	unsigned n_skipped = 0;
	int n_failed = 0;              /* of all groups so far, in earlier processes, too */
	bool ended = false;            /* the running test's end has been looked at */
	void *state = nullptr;
#ifdef __CUDASIM__
	cudasim_observer observer{};
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	std::string fault;             /* what the simulator said of it */
	std::string findings;          /* what the checkers have found in this test */
	std::map<void *, cudasim_memory> allocations;
#endif
};
inline runner running_tests;

/* ---- what the simulator tells ------------------------------------------------ */

#ifdef __CUDASIM__
inline void on_fault(void *, cudasim_launch *, cudasim_thread *, const cudasim_fault *fault)
{
	pthread_mutex_lock(&running_tests.lock);
	if (fault->message && running_tests.fault.empty())
		running_tests.fault = fault->message;
	pthread_mutex_unlock(&running_tests.lock);
}

/* Calls that fail are the test's to look at. */
inline cudasim_verdict on_finding(void *, cudasim_thread *, const cudasim_finding *finding)
{
	if (finding->severity != CUDASIM_FINDING_ERROR || !std::strcmp(finding->kind, "api-error"))
		return CUDASIM_GO;
	std::ostringstream text;
	text << finding->tool << ": " << finding->text;
	if (finding->site)
		text << "\n  at " << finding->site->function << " (" << finding->site->file << ":"
		     << finding->site->line << ")";
	pthread_mutex_lock(&running_tests.lock);
	std::string &all = running_tests.findings;
	all += (all.empty() ? "" : "\n") + text.str();
	pthread_mutex_unlock(&running_tests.lock);
	return CUDASIM_GO;
}

inline void on_allocated(void *, const cudasim_memory *memory)
{
	if (memory->kind != CUDASIM_MEMORY_DEVICE && memory->kind != CUDASIM_MEMORY_MANAGED &&
	    memory->kind != CUDASIM_MEMORY_HOST)
		return;
	pthread_mutex_lock(&running_tests.lock);
	running_tests.allocations[memory->address] = *memory;
	pthread_mutex_unlock(&running_tests.lock);
}

inline void on_freed(void *, const cudasim_memory *memory)
{
	pthread_mutex_lock(&running_tests.lock);
	running_tests.allocations.erase(memory->address);
	pthread_mutex_unlock(&running_tests.lock);
}

/* Faults name their thread where the launch runs its watched body. */
inline uint32_t on_want(void *, const cudasim_launch *)
{
	static const char *body = std::getenv("CUDASIM_TEST_BODY");
	return body && !std::strcmp(body, "plain") ? 0 : CUDASIM_WANT_BODY;
}

inline void listen()
{
	cudasim_observer &o = running_tests.observer;
	if (o.name)
		return;
	o.version = CUDASIM_OBSERVER_VERSION;
	o.name = "cudasim/test/run.h";
	o.want = on_want;
	o.fault = on_fault;
	o.allocated = on_allocated;
	o.freed = on_freed;
	o.finding = on_finding;
	if (cudasim_error *error = cudasim_observer_add(&o)) {
		std::fprintf(stderr, "cudasim_run_tests: %s\n", error->message);
		cudasim_error_free(error);
	}
}
#endif

/* ---- records of device assertions ----------------------------------------------- */

/* Pinned memory: still there when a context has died. */
inline void records_start()
{
	void *memory = nullptr, *seen = nullptr;
	if (running_tests.records)
		return;
	if (cudaHostAlloc(&memory, sizeof(failures), cudaHostAllocMapped) != cudaSuccess ||
	    cudaHostGetDevicePointer(&seen, memory, 0) != cudaSuccess)
		return;
	running_tests.records = static_cast<failures *>(memory);
	kept.push_back(memory);
	running_tests.records->n = 0;
	cudaMemcpyToSymbol(failures_of_unit, &seen, sizeof seen);
}

inline void records_stop()
{
	if (running_tests.records)
		cudaFreeHost(running_tests.records);
	for (size_t i = 0; i < kept.size(); i++)
		if (kept[i] == running_tests.records)
			kept.erase(kept.begin() + (ptrdiff_t)i);
	running_tests.records = nullptr;
}

inline std::string show(const scalar &s)
{
	if (s.type == KIND_REAL)
		return show(s.d);
	return s.type == KIND_INTEGER ? std::to_string(s.i) : std::to_string(s.u);
}

inline uint64_t linear(const unsigned at[3], const unsigned size[3])
{
	return at[0] + (uint64_t)size[0] * (at[1] + (uint64_t)size[1] * at[2]);
}

inline std::string triple(uint64_t i, const unsigned size[3])
{
	std::ostringstream text;
	text << "(" << i % size[0] << "," << i / size[0] % size[1] << "," << i / size[0] / size[1]
	     << ")";
	return text.str();
}

/* "block (0,0,0) threads (1,0,0)-(3,0,0), (7,0,0)": all of one assertion, folded. */
inline std::string folded(const std::map<uint64_t, std::map<uint64_t, const failure *>> &blocks)
{
	std::ostringstream text;
	unsigned shown = 0;
	for (const auto &b : blocks) {
		const failure *any = b.second.begin()->second;
		if (shown++ == 4) {
			text << "; and " << blocks.size() - 4 << " more blocks";
			break;
		}
		text << (shown > 1 ? "; " : "") << "block " << triple(b.first, any->grid)
		     << " thread" << (b.second.size() > 1 ? "s " : " ");
		bool first = true;
		for (auto t = b.second.begin(); t != b.second.end();) {
			uint64_t from = t->first, to = from;
			while (++t != b.second.end() && t->first == to + 1)
				to++;
			text << (first ? "" : ", ") << triple(from, any->shape);
			if (to > from)
				text << "-" << triple(to, any->shape);
			first = false;
		}
	}
	return text.str();
}

/* One message for all that failed in device code; "" where nothing did. */
inline std::string records_text()
{
	const failures *all = running_tests.records;
	if (!all || !all->n)
		return "";
	unsigned n = all->n < MAX_FAILURES ? all->n : (unsigned)MAX_FAILURES;
	std::map<std::string, std::map<uint64_t, std::map<uint64_t, const failure *>>> by_place;
	for (unsigned i = 0; i < n; i++) {
		const failure &f = all->at[i];
		std::string key = std::string(f.where) + ":" + std::to_string(f.line) + ": " +
				  f.text;
		by_place[key][linear(f.block, f.grid)].emplace(linear(f.thread, f.shape), &f);
	}
	std::ostringstream text;
	for (const auto &p : by_place) {
		size_t threads = 0;
		for (const auto &b : p.second)
			threads += b.second.size();
		const failure *first = p.second.begin()->second.begin()->second;
		text << (text.tellp() > 0 ? "\n" : "") << p.first << " does not hold in " << threads
		     << (threads > 1 ? " threads: " : " thread: ") << folded(p.second);
		if (first->left.type != KIND_NONE && std::strstr(first->text, " "))
			text << " (first: " << show(first->left) << " and " << show(first->right)
			     << ")";
	}
	if (all->n > n)
		text << "\nand " << all->n - n << " more records";
	return text.str();
}

/* ---- the device after a test ------------------------------------------------------- */

/* After a fault: a new context where that can be had. */
inline void device_revive()
{
	cudaError_t error = cudaDeviceSynchronize();
	cudaGetLastError();
	if (error == cudaSuccess)
		return;
	current.arrays.clear();
	if (simulated()) {
		records_stop();
		exchange_end();
		cudaDeviceReset();
		cudaGetLastError();
		records_start();
	} else {
		running_tests.lost = true;
	}
}

inline std::string leaks()
{
	std::ostringstream text;
#ifdef __CUDASIM__
	pthread_mutex_lock(&running_tests.lock);
	size_t n = 0;
	for (const auto &a : running_tests.allocations) {
		if (std::find(kept.begin(), kept.end(), a.first) != kept.end())
			continue;
		if (!n++)
			text << "leaks: "
			     << (a.second.function ? a.second.function : "an allocation") << " of "
			     << a.second.size << " bytes was not freed";
	}
	if (n > 1)
		text << ", and " << n - 1 << " more";
	pthread_mutex_unlock(&running_tests.lock);
#endif
	return text.str();
}

inline void forget_allocations()
{
#ifdef __CUDASIM__
	pthread_mutex_lock(&running_tests.lock);
	running_tests.allocations.clear();
	running_tests.fault.clear();
	running_tests.findings.clear();
	pthread_mutex_unlock(&running_tests.lock);
#endif
}

/* What is wrong with the device at the end of a test, "" if nothing is. */
inline std::string end_of_test()
{
	std::string text;
	/* A test that expected its launch to fail has looked at that itself. */
	if (running_tests.lost)
		return records_text();
	cudaError_t error = cudaGetLastError(), later = cudaDeviceSynchronize();
	if (later != cudaSuccess)
		error = later;
	text = records_text();
	if (running_tests.records)
		running_tests.records->n = 0;
	if (error != cudaSuccess) {
		std::string fault = std::string(cudaGetErrorName(error)) + ": " +
				    cudaGetErrorString(error);
#ifdef __CUDASIM__
		pthread_mutex_lock(&running_tests.lock);
		if (!running_tests.fault.empty())
			fault = running_tests.fault;
		pthread_mutex_unlock(&running_tests.lock);
#endif
		while (!fault.empty() && fault.back() == '\n')
			fault.pop_back();
		for (size_t i; (i = fault.find("cudasim: ")) != std::string::npos;)
			fault.erase(i, 9);
		text += (text.empty() ? "" : "\n") + fault;
		if (later != cudaSuccess)
			device_revive();
	}
#ifdef __CUDASIM__
	pthread_mutex_lock(&running_tests.lock);
	if (!running_tests.findings.empty())
		text += (text.empty() ? "" : "\n") + running_tests.findings;
	pthread_mutex_unlock(&running_tests.lock);
#endif
	std::string damage = arrays_end();
	if (!damage.empty())
		text += (text.empty() ? "" : "\n") + damage;
	return text;
}

/* ---- one test ------------------------------------------------------------------------- */

inline const CMUnitTest &running_test()
{
	return running_tests.tests[running_tests.chosen[running_tests.at]];
}

inline bool is_tap()
{
	const char *output = std::getenv("CMOCKA_MESSAGE_OUTPUT");
	return output && (!strcmp(output, "TAP") || !strcmp(output, "tap"));
}

/* More about a test that has failed already. */
inline void add_lines(const std::string &text)
{
	std::istringstream lines(text);
	std::string line;
	while (std::getline(lines, line)) {
		if (is_tap())
			std::printf("# %s\n", line.c_str());
		else
			print_error("%s\n", line.c_str());
	}
	std::fflush(stdout);
}

/* A name on one line. */
inline std::string one_line(const char *name)
{
	std::string ret = name;
	std::replace(ret.begin(), ret.end(), '\n', ' ');
	return ret;
}

/* A line for `cudasim test`, which reads TAP: who runs, since when, and what had been written
 * to stderr before. */
inline void tell(const char *what)
{
	if (!is_tap())
		return;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	std::printf("# cudasim: %s %zu %.6f %ld %s\n", what,
		    running_tests.first + running_tests.chosen[running_tests.at],
		    (double)now.tv_sec + 1e-9 * (double)now.tv_nsec, (long)lseek(2, 0, SEEK_CUR),
		    one_line(running_test().name).c_str());
	std::fflush(stdout);
}

/* cmocka hands the place in chosen over as the state; a test whose setup fails has no
 * teardown. */
inline int set_up(void **state)
{
	running_tests.at = (size_t)(uintptr_t)*state;
	const CMUnitTest &test = running_test();
	current = running{};
	current.name = test.name;
	const char *seed = std::getenv("CUDASIM_TEST_SEED");
	current.seed = seed ? std::strtoull(seed, nullptr, 0) : 1;
	running_tests.ended = false;
	running_tests.state = test.initial_state;
	if (!running_tests.lost)
		records_start();
	forget_allocations();
	tell("begin");
	int ret = test.setup_func && !running_tests.lost ? test.setup_func(&running_tests.state)
							 : 0;
	if (ret)
		add_lines("its setup function returned " + std::to_string(ret));
	return ret;
}

inline void run_one(void **state)
{
	(void)state;
	if (running_tests.lost) {
		size_t index = running_tests.first + running_tests.chosen[running_tests.at];
		running_tests.left += std::to_string(index) + "-" + std::to_string(index) + ",";
		skip();
	}
#ifdef __CUDASIM__
	/* cmocka takes the signals of each test over. */
	if (simulated())
		cudasim_claim_signals();
#endif
	running_test().test_func(&running_tests.state);
	running_tests.ended = true;
	std::string wrong = end_of_test();
	if (wrong.empty() && !running_test().teardown_func)
		wrong = leaks();
	if (wrong.empty())
		return;
	if (current.seed_used)
		wrong += "\nrandom inputs of seed " + std::to_string(current.seed) +
			 " (CUDASIM_TEST_SEED)";
	fail_at({running_test().name, 0}, wrong);
}

inline int tear_down(void **state)
{
	(void)state;
	const CMUnitTest &test = running_test();
	int ret = test.teardown_func && !running_tests.lost
			  ? test.teardown_func(&running_tests.state)
			  : 0;
	if (ret)
		add_lines("its teardown function returned " + std::to_string(ret));
	if (!running_tests.ended && !running_tests.lost) {
		/* It has failed: what the device adds to that. */
		std::string more = end_of_test();
		if (current.seed_used)
			more += (more.empty() ? "" : "\n") + std::string("random inputs of seed ") +
				std::to_string(current.seed) + " (CUDASIM_TEST_SEED)";
		add_lines(more);
	} else if (running_tests.ended && test.teardown_func && !running_tests.lost) {
		std::string more = leaks();
		if (!more.empty()) {
			add_lines(more);
			ret = -1;
		}
	}
	running_tests.n_skipped += current.n_skipped;
	tell("end");
	return ret;
}

/* ---- all tests -------------------------------------------------------------------------- */

inline bool is_wanted(const char *name)
{
	const char *filter = std::getenv("CUDASIM_TEST_FILTER");
	if (!filter || !*filter)
		return true;
	std::istringstream words(filter);
	std::string word;
	while (std::getline(words, word, ','))
		if (!word.empty() && std::strstr(name, word.c_str()))
			return true;
	return false;
}

/* Is it left? By CUDASIM_TEST_LEFT, whose ranges go up. */
inline bool is_left(const char *&ranges, size_t index)
{
	if (!ranges)
		return true;
	while (*ranges) {
		char *end;
		size_t from = std::strtoul(ranges, &end, 10), to = from;
		if (*end == '-')
			to = end[1] >= '0' && end[1] <= '9' ? std::strtoul(end + 1, &end, 10)
							    : (end++, SIZE_MAX);
		if (index <= to)
			return index >= from;
		ranges = *end ? end + 1 : end;
	}
	return false;
}

inline void choose()
{
	runner &r = running_tests;
	const char *left = std::getenv("CUDASIM_TEST_LEFT");
	if (left && !*left)
		left = nullptr;
	r.chosen.clear();
	r.at = 0;
	for (size_t i = 0; i < r.n; i++)
		if (is_left(left, r.first + i) && is_wanted(r.tests[i].name))
			r.chosen.push_back(i);
}

/* On a GPU, after a context has died: this executable again. */
inline void run_what_is_left(char **argv)
{
	/* With all of later groups. */
	std::string list = running_tests.left +
			   std::to_string(running_tests.first + running_tests.n) + "-";
	setenv("CUDASIM_TEST_LEFT", list.c_str(), 1);
	setenv("CUDASIM_TEST_FAILED", std::to_string(running_tests.n_failed).c_str(), 1);
	std::fflush(nullptr);
	execv("/proc/self/exe", argv);
	std::perror("cudasim_run_tests: cannot run again");
}

/* Without a device no test can run, and another process could not either. */
inline void need_device()
{
	int n = 0;
	cudaError_t error = cudaGetDeviceCount(&n);
	if (error == cudaSuccess && n > 0)
		return;
	if (error == cudaSuccess)
		error = cudaErrorNoDevice;
	std::fprintf(stderr, "cudasim_run_tests: no test can run: %s: %s\n",
		     cudaGetErrorName(error), cudaGetErrorString(error));
	std::exit(2);
}

/* Returns the number of tests that failed, for main(). */
inline int run_all(const char *group, const CMUnitTest *tests, size_t n, int argc, char **argv)
{
	(void)argc;
	runner &r = running_tests;
	need_device();
	r.first += r.n;
	r.tests = tests;
	r.n = n;
	choose();
	const char *list = std::getenv("CUDASIM_TEST_LIST");
	if (list && *list == '1') {
		for (size_t i : r.chosen)
			std::printf("# cudasim: test %zu %s\n", r.first + i,
				    one_line(tests[i].name).c_str());
		return 0;
	}
#ifdef __CUDASIM__
	if (simulated())
		listen();
#endif
	std::vector<CMUnitTest> wrapped;
	for (size_t i = 0; i < r.chosen.size(); i++)
		wrapped.push_back({tests[r.chosen[i]].name, run_one, set_up, tear_down,
				   (void *)(uintptr_t)i});
	int failed = wrapped.empty() ? 0
				     : _cmocka_run_group_tests(group, wrapped.data(),
							       wrapped.size(), nullptr, nullptr);
	/* What earlier processes have found counts once, with the first group. */
	if (const char *before = std::getenv("CUDASIM_TEST_FAILED"))
		failed += std::atoi(before);
	unsetenv("CUDASIM_TEST_FAILED");
	r.n_failed += failed;
	if (!r.left.empty())
		run_what_is_left(argv);
	records_stop();
	exchange_end();
	if (r.n_skipped)
		std::printf(
			"%s%u assertions about work were skipped: only the simulator counts it\n",
			is_tap() ? "# " : "", r.n_skipped);
	r.n_skipped = 0;
	return failed > 255 ? 255 : failed;
}

} // namespace test
} // namespace cudasim

/* A test function as an entry of the array; like cmocka_unit_test(), for template
 * instances too: cudasim_unit_test(sums<float>). */
#define cudasim_unit_test(...)                                                                     \
	CMUnitTest                                                                                 \
	{                                                                                          \
		#__VA_ARGS__, __VA_ARGS__, nullptr, nullptr, nullptr                               \
	}
/* ... with a parameter that the test finds in *state: cudasim_unit_test_with(f, &shape, "f, 32x32"). */
#define cudasim_unit_test_with(f, parameter, name)                                                 \
	CMUnitTest                                                                                 \
	{                                                                                          \
		name, f, nullptr, nullptr, (void *)(parameter)                                     \
	}

/* Run an array of tests and return their number of failures, for main(). */
#define cudasim_run_tests(tests, argc, argv)                                                       \
	(::cudasim::test::run_all(#tests, (tests), sizeof(tests) / sizeof((tests)[0]), (argc),     \
				  (argv)))

/* So that `cudasim test` knows a test executable. */
__attribute__((section(".cudasim.test"), used)) static const char cudasim_test_mark[] =
	"cudasim test 2";

#endif
