#include "program/cli/command_line.hpp"

int main(int count, char** words) { return carbo::program::run_program(count, words); }
