# SPDX-License-Identifier: Apache-2.0
# Sourced by samples/run and tests/run, from the repository's root: installs the
# packages that are missing, sees to a CUDA toolkit, and builds cudasim in build/,
# which tests/run does itself. Each step looks first and does nothing where all is
# there; then neither root nor network is needed. Any failure ends the script that
# sources this.

# The version of LLVM: tests/run --llvm names another. clang-format is 19's in any case, whose format is ours.
setup_llvm=${setup_llvm:-19}
setup_packages=("clang-$setup_llvm" "libclang-$setup_llvm-dev" "libclang-cpp$setup_llvm-dev" "libclang-rt-$setup_llvm-dev"
	"llvm-$setup_llvm-dev" "llvm-$setup_llvm-tools" libdw-dev libelf-dev libedit-dev libcapstone-dev libpng-dev libcmocka-dev
	libjansson-dev libxxhash-dev libblas-dev liblapack-dev ccache cmake meson ninja-build gcc g++ binutils make pkg-config)

# What only tests run: tests/run adds them, those for measuring coverage where it does.
setup_test_packages=(clang-format-19 mandoc)
# Shells whose completions tests/run --all looks at.
setup_shell_packages=(zsh fish)
# Editors that debug through `cudasim dap`, there too.
setup_editor_packages=(emacs-nox elpa-dap-mode nodejs)
setup_coverage_packages=(gcovr)

setup_say() { printf '== %s\n' "$*"; }

setup_fail() {
	printf 'setup: %s\n' "$*" >&2
	exit 1
}

setup_has_package() {
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# The packages given that are not installed, on one line.
setup_missing() {
	local package
	for package; do
		setup_has_package "$package" || printf '%s ' "$package"
	done
}

setup_install() {
	local as=()
	setup_say "installing Debian packages: $*"
	if [ "$(id -u)" -ne 0 ]; then
		command -v sudo >/dev/null ||
			setup_fail "these packages are missing; as root: apt-get install $*"
		as=(sudo)
	fi
	"${as[@]}" apt-get update -q || setup_fail "apt-get update failed"
	"${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
		"$@" || setup_fail "apt-get could not install: $*"
}

setup_debian() {
	if ! command -v dpkg-query >/dev/null; then
		setup_say "no dpkg here; install by hand what meson finds missing: ${setup_packages[*]}"
		return
	fi
	local missing
	missing=$(setup_missing "${setup_packages[@]}")
	# LLVM's OpenMP library, of any version, for programs that use OpenMP.
	if ! compgen -G '/usr/lib/llvm-*/lib/libomp.so*' >/dev/null; then
		missing+=$(setup_missing "libomp-$setup_llvm-dev")
	fi
	if [ -z "$missing" ]; then
		setup_say "packages: all there"
	else
		# shellcheck disable=SC2086 # a list of words
		setup_install $missing
	fi
}

# A folder, and meson's options for it.
setup_build() {
	local folder=$1
	shift
	if [ ! -f "$folder/build.ninja" ]; then
		setup_say "configuring $folder/"
		meson setup "$folder" "$@" || setup_fail "meson failed"
	fi
	setup_say "building $folder/"
	ninja -C "$folder" || setup_fail "the build failed"
}

setup_toolkit() {
	if ! driver/toolkit/find-toolkit >/dev/null; then
		if ! python3 -m pip --version >/dev/null 2>&1 && command -v dpkg-query >/dev/null; then
			setup_install python3-pip
		fi
		setup_say "no CUDA toolkit here; fetching the vendor's wheels"
		driver/toolkit/fetch-toolkit || setup_fail "no CUDA toolkit"
	fi
	setup_say "CUDA toolkit: $(driver/toolkit/find-toolkit)"
}

if [ "${setup_tests-}" ]; then
	setup_packages+=("${setup_test_packages[@]}")
fi
if [ "${setup_shells-}" ]; then
	setup_packages+=("${setup_shell_packages[@]}" "${setup_editor_packages[@]}")
fi
if [ "${setup_coverage-}" ]; then
	setup_packages+=("${setup_coverage_packages[@]}")
fi
setup_debian
setup_toolkit
[ "${setup_tests-}" ] || setup_build build
