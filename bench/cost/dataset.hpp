#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace carbo::cost_bench {

/// A binary classification problem, dense.
struct Dataset {
  std::size_t features = 0;
  std::vector<float> values{};  ///< rows × features
  std::vector<float> labels{};  ///< 1 for the positive class, 0 for the other

  std::size_t rows() const { return labels.size(); }
};

/// A file in LIBSVM's text format: "label index:value …", indices from 1 to `features` and ascending, labels above 0
/// positive. Throws std::runtime_error naming file and line.
Dataset read_libsvm(const std::filesystem::path& file, std::size_t features);

/// `count` rows of the set, evenly spaced (files are often sorted by label); all of them where it has no more.
Dataset spread_rows(const Dataset& set, std::size_t count);

/// Maps every feature's range over `train` to [0, 1], in both sets; features that are constant there become 0.
void scale_features(Dataset& train, Dataset& validation);

}  // namespace carbo::cost_bench
