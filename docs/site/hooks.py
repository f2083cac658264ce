# SPDX-License-Identifier: Apache-2.0
"""What mkdocs.yml leaves to Python: collects the pages, and makes what mkdocs cannot.

- All .md files of the tree keep their places. Files of the tree that a page links become pages with their text (pictures
  and notebooks are copied), and the commands' help a page `commands.md`.
- Anchors are GitHub's, so that links are the same there and here.
- The search works without a server, where browsers let a page neither start a worker nor read a file: its index becomes a
  script, and search.js takes the place of the theme's script.

SITE_CUDASIM names cudasim; without it build/cudasim is asked for the help."""

import json
import os
import re
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.dirname(os.path.dirname(HERE))
ROOMS = ("docs", "samples", "bench", "tests")
COPIED = (".svg", ".png", ".ipynb")
LANGUAGES = {".cu": "cuda", ".cuh": "cuda", ".c": "c", ".h": "c", ".cpp": "cpp", ".py": "python"}


def slug(title, _separator="-"):
    """GitHub's anchor of a heading."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


def pages():
    """Paths of all pages, from the root of the tree."""
    found = [name for name in os.listdir(SOURCES) if name.endswith(".md")]
    for room in ROOMS:
        for folder, _, names in os.walk(os.path.join(SOURCES, room)):
            found += [os.path.relpath(os.path.join(folder, name), SOURCES) for name in names if name.endswith(".md")]
    return sorted(found)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def prose(text, change):
    """The page with change() applied to what is no code in fences."""
    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))


def source_page(path):
    with open(os.path.join(SOURCES, path), encoding="utf-8") as file:
        return f"# {path}\n\n~~~~{LANGUAGES.get(os.path.splitext(path)[1], 'text')}\n{file.read()}~~~~\n"


def page_text(page, files):
    """A page of the tree; what it links is added to files."""
    with open(os.path.join(SOURCES, page), encoding="utf-8") as file:
        text = file.read()

    def link(match):
        path, _, anchor = match[1].partition("#")
        target = os.path.normpath(os.path.join(os.path.dirname(page), path))
        if re.match(r"\w+:", match[1]) or not path or path.endswith(".md") or not os.path.isfile(os.path.join(SOURCES, target)):
            return match[0]
        files.add(target)
        return match[0] if path.endswith(COPIED) else f"]({path}.md{'#' + anchor if anchor else ''})"

    def change(part):
        part = re.sub(r"\]\(([^)\s]+)\)", link, part)
        return re.sub(r"^  (?=[-*] )", "    ", part, flags=re.MULTILINE) # a list in a list

    return prose(text, change)


def commands(cudasim):
    """What `cudasim help` says, of all commands."""
    def ask(*words):
        return subprocess.run([cudasim, *words], check=True, stdout=subprocess.PIPE, text=True).stdout.rstrip()

    overview = ask("help")
    text = f"# Commands\n\n`cudasim help COMMAND` prints these texts.\n\n~~~~\n{overview}\n~~~~\n"
    for name in re.findall(r"^  ([a-z]\S*)  ", overview, re.M):
        if name not in ("help", "version"):
            text += f"\n## cudasim {name}\n\n~~~~\n{ask('help', name)}\n~~~~\n"
    return text


def on_config(config, **_):
    folder = os.path.abspath(config["site_dir"]) + "-pages"
    shutil.rmtree(folder, ignore_errors=True)
    files = set()
    for page in pages():
        write(os.path.join(folder, page), page_text(page, files))
    for path in files:
        if path.endswith(COPIED):
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            shutil.copy(os.path.join(SOURCES, path), os.path.join(folder, path))
        else:
            write(os.path.join(folder, path + ".md"), source_page(path))
    write(os.path.join(folder, "commands.md"),
          commands(os.environ.get("SITE_CUDASIM", os.path.join(SOURCES, "build", "cudasim"))))
    shutil.copy(os.path.join(HERE, "site.css"), folder)
    config["docs_dir"] = folder
    config["mdx_configs"]["toc"]["slugify"] = slug
    return config


def on_post_page(output, **_):
    """Links to the front page name its file: a browser shows a folder's list otherwise."""
    return re.sub(r'href="(\.|(?:\.\./)*\.\.)/?"', r'href="\1/index.html"', output)


def on_post_build(config, **_):
    search = os.path.join(config["site_dir"], "search")
    with open(os.path.join(search, "search_index.json"), encoding="utf-8") as file:
        text = file.read().replace("\\u00b6", "") # the headings' links
    sections = [[re.sub(r"^(?=#|$)", "index.html", doc["location"]), doc["title"].strip(), doc["text"]] for doc in json.loads(text)["docs"]]
    with open(os.path.join(HERE, "search.js"), encoding="utf-8") as file:
        script = file.read()
    with open(os.path.join(search, "lunr.js"), encoding="utf-8") as file:
        lunr = file.read()
    write(os.path.join(search, "main.js"), f"{lunr}\nvar sections = {json.dumps(sections)};\n{script}")
    for name in "worker.js", "lunr.js", "search_index.json":
        os.remove(os.path.join(search, name))
