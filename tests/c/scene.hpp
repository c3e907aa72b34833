#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <carbo/carbo.h>

/// A small pool with an objective and a cost, and the C functions in one line each.
namespace c_scene {

/// The struct that an init function fills.
inline carbo_selector_options some_options(std::int64_t columns) {
  carbo_selector_options options;
  EXPECT_EQ(carbo_selector_options_init(&options, sizeof options), CARBO_OK);
  options.columns = columns;
  options.seed = 7;
  options.backend = CARBO_BACKEND_CPU;
  options.threads = 1;
  return options;
}

inline carbo_pick_request picks(std::int64_t count, double alpha = 1) {
  carbo_pick_request request;
  EXPECT_EQ(carbo_pick_request_init(&request, sizeof request), CARBO_OK);
  request.count = count;
  request.alpha = alpha;
  return request;
}

inline std::string thread_message() {
  char buffer[2000] = "";
  EXPECT_EQ(carbo_message(buffer, sizeof buffer, nullptr), CARBO_OK);
  return buffer;
}

inline std::string message_of(carbo_selector* selector) {
  char buffer[2000] = "";
  EXPECT_EQ(carbo_selector_message(selector, buffer, sizeof buffer, nullptr), CARBO_OK);
  return buffer;
}

/// The status, and a message of the thread with every part in it.
inline void expect_failure(carbo_status found, carbo_status expected, const std::vector<std::string>& parts = {}) {
  const std::string message = thread_message();
  EXPECT_STREQ(carbo_status_name(found), carbo_status_name(expected)) << message;
  EXPECT_FALSE(message.empty());
  for (const std::string& part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' in: " << message;
}

/// Candidates on an additive sequence, a bowl as the objective, a cost that rises with the first column.
struct Problem {
  explicit Problem(std::size_t count = 60, std::size_t width = 3) : rows(count), columns(width) {
    for (std::size_t i = 0; i < rows; ++i) {
      double height = 0;
      for (std::size_t j = 0; j < columns; ++j) {
        const double position = (1.0 + i) * std::sqrt(2.0 + 3 * j);
        pool.push_back(position - std::floor(position));
        height += std::pow(pool.back() - 0.4, 2);
      }
      objectives.push_back(height);
      costs.push_back(1 + 5 * pool[i * columns]);
    }
  }

  std::size_t rows, columns;
  std::vector<double> pool;  ///< rows × columns, row-major
  std::vector<double> objectives, costs;
};

inline carbo_vector host(const std::vector<double>& values) {
  return carbo_vector_of(values.data(), CARBO_FLOAT64, CARBO_HOST, static_cast<std::int64_t>(values.size()));
}
inline carbo_indices host(const std::vector<std::int64_t>& rows) {
  return carbo_indices_of(rows.data(), CARBO_HOST, static_cast<std::int64_t>(rows.size()));
}
inline carbo_index_room room(std::vector<std::int64_t>& rows) {
  return carbo_index_room_of(rows.data(), CARBO_HOST, static_cast<std::int64_t>(rows.size()));
}
inline carbo_vector_room room(std::vector<double>& values) {
  return carbo_vector_room_of(values.data(), CARBO_FLOAT64, CARBO_HOST, static_cast<std::int64_t>(values.size()));
}

/// A selector with the problem's pool and its first rows observed, destroyed at the end.
class Scene {
 public:
  explicit Scene(std::int64_t observed = 12) : Scene(some_options(3), observed) {}
  Scene(const carbo_selector_options& options, std::int64_t observed) {
    EXPECT_EQ(carbo_selector_create(&options, &selector), CARBO_OK) << thread_message();
    const carbo_matrix rows = pool();
    EXPECT_EQ(carbo_selector_set_pool(selector, &rows, nullptr), CARBO_OK) << thread_message();
    std::vector<std::int64_t> first(static_cast<std::size_t>(observed));
    std::iota(first.begin(), first.end(), 0);
    if (observed > 0) {
      EXPECT_EQ(append(first), CARBO_OK) << thread_message();
    }
  }
  ~Scene() {
    if (selector != nullptr) carbo_selector_destroy(selector);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  carbo_matrix pool() const {
    return carbo_matrix_of(problem.pool.data(), CARBO_FLOAT64, CARBO_HOST, CARBO_ROW_MAJOR,
                           static_cast<std::int64_t>(problem.rows), static_cast<std::int64_t>(problem.columns));
  }
  /// What the problem says of these rows.
  carbo_status append(const std::vector<std::int64_t>& rows) {
    std::vector<double> objectives, costs;
    for (const std::int64_t row : rows) {
      objectives.push_back(problem.objectives.at(static_cast<std::size_t>(row)));
      costs.push_back(problem.costs.at(static_cast<std::size_t>(row)));
    }
    const carbo_indices which = host(rows);
    const carbo_vector values = host(objectives), prices = host(costs);
    return carbo_selector_append_rows(selector, &which, &values, &prices);
  }
  std::vector<std::int64_t> suggest(std::int64_t count, double alpha = 1) {
    std::vector<std::int64_t> rows(static_cast<std::size_t>(count), -1);
    const carbo_pick_request request = picks(count, alpha);
    const carbo_index_room output = room(rows);
    std::int64_t written = -1;
    EXPECT_EQ(carbo_selector_suggest(selector, &request, &output, nullptr, &written), CARBO_OK) << thread_message();
    EXPECT_EQ(written, count);
    return rows;
  }
  carbo_selector_info info() const {
    carbo_selector_info info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(carbo_selector_get_info(selector, &info), CARBO_OK) << thread_message();
    return info;
  }

  Problem problem;
  carbo_selector* selector = nullptr;
};

}  // namespace c_scene
