#include "foreflow/reproduce/reproduce.h"

#include "cli/command.h"
#include "cli/output.h"
#include "cli/timing.h"
#include "foreflow/base/progress.h"

namespace foreflow::cli::definitions::reproduce_command {
namespace {

struct Options {
  std::string name, folder, json;
  int jobs    = default_workers();
  bool timing = false;
};

void run(const Options& options) {
  if (options.jobs < 1) throw Error("--jobs", std::to_string(options.jobs) + " is too small; use 1 or more");
  const reproduce::ReproductionDef& row = reproduce::reproductions().get(options.name, "foreflow reproduce");
  std::unique_ptr<Progress> progress;
  reproduce::Options how{options.folder, options.jobs, options.timing, {}};
  how.finished = [&](size_t done, size_t total) {
    if (progress == nullptr) progress = std::make_unique<Progress>("reproduce", total);
    progress->update(done);
  };
  const reproduce::Result result = row.run(how);
  Json json                      = reproduce::to_json(row, result);
  if (options.timing) add_timing(json);
  answer(options.json, json, reproduce::to_text(row, result));
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  options->folder    = data_folder();
  command.add_option("NAME", options->name, "the table or figure: see foreflow list reproductions")->required();
  command.add_option("--data", options->folder,
                     "the folder with scenarios/, calibration/ and tests/published/ (default: Foreflow's own)");
  command.add_option("--jobs", options->jobs,
                     "worker processes (default: one a core); the answer is the same for any number");
  command.add_option("--json", options->json, "write the result to FILE (- for stdout)");
  command.add_flag("--timing", options->timing, "add wall times, which differ from run to run, to the result");
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"reproduce", "make a published table or figure again: what the paper says, what Foreflow says, how far apart",
          "foreflow reproduce distir_table3", declare};
}

}  // namespace foreflow::cli::definitions::reproduce_command
