#pragma once

#include <type_traits>

#include "acquisition/ei_cool.hpp"
#include "acquisition/gittins.hpp"
#include "acquisition/mes_cool.hpp"
#include "acquisition/random.hpp"

namespace carbo::kernels {

/// visitor(std::type_identity<A>) of the acquisition with this number; `otherwise` where there is none.
template <class Visitor, class Result>
Result visit_acquisition(Acquisition which, const Visitor& visitor, Result otherwise) {
  switch (which) {
#define CARBO_VISIT(name, constant, type) \
  case Acquisition::name:                 \
    return visitor(std::type_identity<type>{});
    CARBO_ACQUISITIONS(CARBO_VISIT)
#undef CARBO_VISIT
  }
  return otherwise;
}

/// visitor(std::type_identity<Score>) of what scores candidates; `otherwise` where the acquisition scores nothing.
template <class Visitor, class Result>
Result visit_score(Acquisition which, const Visitor& visitor, Result otherwise) {
  return visit_acquisition(
      which,
      [&](auto acquisition) -> Result {
        using Score = typename decltype(acquisition)::type::Score;
        if constexpr (std::is_same_v<Score, NoScore>)
          return otherwise;
        else
          return visitor(std::type_identity<Score>{});
      },
      otherwise);
}

/// Whether bounds may rule out candidates under an acquisition.
inline bool has_ceilings(const AcquisitionSpec& acquisition) {
  return visit_score(
      acquisition.which, [](auto score) { return decltype(score)::type::has_ceilings; }, false);
}

/// visitor(std::type_identity<Score>) of everything that scores, each once.
template <class Visitor>
void for_each_score(const Visitor& visitor) {
  const auto visit = [&]<class Score, bool own>() {
    if constexpr (own && !std::is_same_v<Score, NoScore>) visitor(std::type_identity<Score>{});
  };
#define CARBO_VISIT(name, constant, type) visit.template operator()<type::Score, std::is_same_v<type, type::Score>>();
  CARBO_ACQUISITIONS(CARBO_VISIT)
#undef CARBO_VISIT
}

}  // namespace carbo::kernels
