#pragma once

/// \mainpage Reference
/// Everything: search space, options, ask/tell optimiser, the closed loop and the selector. CUDA types:
/// carbo/cuda.hpp; C: carbo/carbo.h.
#include <carbo/version.h>
#include <carbo/diagnostics.hpp>
#include <carbo/error.hpp>
#include <carbo/json.hpp>
#include <carbo/memory_plan.hpp>
#include <carbo/minimize.hpp>
#include <carbo/observation.hpp>
#include <carbo/optimizer.hpp>
#include <carbo/options.hpp>
#include <carbo/restore.hpp>
#include <carbo/selector.hpp>
#include <carbo/space.hpp>
#include <carbo/to_string.hpp>
#include <carbo/transform.hpp>
