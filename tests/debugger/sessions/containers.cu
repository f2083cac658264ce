// SPDX-License-Identifier: Apache-2.0
// What containers.session and adaptors.session look at: libstdc++'s classes on the host, libcu++'s in a
// kernel.
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/complex>
#include <cuda/std/inplace_vector>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>

#include <array>
#include <atomic>
#include <complex>
#include <cstdio>
#include <cstring>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <queue>
#include <set>
#include <span>
#include <stack>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

struct Tile {
	std::string name;
	std::vector<int> sizes;
};
struct Row : std::vector<int> {
	int at = 1;
};
struct Empty {};
struct alignas(16) Wide {
	int x;
};

void others();

__global__ void kernel(cuda::std::span<int> view, cuda::std::array<short, 3> three)
{
	cuda::std::array<float, 2> two = {1.5f, -2.0f};
	cuda::std::pair<int, float> pair = {7, 0.5f};
	cuda::std::tuple<int, Empty, char> tuple = {1, {}, 'c'};
	cuda::std::complex<float> z = {1.0f, -2.0f};
	cuda::std::optional<int> some = 5, none;
	cuda::std::span<int, 2> fixed{view.data(), 2};
	view[threadIdx.x] = three[1] + (int)two[0] + pair.first + (int)z.real() + *some;
	fixed[0] += none.has_value() + cuda::std::get<0>(tuple);
}

int measure(std::vector<int> v, std::string text, Tile tile)
{
	return (int)(v.size() + text.size() + tile.sizes.size());
}

int main()
{
	std::vector<int> v = {1, 2, 3}, empty, many(300, 1);
	v.reserve(4);
	std::vector<bool> bits = {true, false, true};
	std::vector<std::string> words = {"one", "two"};
	std::vector<std::vector<int>> nested = {{1}, {2, 3}};
	std::string text = "hello, \"world\"", repeated(40, 'x');
	std::u16string wide = u"ab";
	std::string_view part = std::string_view(text).substr(0, 5);
	std::pair<int, double> pair = {1, 2.5};
	std::tuple<int, double, char> tuple = {1, 2.5, 'x'};
	std::tuple<> nothing;
	std::array<int, 3> array = {4, 5, 6};
	std::complex<double> z(1, -2);
	std::optional<int> some = 3, none;
	std::optional<std::string> maybe = "abc";
	std::variant<int, float> variant = 2.5f;
	std::map<int, std::string> map = {{2, "b"}, {1, "a"}, {3, "c"}};
	std::set<int> set = {3, 1, 2};
	std::unordered_map<int, int> hashed = {{7, 49}};
	std::deque<int> deque = {1, 2, 3};
	std::stack<int> stack(deque);
	std::list<int> list = {9, 8};
	std::forward_list<char> forward = {'a', 'b'};
	std::unique_ptr<int> unique;
	std::shared_ptr<int> shared = std::make_shared<int>(6), second = shared;
	std::vector<int>::iterator iterator = v.begin() + 1;
	Tile tile = {"tile", {1, 2}};
	Row row;
	row.assign({8, 9});
	/* Objects that nobody has made. */
	alignas(std::vector<int>) unsigned char bytes[sizeof(std::vector<int>)];
	std::memset(bytes, 0x41, sizeof bytes);
	std::vector<int> &zero = *(std::vector<int> *)bytes;
	std::vector<int> &wild = *(std::vector<int> *)new size_t[3]{8, 24, 32};
	std::vector<int> &backwards = *(std::vector<int> *)new size_t[3]{24, 8, 32};
	std::map<int, int> ints = {{1, 2}}, &cut = *(std::map<int, int> *)new size_t[6]{0, 0, 0, 16, 0, 5};
	std::unordered_map<int, int> &short_of = *(std::unordered_map<int, int> *)new size_t[7]{0, 0, 0, 5, 0, 0, 0};
	std::string &text_nowhere = *(std::string *)new size_t[4]{16, 1ull << 60, 0, 0};
	int *memory;
	cudaMalloc(&memory, 3 * sizeof *memory);
	cudaMemset(memory, 0, 3 * sizeof *memory);
	kernel<<<1, 1>>>(cuda::std::span<int>(memory, 3), cuda::std::array<short, 3>{1, 2, 3});
	cudaDeviceSynchronize();
	others();
	printf("%d\n", measure(v, text, tile) + text_nowhere.empty() + zero.empty() + wild.empty() + backwards.empty() + cut.empty() + short_of.empty());
	return 0;
}

void others()
{
	std::atomic<int> a{5};
	cuda::atomic<int> ca{6};
	cuda::std::atomic<float> csa{7.5f};
	std::initializer_list<int> il = {1, 2};
	int raw[3] = {4, 5, 6};
	std::span<int> sp(raw);
	std::span<int, 3> sp3(raw);
	std::multimap<int, int> mm = {{1, 2}, {1, 3}};
	std::shared_ptr<int> s = std::make_shared<int>(1);
	std::weak_ptr<int> w = s;
	int target = 9;
	std::reference_wrapper<int> rw(target);
	std::list<int> l = {1, 2};
	auto li = l.begin();
	std::map<int, int> m = {{1, 2}, {3, 4}};
	auto mi = m.begin();
	std::priority_queue<int> pq; pq.push(3); pq.push(5);
	std::queue<int> q; q.push(1);
	std::deque<int> d; 
	for (int i = 0; i < 300; i++)
		d.push_back(i);
	for (int i = 0; i < 130; i++)
		d.pop_front();
	std::unordered_set<std::string> us = {"abc"};
	std::map<std::string, std::vector<int>> ms = {{"a", {1}}, {"b", {2, 3}}};
	std::unordered_map<std::string, double> um = {{"pi", 3.14}};
	std::list<Wide> lw; lw.push_back({7});
	std::unordered_map<int, Wide> uw; uw[3].x = 8;
	cuda::std::inplace_vector<short, 4> iv = {1, 2};
	wchar_t wa[3] = L"ab";
	std::wstring ws = L"wide";
	std::vector<std::pair<int, std::string>> vp = {{1, "x"}};
	std::multiset<char> msc = {'b', 'a'};
	std::unique_ptr<int[]> ua(new int[2]{1, 2});
	std::string cut("a\0b", 3);
	auto di = d.begin() + 5;
	printf("%d %d %zu %d %d\n", a.load(), ca.load(), ws.size(), *li, *di);
}
