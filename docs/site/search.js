/* SPDX-License-Identifier: Apache-2.0 */
/* search.js - the site's search, in the page itself. What stands before it in search/main.js: lunr, and sections, a list
 * of [address, title, text]. The index is made when a search begins. */
var search_index;

function search(query)
{
	if (!search_index) {
		search_index = lunr(function () {
			this.ref("number");
			this.field("title", {boost: 10});
			this.field("text");
			sections.forEach(function (section, number) {
				this.add({number: number, title: section[1], text: section[2]});
			}, this);
		});
	}
	var words = lunr.tokenizer(query).map(String);
	if (!words.length)
		return [];
	return search_index.query(function (q) {
		words.forEach(function (word, i) {
			/* As it is, as its stem, and the last one as the beginning of a word. */
			q.term(word, {boost: 10});
			if (i == words.length - 1)
				q.term(word, {usePipeline: false, wildcard: lunr.Query.wildcard.TRAILING});
		});
	}).slice(0, 30).map(function (found) {
		return sections[found.ref];
	});
}

/* The text around the first of the words. */
function excerpt(text, query)
{
	var at = text.toLowerCase().indexOf(query.toLowerCase().trim().split(/\s+/)[0]);
	var from = Math.max(0, at - 60);
	return (from ? "..." : "") + text.substr(from, 200);
}

function show_results()
{
	var input = document.getElementById("mkdocs-search-query");
	var list = document.getElementById("mkdocs-search-results");
	var found = input.value.trim().length > 1 ? search(input.value) : [];
	list.textContent = found.length ? "" : list.getAttribute("data-no-results-text");
	found.forEach(function (section) {
		var article = document.createElement("article"), heading = document.createElement("h3"),
		    link = document.createElement("a"), text = document.createElement("p");
		link.href = base_url + "/" + section[0];
		link.textContent = section[1];
		text.textContent = excerpt(section[2], input.value);
		heading.appendChild(link);
		article.appendChild(heading);
		article.appendChild(text);
		list.appendChild(article);
	});
}

if (typeof document != "undefined") {
	document.getElementById("mkdocs-search-query").addEventListener("input", show_results);
	document.querySelector("#mkdocs_search_modal form").addEventListener("submit", function (event) {
		event.preventDefault();
	});
}
