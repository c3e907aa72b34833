#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <carbo/carbo.hpp>

// Any bytes are refused with an error of ours or are the state of a study, whose own state is read as the same, but
// for a clock.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  carbo::RestoreOptions given;
  given.backend = carbo::BackendOptions{.kind = carbo::BackendKind::cpu, .threads = 1};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const carbo::Optimizer optimizer = carbo::Optimizer::restore(text, given);
    const std::string state = optimizer.save();
    const carbo::Optimizer again = carbo::Optimizer::restore(state, given);
    const bool clock = optimizer.accounting() == carbo::Accounting::wall_clock;  // which goes on
    if (clock || again.save() == state) return 0;
  } catch (const carbo::Error&) {
    return 0;
  }
  std::fprintf(stderr, "another state after a restore\n");
  std::abort();
}
