#include "foreflow/reproduce/reproduce.h"

#include <filesystem>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/timing.h"
#include "foreflow/base/progress.h"
#include "foreflow/reproduce/scatter.h"

namespace foreflow::cli::definitions::reproduce_command {
namespace {

struct Options {
  std::vector<std::string> names;
  std::string folder, json, svg;
  int jobs    = default_workers();
  bool timing = false;
};

reproduce::Result reproduced(const reproduce::ReproductionDef& row, const Options& options) {
  std::unique_ptr<Progress> progress;
  reproduce::Options how{options.folder, options.jobs, options.timing, {}};
  how.finished = [&](size_t done, size_t total) {
    if (progress == nullptr) progress = std::make_unique<Progress>("reproduce", total);
    progress->update(done);
  };
  return row.run(how);
}

// Foreflow's own folder is beside the command, unless that was copied alone.
void check_folder(const std::string& folder) {
  std::error_code unknown;
  if (std::filesystem::is_directory(std::filesystem::path(folder) / "scenarios", unknown)) return;
  throw Error(folder,
              "has no scenarios/; --data names the folder that has them, tests/published/ and tests/data/, "
              "such as Foreflow's source folder");
}

void run(const Options& options) {
  if (options.jobs < 1) throw Error("--jobs", std::to_string(options.jobs) + " is too small; use 1 or more");
  std::vector<const reproduce::ReproductionDef*> rows;
  for (const std::string& name : options.names)
    rows.push_back(&reproduce::reproductions().get(name, "foreflow reproduce"));
  check_folder(options.folder);
  std::vector<reproduce::Result> results;
  std::vector<reproduce::ScatterSeries> series;
  std::string text;
  Json all = Json::array();
  for (const auto* row : rows) results.push_back(reproduced(*row, options));
  for (size_t i = 0; i < rows.size(); ++i) {
    series.push_back({std::string(rows[i]->name), &results[i]});
    text += (i == 0 ? "" : "\n") + reproduce::to_text(*rows[i], results[i]);
    all.push(reproduce::to_json(*rows[i], results[i]));
  }
  if (!options.svg.empty()) write_if_given(options.svg, reproduce::draw_scatter(series));
  Json json = rows.size() == 1 ? all.if_array()->front() : Json::object().set("reproductions", std::move(all));
  if (options.timing) add_timing(json);
  answer(options.json, json, text);
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  options->folder    = data_folder();
  command.add_option("NAME", options->names, "the table or figure: see foreflow list reproductions; one or more")
      ->required();
  command.add_option(
      "--data", options->folder,
      "the folder with scenarios/, calibration/, tests/published/ and tests/data/ (default: Foreflow's own)");
  command.add_option("--jobs", options->jobs,
                     "worker processes (default: one a core); the answer is the same for any number");
  writes(command.add_option("--json", options->json, "write the result to FILE (- for stdout)"));
  writes(command.add_option("--svg", options->svg,
                            "draw predicted against published numbers to FILE, a colour for each NAME"));
  command.add_flag("--timing", options->timing, "add wall times, which differ from run to run, to the result");
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"reproduce", "make a published table or figure again: what the paper says, what Foreflow says, how far apart",
          "foreflow reproduce distir_table3", declare};
}

}  // namespace foreflow::cli::definitions::reproduce_command
