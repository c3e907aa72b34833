#include <carbo/study.hpp>
