#pragma once

#include <carbo/language.hpp>

#include <carbo/acquisition_table.h>

namespace carbo {

/// How the next point is chosen once the initial design is done.
///
/// | acquisition   | picks |
/// | ------------- | ----- |
/// | `ei_cool`     | EI / c^alpha, alpha falling from 1 to 0 with the budget (CArBO) |
/// | `ei_per_cost` | EI / c (EIpu) |
/// | `ei`          | expected improvement, blind to cost |
/// | `random`      | uniform draws |
enum class Acquisition {
#define CARBO_ENUMERATOR(name, constant, type) name,
  CARBO_ACQUISITIONS(CARBO_ENUMERATOR)
#undef CARBO_ENUMERATOR
};

/// Numbers that some acquisitions take; the others do not look at them.
struct AcquisitionParameters {
#define CARBO_MEMBER(name, standard, lowest, highest) double name = standard;
  CARBO_ACQUISITION_PARAMETERS(CARBO_MEMBER)
#undef CARBO_MEMBER
};

}  // namespace carbo
