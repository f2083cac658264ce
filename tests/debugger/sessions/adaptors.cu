// SPDX-License-Identifier: Apache-2.0
// What adaptors.session looks at: libstdc++'s adaptors, iterators and atomics, nodes with alignment.
#include <atomic>
#include <cstdio>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <queue>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>
#include <cuda/atomic>
#include <cuda/std/atomic>
#include <cuda/std/inplace_vector>
struct alignas(16) Wide { int x; };
int main()
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
	return 0;
}
