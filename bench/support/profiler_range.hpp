#pragma once

#include <string>

#if defined(CARBO_NVTX)
#include <nvtx3/nvToolsExt.h>
#endif

namespace carbo::bench {

/// A named range in the timelines of NVIDIA's profilers (nsys, ncu) for as long as it lives. Nothing happens where no
/// profiler is attached, or where NVTX was not found when this was built.
class ProfilerRange {
 public:
  explicit ProfilerRange([[maybe_unused]] const std::string& name) {
#if defined(CARBO_NVTX)
    nvtxRangePushA(name.c_str());
#endif
  }
  ~ProfilerRange() {
#if defined(CARBO_NVTX)
    nvtxRangePop();
#endif
  }
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace carbo::bench
