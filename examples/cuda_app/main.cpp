/// A sweep of a library of simulated designs that never leaves the GPU: see README.md, and search.cu for the loop.

#include <cstdio>
#include <exception>
#include <stdexcept>

#include "arguments.hpp"
#include "device.hpp"
#include "report.hpp"
#include "search.hpp"

int main(int count, char** values) {
  try {
    const Arguments arguments = parse_arguments(count, values);
    if (arguments.help) {
      std::fputs(usage, stdout);
      return 0;
    }
    trace_waits = arguments.trace;

    keep_freed_memory();
    const Stream stream;
    const Library library(arguments.candidates, stream);
    print_head(arguments);
    const Outcome cooled = search(library, Method::cooled, arguments, stream);
    print_outcome("EI-cool", cooled);
    const Outcome plain = search(library, Method::plain, arguments, stream);
    print_outcome("EI", plain);
    print_saved(cooled, plain, arguments.budget);
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "cuda_app: %s; --help lists the options\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cuda_app: %s\n", error.what());
    return 1;
  }
}
