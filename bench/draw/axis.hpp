#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace carbo::draw {

enum class Scale { linear, logarithmic, categories };

struct Range {
  double low = 0;
  double high = 1;
};

struct Tick {
  double at = 0;
  std::string label{};  ///< may be empty
};

struct Axis {
  std::string label{};
  Scale scale = Scale::linear;
  std::optional<Range> range{};           ///< absent: that of what is drawn, a little wider where it must be
  std::vector<Tick> ticks{};              ///< empty: chosen by `range`
  std::vector<std::string> categories{};  ///< of Scale::categories on an x axis: entry i is at i
  bool shared = false;                    ///< without `range`: one range for all panels that have the figure's axis
};

/// Shares of the budget in [0, 1].
Axis budget_axis();
/// One place a name, from left to right.
Axis category_axis(std::string label, std::vector<std::string> names);

/// Ticks of a linear axis that lie in [low, high]: multiples of 1, 2 or 5 times a power of ten, at most
/// one more than `wanted`. low < high, wanted >= 1.
std::vector<double> linear_ticks(double low, double high, double wanted);
/// 1, 2 and 5 times the powers of ten that lie in [low, high]. 0 < low < high.
std::vector<double> steps_of_125(double low, double high);
/// Ticks of a logarithmic axis that lie in [low, high]: decades, 1-2-5 steps where it spans few, a linear axis' where
/// it spans next to none. 0 < low < high.
std::vector<double> log_ticks(double low, double high);
/// 1e-3 as "0.001", 1e-5 as "1e-5", 2.5e6 as "2.5e6".
std::string tick_label(double value);

/// Scale and range of a drawn axis. low < high; where logarithmic, 0 < low.
struct Extent {
  Scale scale = Scale::linear;
  double low = 0;
  double high = 1;

  /// 0 at `low`, 1 at `high`.
  double share(double value) const;
  bool holds(double value) const { return low <= value && value <= high; }
};

}  // namespace carbo::draw
