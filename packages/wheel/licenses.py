# SPDX-License-Identifier: Apache-2.0
"""Copies the licence texts of what a wheel brings along: of the distribution's packages that own the tools in it and the
libraries that its programs load. usage: licenses.py TREE FOLDER"""

import pathlib
import re
import shutil
import subprocess
import sys

tree, folder = map(pathlib.Path, sys.argv[1:])


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def package_of(library):
    """dpkg knows a file by the path it was installed under, before links of the system (/lib to /usr/lib)."""
    for path in {library, library.removeprefix("/usr"), str(pathlib.Path(library).resolve())}:
        said = subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True, check=False).stdout
        if said:
            return said.split(":")[0].split(",")[0]
    return None


def own_texts(library):
    """Of what a script here has built: PREFIX/share/doc/NAME/COPYING*, where the library is PREFIX/lib/NAME.so."""
    return sorted(pathlib.Path(library).parent.parent.glob("share/doc/*/COPYING*"))


libraries = {"/usr/lib/llvm-19/bin/clang", "/usr/lib/llvm-19/bin/llvm-ar", "/usr/include/cmocka.h"}
libraries |= set(map(str, pathlib.Path("/usr/lib").glob("llvm-*/lib/libomp.so.5")))
for path in tree.rglob("*"):
    if path.is_file() and is_elf(path):
        said = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
        libraries |= {found for found in re.findall(r"=> (/\S+)", said) if not found.startswith(str(tree))}
packages = {"llvm-19"}
for library in libraries:
    package = package_of(library)
    texts = [] if package else own_texts(library)
    if not package and not texts:
        sys.exit(f"licenses: no package owns {library}")
    packages |= {package} if package else set()
    for text in texts:
        shutil.copyfile(text, folder / f"{text.parent.name}-{text.name}.txt")
for package in sorted(packages - {"libc6"}):
    text = pathlib.Path("/usr/share/doc", package, "copyright")
    if not text.exists():
        sys.exit(f"licenses: there is no {text}")
    shutil.copyfile(text, folder / f"{package}.txt")
print(f"wheel: licences of {len(packages) - 1} packages")
