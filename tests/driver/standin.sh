# SPDX-License-Identifier: Apache-2.0
# Libraries that are not simulated: programs link and start, and their functions say what they are. The
# answers without a handle are those of the libraries of CUDA 13.0.
. "$(dirname "$0")/lib.sh"
cat >program.c <<'EOF'
#include <stdio.h>
int cufftGetVersion(int *), cufftGetProperty(int, int *), cufftPlan1d(int *, int, int, int);
int curandGetVersion(int *), curandGetProperty(int, int *), curandCreateGenerator(void **, int);
int cusolverGetVersion(int *), cusolverDnCreate(void **), cusolverSpCreateCsrcholInfo(void **);
int cusparseGetProperty(int, int *), cusparseCreate(void **);
const char *cusparseGetErrorName(int), *cusparseGetErrorString(int);
int main(void)
{
	int n = 0, status;
	void *handle;
	status = cufftGetProperty(9, &n);
	printf("cufft %d", status);
	status = cufftPlan1d(&n, 16, 0, 1);
	printf(" %d\n", status);
	status = curandGetProperty(9, &n);
	printf("curand %d", status);
	status = curandCreateGenerator(&handle, 100);
	printf(" %d\n", status);
	status = cusolverGetVersion(NULL);
	printf("cusolver %d", status);
	status = cusolverDnCreate(&handle);
	printf(" %d", status);
	status = cusolverSpCreateCsrcholInfo(&handle);
	printf(" %d\n", status);
	status = cusparseGetProperty(0, NULL);
	printf("cusparse %d", status);
	status = cusparseCreate(&handle);
	printf(" %d %s: %s\n", status, cusparseGetErrorName(status), cusparseGetErrorString(status));
	printf("%s\n", cusparseGetErrorName(99));
	cufftGetVersion(&n);
	printf("%d", n);
	curandGetVersion(&n);
	printf(" %d", n);
	cusolverGetVersion(&n);
	printf(" %d\n", n);
	return 0;
}
EOF
lib64=$("$cudasim" toolkit-path)/lib64
expect "programs link with what a toolkit's folder has" 0 '' gcc program.c -o program -L"$lib64" -lcufft -lcurand \
	-lcusolver -lcusparse -Wl,-rpath,"$lib64"
./program >output 2>errors
expect "what the libraries answer" 0 '' diff output - <<'EOF'
cufft 3 16
curand 104 204
cusolver 3 9 9
cusparse 3 10 CUSPARSE_STATUS_NOT_SUPPORTED: operation not supported
unrecognized error code
12000 10400 12004
EOF
expect "each function that is not there is named" 0 '' diff errors - <<'EOF'
cudasim: cufftPlan1d is not simulated
cudasim: curandCreateGenerator is not simulated
cudasim: cusolverDnCreate is not simulated
cudasim: cusolverSpCreateCsrcholInfo is not simulated
cudasim: cusparseCreate is not simulated
EOF
echo 'int cufftGetVersion(int *); int main() { int n; return cufftGetVersion(&n); }' >use.cu
sed -i 's/^int/extern "C" int/' use.cu
expect "cudasim cc does not link them" 1 '^cudasim: the program calls libcufft, which is not simulated$' \
	"$cudasim" cc use.cu -lcufft -o use
finish
