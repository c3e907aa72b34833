# With an older standard every header of C++ ends in one error that says which one is needed; those of C are C. Given:
# PREFIX, CXX.

include(${CMAKE_CURRENT_LIST_DIR}/steps.cmake)
set(compile ${CXX} -std=c++17 -fsyntax-only -Wall -Wextra -Werror -I ${PREFIX}/include)

file(GLOB headers RELATIVE ${PREFIX}/include ${PREFIX}/include/carbo/*.hpp)
list(LENGTH headers count)
if(count LESS 10)
  finish("only these headers were installed: ${headers}")
endif()
foreach(header IN LISTS headers)
  # A program goes on with more that C++17 does not know.
  file(WRITE ${work}/main.cpp "#include <${header}>\nstd::span<const carbo::Suggestion> suggestions;\n")
  expect_failure(1 "Carbo needs C\\+\\+20: compile with -std=c\\+\\+20 or later" ${compile} ${work}/main.cpp)
  string(REGEX MATCHALL "error: " found "${errors}")
  string(REGEX MATCHALL "\n" lines "${errors}")
  list(LENGTH found found)
  list(LENGTH lines lines)
  if(found GREATER 1 OR lines GREATER 10)
    finish("${found} errors in ${lines} lines:\n${errors}")
  endif()
endforeach()

file(WRITE ${work}/main.cpp "#include <carbo/carbo.h>
#include <carbo/version.h>
static_assert(CARBO_VERSION == CARBO_VERSION_MAJOR * 1000000 + CARBO_VERSION_MINOR * 1000 + CARBO_VERSION_PATCH);
")
step(carbo.h ${compile} ${work}/main.cpp)
file(REMOVE_RECURSE ${work})
