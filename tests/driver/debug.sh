#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `cudasim debug` and CUDASIM_DEBUG: what can be debugged, what cannot, and how it is said.
. "$(dirname "$(realpath "$0")")/lib.sh"

cat >app.cu <<'CU'
#include <cstdio>
__global__ void fill(int *out) { out[threadIdx.x] = threadIdx.x; }
int main(int argc, char **argv)
{
	int *out;
	cudaMalloc(&out, 32 * sizeof(int));
	fill<<<1, 32>>>(out);
	cudaDeviceSynchronize();
	printf("%d arguments, the first %s\n", argc - 1, argc > 1 ? argv[1] : "none");
	return 3;
}
CU
echo 'int main(void) { return 0; }' >plain.c
printf '#!/bin/sh\necho hello\n' >script
printf '#!/bin/sh\nexec ./app\n' >starter
printf '#!/bin/bash\nenv\nexport A=1\nenv\n' >lister
chmod +x script starter lister
mkdir folder
"$cudasim" cc app.cu -o app && "$cudasim" cc -c app.cu -o app.o && cc plain.c -o plain &&
	cc -static plain.c -o static ||
	fail "the programs build"
cp app private && chmod -x private

printf 'run\nquit\n' >input

debug=("$cudasim" debug)
expect "no program" 1 'no program to debug' "${debug[@]}"
expect "an unknown option" 1 "no option '-frob'" "${debug[@]}" -frob ./app
expect "-x without a file" 1 "'-x' needs a file" "${debug[@]}" -x
expect "-ex without a command" 1 "'-ex' needs a command" "${debug[@]}" -ex
expect "a command file that is not there" 1 "cannot open the command file 'none.gdb'" \
	"${debug[@]}" -x none.gdb ./app
expect "a program that is not there" 1 "cannot open './none'" "${debug[@]}" ./none
expect "a program that is nowhere" 1 "there is no program 'no-such-program'" \
	"${debug[@]}" no-such-program
expect "a folder" 1 'is not a file' "${debug[@]}" ./folder
expect "a shell script" 0 'hello' "${debug[@]}" -batch -ex run ./script
expect "a program without CUDA" 0 'exited normally' "${debug[@]}" -batch -ex run ./plain
expect "one that is linked statically" 1 'is linked statically' "${debug[@]}" ./static
expect "a script that executes a program of ours" 0 'executing new program: .*/app' \
	"${debug[@]}" -batch -ex run ./starter
expect "what a program starts is not debugged" 0 '^0$' \
	bash -c '"$@" | grep -c DEBUG=1 || true' bash "${debug[@]}" -batch -ex run ./lister
expect "no commands at all" 1 'no command has been given' \
	bash -c '"$@" </dev/null' bash "${debug[@]}" ./app
# As mpirun starts two ranks: at the same time, and only the first one has the input.
cat >ranks <<'END'
#!/bin/bash
RANK=0 "$@" >rank0 2>&1 <input &
RANK=1 "$@" >rank1 2>&1 </dev/null
second=$?
wait $!
echo "$? $second"
sed "s/^/rank 0: /" rank0
sed "s/^/rank 1: /" rank1
END
chmod +x ranks
expect "two ranks with commands from a file" 0 '^0 0$' ./ranks "${debug[@]}" -batch -x input ./app
expect "each of two ranks has a session" 0 '^2$' \
	bash -c '"$@" | grep -c "exited with code 03"' bash ./ranks "${debug[@]}" -batch -ex run ./app
expect "of two ranks the first reads the input" 0 '^rank 0: .*exited with code 03' ./ranks "${debug[@]}" -q ./app
expect "the second rank has no input" 0 '^0 1$' ./ranks "${debug[@]}" -q ./app
expect "... and says so" 0 '^rank 1: .*no command has been given' ./ranks "${debug[@]}" -q ./app
expect "two ranks by the variable" 0 '^rank 0: .*exited with code 03' ./ranks env CUDASIM_DEBUG=1 ./app
expect "one of two ranks is debugged" 0 '^1$' \
	bash -c '"$@" | grep -c "exited with code 03"' bash ./ranks bash -c \
	'if [ $RANK = 1 ]; then exec "$@" -batch -ex run ./app; else exec ./app; fi' bash "${debug[@]}"
expect "two ranks under the checkers" 0 '^2$' \
	bash -c '"$@" | grep -c "CUDASIM CHECK"' bash ./ranks "$cudasim" check ./app
expect "an object file" 1 'is an object file' "${debug[@]}" ./app.o
mkdir sources home
echo 'print 41' >home/.cudasimrc
echo 'print 42' >seven.gdb
rc=(env HOME="$PWD/home" "${debug[@]}" -batch)
expect "--command=FILE" 0 '= 42' "${debug[@]}" -batch --command=seven.gdb ./app
expect "--eval-command=COMMAND" 0 '= 9$' "${debug[@]}" -batch '--eval-command=print 4 + 5' ./app
expect "-iex and -ix come first" 0 '^.1 = 1 .2 = 42 .3 = 2 $' \
	bash -c '"$@" | grep = | tr "\n" " "' bash "${debug[@]}" -batch -ex 'print 2' -iex 'print 1' -ix seven.gdb ./app
expect ".cudasimrc is read" 0 '= 41' "${rc[@]}" ./app
expect "-nx" 0 '^1$' bash -c '"$@" | wc -l' bash "${rc[@]}" -nx ./app
expect "-nh" 0 '^1$' bash -c '"$@" | wc -l' bash "${rc[@]}" -nh ./app
expect "-cd" 0 'sources.$' "${debug[@]}" -batch -cd sources -ex pwd ../app
expect "--directory" 0 "sources:" "${debug[@]}" -batch --directory="$PWD/sources" -ex 'show directories' ./app
expect "what gdb needs and we do not" 0 '= 5' "${debug[@]}" -batch -nw --readnow -l 3 -ex 'print 5' ./app
expect "a folder that is not there" 1 "cannot change to 'none'" "${debug[@]}" -cd none ./app
expect "-p" 1 'cannot attach' "${debug[@]}" -p 1
expect "--core=FILE" 1 'kernels leave no core dumps' "${debug[@]}" --core=core ./app
expect "--tui" 1 'no window interface' "${debug[@]}" --tui ./app
expect "--interpreter=mi" 1 'no machine interface' "${debug[@]}" --interpreter=mi ./app
expect "a value that is not wanted" 1 "'--batch' takes no value" "${debug[@]}" --batch=1 ./app
expect "--version" 0 '^cudasim [0-9]' "${debug[@]}" --version
expect "help" 0 '-return-child-result' "$cudasim" help debug
expect "--help" 0 'usage: cudasim debug' "${debug[@]}" --help
expect "arguments go to the program" 0 '1 arguments, the first -x' \
	bash -c '"$@" <input' bash "${debug[@]}" -q --args ./app -x
expect "a program in the current folder, by name" 0 '0 arguments' \
	bash -c '"$@" <input' bash "${debug[@]}" -q app
expect "-batch ends with 0" 0 'exited with code 03' "${debug[@]}" -batch -ex run ./app
expect "-return-child-result ends with the program's status" 3 'exited with code 03' \
	"${debug[@]}" -batch -return-child-result -ex run ./app
expect "CUDASIM_DEBUG=1" 0 'exited with code 03' \
	bash -c '"$@" <input' bash env CUDASIM_DEBUG=1 ./app
expect "CUDASIM_DEBUG=0 is off" 3 '0 arguments' env CUDASIM_DEBUG=0 ./app
expect "CUDASIM_DEBUG with another value" 1 'CUDASIM_DEBUG=yes: must be 0.1.wait' \
	env CUDASIM_DEBUG=yes ./app
cat >null.cu <<'CU'
__global__ void null(int *out) { *out = 1; }
int main() { null<<<1, 1>>>(nullptr); return cudaDeviceSynchronize() == cudaSuccess; }
CU
"$cudasim" cc null.cu -o null || fail "null.cu builds"
expect "a core dump that is asked for" 0 'CUDA_ENABLE_COREDUMP_ON_EXCEPTION: kernels leave no core dumps' \
	env CUDA_ENABLE_COREDUMP_ON_EXCEPTION=1 ./null
expect "none is" 0 '^0$' bash -c 'CUDA_ENABLE_COREDUMP_ON_EXCEPTION=0 ./null 2>&1 | grep -c CUDA_ENABLE; true'
if [ "$(id -u)" -ne 0 ]; then
	expect "a program that may not be run" 1 "cannot run" "${debug[@]}" ./private
fi
finish
