#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "backend/cpu/candidates.hpp"
#include "support/encoded_table.hpp"
#include "support/mixed_space.hpp"
#include "support/sobol_options.hpp"

namespace carbo::internal {
namespace {

std::shared_ptr<ThreadPool> two_threads() { return std::make_shared<ThreadPool>(2); }

/// Coordinates by the layout that candidates.hpp states: panels of panel_width, by coordinate, the last candidate
/// repeated to the end.
void expect_layout(const CpuCandidates& set, const std::vector<double>& rows, std::size_t columns) {
  ASSERT_EQ(set.size() * columns, rows.size());
  ASSERT_EQ(set.columns(), columns);
  for (std::size_t p = 0; p < set.panels(); ++p)
    for (std::size_t lane = 0; lane < panel_width; ++lane) {
      const std::size_t row = std::min(p * panel_width + lane, set.size() - 1);
      EXPECT_EQ(set.mask()[p * panel_width + lane], p * panel_width + lane < set.size() ? 1 : 0);
      for (std::size_t c = 0; c < columns; ++c)
        ASSERT_EQ(set.panel(p).data[c * panel_width + lane], rows[row * columns + c])
            << "panel " << p << ", " << lane;
    }
}

TEST(Panels, AreFilledWithTheLastCandidate) {
  const Space space = mixed_space();
  const LocalCentres centres{{*uniform_draw(space, 4, 0)}};
  for (const std::size_t count : {1u, 2u, 263u, 264u, 265u, 528u, 2000u}) {
    for (const double local_share : {0.0, 0.4}) {
      const CandidateTable table =
          make_candidate_table(space, test::sobol_options(count, local_share), 9, 2, centres);
      const std::vector<double> rows = test::encoded(table);
      expect_layout(CpuCandidates(two_threads(), MatrixView{rows.data(), table.rows, table.columns}, 1), rows,
                    table.columns);
      if (table.sobol.rows == 0) continue;
      SobolRows recipe{.recipe = &table.sobol.recipe, .first = table.sobol.first, .points = table.sobol.rows};
      recipe.indices = table.sobol.indices;
      recipe.others = {table.encoded.data(), table.rows - table.sobol.rows, table.columns};
      expect_layout(CpuCandidates(two_threads(), recipe, 1), rows, table.columns);
    }
  }
}

}  // namespace
}  // namespace carbo::internal
