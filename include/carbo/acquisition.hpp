#pragma once

#include <carbo/language.hpp>

#include <carbo/acquisition_table.h>

namespace carbo {

/// How the next point is chosen once the initial design is done.
///
/// | acquisition   | picks |
/// | ------------- | ----- |
/// | `ei_cool`     | EI / c^alpha (CArBO), alpha from 1 on; see `cooling`, by which it falls |
/// | `ei_per_cost` | EI / c (EIpu) |
/// | `ei`          | expected improvement, blind to cost |
/// | `random`      | uniform draws |
/// | `gittins`     | the lowest Gittins index of Pandora's box: the g at which EI below g equals lambda · c |
/// | `mes_cool`    | max-value entropy search over c^alpha, alpha as in `ei_cool`: what is learned of the optimum |
enum class Acquisition {
#define CARBO_ENUMERATOR(name, constant, type) name,
  CARBO_ACQUISITIONS(CARBO_ENUMERATOR)
#undef CARBO_ENUMERATOR
};

/// Numbers that some acquisitions take; the others do not look at them.
///
/// | parameter      | of        | range | what it is |
/// | -------------- | --------- | ----- | ---------- |
/// | `lambda`       | `gittins` | 0 and above | units of the objective that a unit of cost is worth |
/// | `lambda_decay` | `gittins` | 0.001 to 1  | lambda's factor after an `ask` with no index below the incumbent |
/// | `cooling`      | `ei_cool` | 0 to 100    | alpha = (share of the search's budget that is left)^cooling |
///
/// A cooling of 1 is the paper's: alpha falls from 1 to 0 with the budget; below 1 it stays high for longer, above 1
/// it falls sooner; 0 keeps it at 1, which is `ei_per_cost`. Who gives alpha himself (the selector) has cooled
/// already: `cooling` is not looked at there. A lambda of 0 stands for a tenth of the objective's standard deviation
/// per typical cost, as observed when the search begins; a decay of 1 leaves lambda as it is. The objective is as
/// transformed, but under Transform::automatic its own.
struct AcquisitionParameters {
#define CARBO_MEMBER(name, standard, lowest, highest) double name = standard;
  CARBO_ACQUISITION_PARAMETERS(CARBO_MEMBER)
#undef CARBO_MEMBER
};

}  // namespace carbo
