#include "bench/hpo/command_line.hpp"

#include "bench/support/words.hpp"

namespace carbo::hpo {

const char* const usage =
    "carbo_hpo: the experiments of Lee et al. (2020) on tables of measured runs, beside the paper's figures.\n"
    "\n"
    "  --experiments A,B  of tables, ablation, scaling, share, draws, reference, half, double, likelihood,\n"
    "                     gpyopt, continuous, noise, noise3 and live (all but live)\n"
    "  --problems A,B     only these, such as knn_a1a (all twenty); a report needs all\n"
    "  --seeds N          runs where the paper has 51 and they are short (51)\n"
    "  --few-seeds N      runs of large batches, and where the paper used one problem (15)\n"
    "  --jobs N           runs at a time, one thread each (all cores)\n"
    "  --data DIR         the tables (those of the project)\n"
    "  --sets DIR         LIBSVM's data sets, for the live check: five problems with scikit-learn in a child "
    "process\n"
    "  --out DIR          where runs, report, CSV and figures go (hpo)\n"
    "\n"
    "Finished runs stay in DIR and are not made again: stop it and start it as you like. After a change of the "
    "library\n"
    "or of the tables, give a new DIR.\n";

CommandLine parse_command_line(const std::vector<std::string>& arguments) {
  CommandLine result;
  result.data = std::filesystem::path(CARBO_HPO_FOLDER) / "data";
  const auto serve_sets = [&](const std::string&, const std::string& folder) {
    result.server = {std::string(CARBO_HPO_FOLDER) + "/serve", "--data", folder};
  };
  bench::read_arguments(arguments, {bench::flag("--help", result.help),
                                    bench::names("--experiments", result.experiments),
                                    bench::names("--problems", result.problems),
                                    bench::number("--seeds", result.seeds.many),
                                    bench::number("--few-seeds", result.seeds.few),
                                    bench::number("--jobs", result.jobs),
                                    bench::text("--data", result.data),
                                    bench::text("--out", result.out),
                                    {"--sets", true, serve_sets}});
  return result;
}

}  // namespace carbo::hpo
