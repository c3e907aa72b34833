#pragma once

#include "support/not_finite.hpp"
#include "svg_elements.hpp"

namespace carbo::draw {

using carbo::test::infinity;
using carbo::test::not_a_number;
using svg_elements::Element;
using svg_elements::named;
using svg_elements::Point;
using svg_elements::texts;
using svg_elements::well_formed;

}  // namespace carbo::draw
