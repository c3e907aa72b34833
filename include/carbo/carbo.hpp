#pragma once

/// Everything: search space, options, ask/tell optimiser and the closed loop.
#include <carbo/error.hpp>
#include <carbo/memory_plan.hpp>
#include <carbo/minimize.hpp>
#include <carbo/optimizer.hpp>
#include <carbo/options.hpp>
#include <carbo/space.hpp>
