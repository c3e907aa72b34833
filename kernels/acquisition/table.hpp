#pragma once

#include <type_traits>

#include "acquisition/ei_cool.hpp"
#include "acquisition/gittins.hpp"
#include "acquisition/random.hpp"

namespace carbo::kernels {

/// A type, as an argument.
template <class T>
struct Type {
  using type = T;
};

/// visitor(Type<A>) of the acquisition with this number; `otherwise` where there is none.
template <class Visitor, class Result>
Result visit_acquisition(Acquisition which, const Visitor& visitor, Result otherwise) {
  switch (which) {
#define CARBO_VISIT(name, constant, type) \
  case Acquisition::name:                 \
    return visitor(Type<type>{});
    CARBO_ACQUISITIONS(CARBO_VISIT)
#undef CARBO_VISIT
  }
  return otherwise;
}

/// visitor(Type<Score>) of what scores candidates; `otherwise` where the acquisition scores nothing.
template <class Visitor, class Result>
Result visit_score(Acquisition which, const Visitor& visitor, Result otherwise) {
  return visit_acquisition(
      which,
      [&](auto acquisition) -> Result {
        using Score = typename decltype(acquisition)::type::Score;
        if constexpr (std::is_same_v<Score, NoScore>)
          return otherwise;
        else
          return visitor(Type<Score>{});
      },
      otherwise);
}

/// visitor(Type<Score>) of everything that scores, each once.
template <class Visitor>
void for_each_score(const Visitor& visitor) {
  const auto visit = [&]<class Score, bool own>() {
    if constexpr (own && !std::is_same_v<Score, NoScore>) visitor(Type<Score>{});
  };
#define CARBO_VISIT(name, constant, type) visit.template operator()<type::Score, std::is_same_v<type, type::Score>>();
  CARBO_ACQUISITIONS(CARBO_VISIT)
#undef CARBO_VISIT
}

}  // namespace carbo::kernels
