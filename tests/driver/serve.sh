#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The compile server: the same code and messages as without it, and what happens when it dies.
here=$(dirname "$(realpath "$0")")
. "$here/lib.sh"
library=$(realpath "$(dirname "$cudasim")/libraries/nvrtc/libcudasim-nvrtc.so")
export SERVE_TEST=$scratch

cat >compile <<END
#!/bin/bash
# SERVER CACHE [MODE]
CUDASIM_COMPILE_SERVER=\$1 CUDASIM_CACHE=$scratch/\$2 exec timeout 300 python3 "$here/serve.py" "$library" "\${@:3}"
END
chmod +x compile

# In one folder: its path is in the debug information.
./compile 0 cache >without.txt 2>without.err
rm -rf cache
./compile 1 cache >with.txt 2>with.err
if [ "$(grep -c '^== ' without.txt)" = 10 ] && grep -q '^== error 6' without.txt && grep -q '^== template 0' without.txt; then
	pass 'programs compile without a server'
else
	fail 'programs compile without a server' "$(grep -a '^== ' without.txt; cat without.err)"
fi
# A module's id is a hash of its bitcode, in which constants may be numbered otherwise: so of images the size.
for which in without with; do
	sed -E '/^\/\/cudasim:image/s/ [0-9a-f]{16}$//; /^\/\/[A-Za-z0-9+\/=]*$/d' $which.txt >$which.text
done
if [ "$(grep -ac '^//cudasim:image' with.text)" = 9 ] && cmp -s without.text with.text; then
	pass 'code and messages are the same with it'
else
	fail 'code and messages are the same with it' "$(diff -a without.text with.text | cut -c1-300 | head -20; cat with.err)"
fi
if grep -q '^servers 0' without.err && grep -q '^servers 2' with.err; then
	pass 'there is one, and a front of it'
else
	fail 'there is one, and a front of it' "$(cat without.err with.err)"
fi
# The programs differ from those before in their cache alone, so each is compiled anew.
expect 'one that died is replaced' 0 'status 0 0 servers True True' ./compile 1 killed kill
expect 'parent and child share it' 0 'status 0 0 0' ./compile 1 forked fork
expect "a program's own files are left alone" 0 'status 0 0 files 20 servers True' ./compile 1 closed close
expect 'what is no request is dropped' 0 \
	"answered 0 of 14 then 0 True 1 cudasim-devcc: error: unknown option '--no-such-option' end 0" \
	python3 "$here/serve.py" "$(dirname "$cudasim")/compiler/server/cudasim-compile-server" garbage
n=0
while [ "$(./compile 1 none none)" != 'servers 0' ] && [ $((n++)) -lt 100 ]; do sleep 0.1; done
expect 'it ends with the program' 0 'servers 0' ./compile 1 none none
expect 'a value that it cannot have' fail CUDASIM_COMPILE_SERVER env CUDASIM_COMPILE_SERVER=2 "$cudasim" run python3 -c 'import ctypes; ctypes.CDLL("libcuda.so.1").cuInit(0)'
expect 'cc-server without a socket' fail 'wrong arguments' "$cudasim" cc-server
finish
