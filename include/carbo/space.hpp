#pragma once

#include <carbo/language.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace carbo {

enum class ParameterKind { real, integer, categorical, ordinal, discrete };
enum class Scale { linear, log };

/// One named dimension of the search space. Made by the functions below; checked when a Space is built.
class Parameter {
 public:
  /// The same parameter on a logarithmic scale (real and integer only; bounds above 0).
  Parameter log() const;

  const std::string& name() const { return name_; }
  ParameterKind kind() const { return kind_; }
  Scale scale() const { return scale_; }
  double lower() const { return lower_; }
  double upper() const { return upper_; }
  /// Names of the categories or levels; empty for real, integer and discrete.
  const std::vector<std::string>& labels() const { return labels_; }
  /// Values of a discrete parameter, ascending; empty for every other kind.
  const std::vector<double>& values() const { return values_; }
  /// Number of distinct values; 0 where it is not finite.
  std::uint64_t cardinality() const;

 private:
  friend Parameter real(std::string name, double lower, double upper);
  friend Parameter integer(std::string name, std::int64_t lower, std::int64_t upper);
  friend Parameter categorical(std::string name, std::vector<std::string> categories);
  friend Parameter ordinal(std::string name, std::vector<std::string> levels);
  friend Parameter discrete(std::string name, std::vector<double> values);

  std::string name_;
  ParameterKind kind_ = ParameterKind::real;
  Scale scale_ = Scale::linear;
  double lower_ = 0;
  double upper_ = 1;
  std::vector<std::string> labels_;
  std::vector<double> values_;
};

/// A real number in [lower, upper].
Parameter real(std::string name, double lower, double upper);
/// A whole number in [lower, upper].
Parameter integer(std::string name, std::int64_t lower, std::int64_t upper);
/// One of a set of names without an order.
Parameter categorical(std::string name, std::vector<std::string> categories);
/// One of a list of names in order, equally far apart.
Parameter ordinal(std::string name, std::vector<std::string> levels);
/// One of a list of ascending numbers, treated as equally far apart.
Parameter discrete(std::string name, std::vector<double> values);

using Value = std::variant<double, std::int64_t, std::string>;

/// A point of a space. Cheap to copy; refers to its space's parameters, which it keeps alive.
class Configuration {
 public:
  /// Of no space: no parameters, no numbers.
  Configuration();
  /// Value of a real, integer or discrete parameter as a double.
  double real(std::string_view name) const;
  /// Value of an integer parameter, or of a discrete one that is whole, or the level number of an ordinal.
  std::int64_t integer(std::string_view name) const;
  /// Name of a category or of an ordinal level.
  const std::string& category(std::string_view name) const;
  /// The value of any parameter.
  Value value(std::string_view name) const;
  /// `name=value` pairs in the order of the space, separated by blanks.
  std::string to_string() const;

  const std::vector<Parameter>& parameters() const { return *parameters_; }
  /// One number a parameter: the value itself for real, integer and discrete; the position of the label otherwise.
  std::span<const double> numbers() const { return numbers_; }

  friend bool operator==(const Configuration& a, const Configuration& b) {
    return a.numbers_ == b.numbers_ && (a.parameters_ == b.parameters_ || a.same_names(b));
  }

 private:
  friend class Space;
  Configuration(std::shared_ptr<const std::vector<Parameter>> parameters, std::vector<double> numbers);
  std::size_t position(std::string_view name) const;
  bool same_names(const Configuration& other) const;

  std::shared_ptr<const std::vector<Parameter>> parameters_;
  std::vector<double> numbers_;
};

/// The search space Ω: 1 to 100 parameters and known constraints.
class Space {
 public:
  using Predicate = std::function<bool(const Configuration&)>;

  /// Throws InvalidSpace naming the parameter at fault.
  Space(std::initializer_list<Parameter> parameters);
  explicit Space(std::vector<Parameter> parameters);

  /// Adds a known constraint: only configurations for which `allowed` returns true are ever suggested.
  /// `description` is used in messages. The predicate must be thread-safe and pure.
  Space& constrain(Predicate allowed, std::string description = "constraint");

  const std::vector<Parameter>& parameters() const { return *parameters_; }
  /// Number of distinct configurations before constraints; 0 where it is not finite or passes 2^63.
  std::uint64_t cardinality() const;
  /// True where every parameter is finite.
  bool finite() const;
  /// True where a known constraint was added.
  bool constrained() const { return !constraints_.empty(); }
  /// Descriptions of the constraints, in the order in which they were added.
  const std::vector<std::string>& constraint_names() const { return constraint_names_; }
  /// The constraints themselves, in the same order.
  const std::vector<Predicate>& constraints() const { return constraints_; }
  bool allows(const Configuration& configuration) const;
  /// Description of the first constraint that rejects the configuration; empty where none does.
  std::string violated(const Configuration& configuration) const;

  /// From values by name; throws InvalidConfiguration on a missing, unknown or out-of-range value.
  Configuration configuration(const std::map<std::string, Value>& values) const;
  /// From one number a parameter (see Configuration::numbers); the same checks.
  Configuration configuration(std::span<const double> numbers) const;

  /// Number of encoded columns: one a parameter, except one a category for a categorical.
  std::size_t encoded_columns() const { return column_parameter_.size(); }
  /// Parameter that each encoded column belongs to (columns of one parameter are adjacent, in order).
  std::span<const int> column_parameters() const { return column_parameter_; }
  /// Encodes into the unit cube; a category is one-hot with entries 1/sqrt(2), so two differ by distance 1.
  std::vector<double> encode(const Configuration& configuration) const;
  void encode(std::span<const double> numbers, std::span<double> encoded) const;
  /// Nearest configuration to an encoded point; values are clamped into the space.
  Configuration decode(std::span<const double> encoded) const;
  /// Numbers of the configuration at unit-cube coordinates, one in [0, 1) a parameter. Equal shares of
  /// [0, 1) go to each value of a finite parameter; on a log scale, integer v has the share that
  /// [v - 0.5, v + 0.5] has of the logarithms.
  void from_unit(std::span<const double> unit, std::span<double> numbers) const;

 private:
  void validate() const;

  std::shared_ptr<const std::vector<Parameter>> parameters_;
  std::vector<int> column_parameter_;
  std::vector<Predicate> constraints_;
  std::vector<std::string> constraint_names_;
};

namespace internal {
struct PoolStorage;
}

/// A caller's candidate set: a table, a library of molecules. Never refined, never renewed. Cheap to copy: copies
/// share the rows, which never change.
class Pool {
 public:
  /// `rows` × `space.parameters().size()` numbers, row-major (see Configuration::numbers), at most 2^31 rows.
  /// Throws InvalidPool naming row and parameter.
  Pool(const Space& space, std::span<const double> numbers, std::size_t rows);
  Pool(const Space& space, const std::vector<Configuration>& configurations);

  /// A pool whose rows stay in a memory-mapped file and are never all in memory: little-endian float64, rows ×
  /// parameters, row-major, no header, at most 2^32 rows. Every number is checked here; throws InvalidPool naming
  /// file, row and parameter. The file must not change while the pool or a copy of it is alive: a file that is cut
  /// short then ends the process (SIGBUS); a number that has left its parameter is an InvalidPool of the call that
  /// reads it, and other changes go unseen.
  static Pool map(const Space& space, const std::filesystem::path& file);

  std::size_t size() const { return rows_; }
  /// Of a mapped pool: the file's numbers, −0 included; what is read this way may stay in memory.
  std::span<const double> numbers() const { return numbers_; }
  std::span<const double> row(std::size_t index) const;

  /// Where the rows lie; for the engine.
  const internal::PoolStorage& storage() const { return *storage_; }

 private:
  explicit Pool(std::shared_ptr<const internal::PoolStorage> storage);

  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::span<const double> numbers_;  ///< into the storage
  std::shared_ptr<const internal::PoolStorage> storage_;
};

}  // namespace carbo
