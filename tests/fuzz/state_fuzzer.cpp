#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <carbo/carbo.hpp>

// Any bytes are refused with an error of ours or are the state of a study, whose own state is read as the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  carbo::RestoreOptions given;
  given.backend = carbo::BackendOptions{.kind = carbo::BackendKind::cpu, .threads = 1};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const std::string state = carbo::Optimizer::restore(text, given).save();
    if (carbo::Optimizer::restore(state, given).save() == state) return 0;
  } catch (const carbo::Error&) {
    return 0;
  }
  std::fprintf(stderr, "another state after a restore\n");
  std::abort();
}
