/* SPDX-License-Identifier: Apache-2.0 */
/* Great-circle distance from one place to every point of a mesh of latitudes and
 * longitudes, in double, three times. The result is the same; what travels over
 * the bus is not:
 *   arrays     both coordinates of both ends are copied in for every point
 *   broadcast  the place is two scalars; only the mesh's coordinates are copied
 *   generated  each thread computes its own coordinates; nothing is copied in
 *
 * usage: distance [rows columns] */
#include <vector>

#include "../check.h"

static const double EARTH_RADIUS_KM = 6371.0;
static const double DEGREE = 3.14159265358979323846 / 180.0;

/* The haversine formula; angles in degrees, the result in kilometres. */
__host__ __device__ inline double great_circle(double lat1, double lon1, double lat2,
						double lon2)
{
	double half_lat = sin(0.5 * DEGREE * (lat2 - lat1));
	double half_lon = sin(0.5 * DEGREE * (lon2 - lon1));
	double h = half_lat * half_lat +
		   cos(DEGREE * lat1) * cos(DEGREE * lat2) * half_lon * half_lon;
	return 2.0 * EARTH_RADIUS_KM * asin(sqrt(h));
}

struct mesh {
	int rows, columns;
	double south, west, step_lat, step_lon; /* degrees */

	__host__ __device__ double latitude(int row) const
	{
		return south + row * step_lat;
	}
	__host__ __device__ double longitude(int column) const
	{
		return west + column * step_lon;
	}
};

__global__ void from_arrays(const double *lat1, const double *lon1, const double *lat2,
			    const double *lon2, double *km, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		km[i] = great_circle(lat1[i], lon1[i], lat2[i], lon2[i]);
}

__global__ void from_place(double lat, double lon, const double *lats, const double *lons,
			   double *km, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		km[i] = great_circle(lat, lon, lats[i], lons[i]);
}

__global__ void on_mesh(double lat, double lon, mesh m, double *km)
{
	int column = blockIdx.x * blockDim.x + threadIdx.x;
	int row = blockIdx.y * blockDim.y + threadIdx.y;
	if (column < m.columns && row < m.rows)
		km[row * m.columns + column] =
			great_circle(lat, lon, m.latitude(row), m.longitude(column));
}

/* Copies to and from the device, counted. */
static size_t bytes_in, bytes_out;

static double *copy_in(const std::vector<double> &v)
{
	double *there;
	CHECK(cudaMalloc(&there, v.size() * sizeof(double)));
	CHECK(cudaMemcpy(there, v.data(), v.size() * sizeof(double), cudaMemcpyHostToDevice));
	bytes_in += v.size() * sizeof(double);
	return there;
}

static std::vector<double> copy_out(const double *there, size_t n)
{
	std::vector<double> v(n);
	CHECK(cudaMemcpy(v.data(), there, n * sizeof(double), cudaMemcpyDeviceToHost));
	bytes_out += n * sizeof(double);
	return v;
}

static void report(const char *version, const std::vector<double> &km, double seconds)
{
	size_t n = km.size();
	printf("%-10s in %9zu bytes, out %8zu, first %.17g, middle %.17g, bits %016llx\n",
	       version, bytes_in, bytes_out, km[0], km[n / 2],
	       (unsigned long long)bits(km.data(), n));
	fprintf(stderr, "%-10s %.3f ms\n", version, 1e3 * seconds);
	bytes_in = bytes_out = 0;
}

int main(int argc, char **argv)
{
	mesh m = {argument(argc, argv, 1, 1000), argument(argc, argv, 2, 1000),
		  35.0, -10.0, 0.03, 0.05};
	int n = m.rows * m.columns, blocks = (n + 255) / 256;
	const double lat = 48.8566, lon = 2.3522;

	std::vector<double> lats(n), lons(n), place_lats(n, lat), place_lons(n, lon);
	for (int row = 0; row < m.rows; row++)
		for (int column = 0; column < m.columns; column++) {
			lats[row * m.columns + column] = m.latitude(row);
			lons[row * m.columns + column] = m.longitude(column);
		}
	double *km;
	CHECK(cudaMalloc(&km, n * sizeof(double)));

	double start = now();
	double *a = copy_in(place_lats), *b = copy_in(place_lons);
	double *c = copy_in(lats), *d = copy_in(lons);
	from_arrays<<<blocks, 256>>>(a, b, c, d, km, n);
	CHECK(cudaGetLastError());
	std::vector<double> first = copy_out(km, n);
	report("arrays", first, now() - start);
	for (double *p : {a, b, c, d})
		CHECK(cudaFree(p));

	start = now();
	c = copy_in(lats);
	d = copy_in(lons);
	from_place<<<blocks, 256>>>(lat, lon, c, d, km, n);
	CHECK(cudaGetLastError());
	report("broadcast", copy_out(km, n), now() - start);
	CHECK(cudaFree(c));
	CHECK(cudaFree(d));

	start = now();
	dim3 block(32, 8), grid((m.columns + 31) / 32, (m.rows + 7) / 8);
	on_mesh<<<grid, block>>>(lat, lon, m, km);
	CHECK(cudaGetLastError());
	report("generated", copy_out(km, n), now() - start);
	CHECK(cudaFree(km));

	double worst = 0;
	for (int i = 0; i < n; i++)
		worst = fmax(worst, fabs(first[i] - great_circle(lat, lon, lats[i], lons[i])));
	printf("within a micrometre of the host's: %s\n", worst < 1e-9 ? "yes" : "no");
	return !(worst < 1e-9);
}
