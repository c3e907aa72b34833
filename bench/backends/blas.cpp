#include "bench/backends/blas.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace carbo::bench {

namespace {

constexpr int column_major = 102, as_it_is = 111;  // of CBLAS

using Dgemm = void (*)(int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*,
                       int);
Dgemm dgemm = nullptr;

void blas_product(const double* a, const double* b, double* c, std::size_t size) {
  const int n = static_cast<int>(size);
  dgemm(column_major, as_it_is, as_it_is, n, n, n, 1.0, a, n, b, n, 0.0, c, n);
}

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(dlsym(library, name));
}

/// "OpenBLAS 0.3.21 NO_LAPACKE …": its first two words.
std::string first_words(const std::string& configuration) {
  std::istringstream words(configuration);
  std::string name, version;
  words >> name >> version;
  return name + " " + version;
}

/// Libraries stay open: their threads may still run.
Blas find_blas() {
  const char* const named = std::getenv("CARBO_BENCH_BLAS");
  std::vector<const char*> files{"libopenblas.so.0", "libopenblas.so"};
  if (named != nullptr) files = {named};
  for (const char* const file : files) {
    void* const library = *file == '\0' ? nullptr : dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    dgemm = symbol<Dgemm>(library, "cblas_dgemm");
    const auto set_threads = symbol<void (*)(int)>(library, "openblas_set_num_threads");
    const auto configuration = symbol<const char* (*)()>(library, "openblas_get_config");
    const auto kernel = symbol<const char* (*)()>(library, "openblas_get_corename");
    if (dgemm == nullptr || set_threads == nullptr || configuration == nullptr || kernel == nullptr) continue;
    set_threads(1);  // every thread of ours has a product of its own
    return {first_words(configuration()) + ", " + kernel(), blas_product};
  }
  return {};
}

}  // namespace

const Blas& installed_blas() {
  static const Blas blas = find_blas();
  return blas;
}

}  // namespace carbo::bench
