#include "space/sobol_recipe.hpp"

#include <algorithm>

#include "space/axis.hpp"
#include "support/random.hpp"

namespace carbo::internal {

SobolRecipe make_sobol_recipe(const Space& space, std::uint64_t seed, std::uint64_t round) {
  SobolRecipe recipe;
  for (const Axis& axis : axes_of(space)) {
    const std::size_t dimension = recipe.axes.size();
    const bool categorical = axis.parameter().kind() == ParameterKind::categorical;
    kernels::SobolAxis own;
    own.map = axis.map();
    own.first_column = static_cast<int>(recipe.columns);
    own.columns = categorical ? static_cast<int>(axis.parameter().labels().size()) : 1;
    own.key = kernels::philox(seed, round, (static_cast<std::uint64_t>(Draw::sobol_scramble) << 32) | dimension);
    std::copy_n(kernels::sobol_directions.word[dimension], kernels::sobol_bits, own.directions);
    recipe.columns += static_cast<std::size_t>(own.columns);
    recipe.axes.push_back(own);
  }
  return recipe;
}

}  // namespace carbo::internal
