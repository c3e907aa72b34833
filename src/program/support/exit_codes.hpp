#pragma once

namespace carbo::program {

struct ExitCode {
  int code;
  const char* meaning;
};

/// All that the program ends with, for people to read.
inline constexpr ExitCode exit_codes[] = {
    {0, "all went well; of run: the study is over"},
    {1, "something else went wrong"},
    {2, "the command line is wrong"},
    {3, "the study file is wrong"},
    {4, "no such study, an incompatible one, or its storage cannot be used"},
    {5, "another process holds the study, or it is paused"},
    {6, "a value, a result or an id was refused; nothing was recorded of it"},
    {7, "ask: nothing to suggest, the study is over"},
    {8, "run: too many evaluations failed in a row, or none succeeded"},
    {9, "run: nothing is left to do here, but others hold the rest of the study"},
    {130, "run, replay: interrupted and saved (128 and the number of the signal)"},
};

}  // namespace carbo::program
