# cmake -D SOURCE=<folder> -D HEADER=<file> -P CommitStamp.cmake
# Writes the commit of the folder, with -dirty where tracked files were changed, as build_commit. The file is left alone
# where it says that already, so that nothing is compiled again.
cmake_minimum_required(VERSION 3.25)
execute_process(
  COMMAND git -C ${SOURCE} describe --always --dirty
  OUTPUT_VARIABLE commit
  OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET
  RESULT_VARIABLE failure)
if(failure OR commit STREQUAL "")
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#pragma once\n\ninline constexpr const char* build_commit = \"@commit@\";\n"
     @ONLY)
