#pragma once

#include <cstddef>

#include <carbo/memory_plan.hpp>

namespace carbo::internal {

/// Threads that every plan has room for, whatever the machine has.
inline constexpr std::size_t planned_threads = 4;

/// What a backend keeps, in bytes, with models of a given number of rows.
struct MemoryLayout {
  std::size_t observations = 0;
  std::size_t models = 0;      ///< without what fits need
  std::size_t fit = 0;         ///< at least: one likelihood of all rows, or of few rows one a planned thread
  std::size_t scratch = 0;     ///< that does not depend on threads
  std::size_t thread = 0;      ///< a thread
  std::size_t likelihood = 0;  ///< one of all rows
  std::size_t candidate = 0;   ///< a candidate
  std::size_t posterior = 0;   ///< a candidate
  std::size_t ahead = 0;       ///< a candidate, of the tile that is on its way while another is searched

  std::size_t fixed() const { return observations + models + fit + scratch + planned_threads * thread; }
  std::size_t each() const { return candidate + posterior; }
  std::size_t each_streamed() const { return each() + ahead; }
};

/// Rows of one model.
struct ModelRows {
  std::size_t all = 0;
  std::size_t of_a_start = 0;  ///< that a start of its fit sees, before the polish on all
};

/// What a backend needs, as the backend says. Of those of this library it is known without a backend: a plan may be
/// asked for where no device is.
class Footprint {
 public:
  virtual ~Footprint() = default;
  /// Grows with the rows.
  virtual MemoryLayout layout(const MemoryRequest& request, const ModelRows& rows) const = 0;
};

const Footprint& cpu_footprint();
const Footprint& cuda_footprint();

}  // namespace carbo::internal
