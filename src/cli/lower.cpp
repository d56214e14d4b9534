#include "foreflow/lower/lower.h"

#include <fmt/core.h>

#include <filesystem>
#include <map>
#include <optional>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/lower_pytorch.h"
#include "cli/output.h"
#include "cli/program_file.h"
#include "cli/remarks.h"
#include "foreflow/base/at_place.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/progress.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/text.h"
#include "foreflow/lower/project.h"
#include "foreflow/lower/reshard_op.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/run.h"
#include "foreflow/transform/pieces.h"

namespace foreflow::cli::definitions::lower_command {
namespace {

struct Options {
  std::string file, folder, target = "distir";
  std::vector<std::string> settings;
  std::optional<uint64_t> example;
};

void write_in(const std::string& folder, const std::string& name, const std::string& text) {
  write_file((std::filesystem::path(folder) / name).string(), text);
}

void write_each(const Options& options, const std::map<ir::Device, ir::Module>& programs) {
  Progress progress("write", programs.size());
  size_t written = 0;
  for (const auto& [device, program] : programs) {
    const std::string name = device.placed() ? "D" + ir::to_string(device) : "D1";
    write_in(options.folder, name + ".distir", ir::print(program));
    progress.update(++written);
  }
}

void write_ranks(const Options& options, const ir::Module& module,
                 const interpret::MixedInterpretation& interpretation) {
  const auto programs = projected(module, interpretation, lower::Grain::stream);
  write_each(options, programs);
  show(fmt::format("{}: {} programs\n", escape::terminal(options.folder), programs.size()));
}

// events.stream: the table that all streams share; then each stream in a file of its own.
void write_streams(const Options& options, const stream::Program& program) {
  const std::string text = stream::print(program);
  std::string name       = "events", part;
  for (size_t at = 0; at < text.size();) {
    const size_t end       = text.find('\n', at) + 1;
    const std::string line = text.substr(at, end - at);
    if (line.starts_with("stream ")) {
      write_in(options.folder, name + ".stream", part);
      name = split(line, ' ')[1];
      part.clear();
    }
    part += line;
    at = end;
  }
  write_in(options.folder, name + ".stream", part);
  show(fmt::format("{}: {} streams and their events\n", escape::terminal(options.folder), program.streams.size()));
}

// The program of a device or rank, in the form of the target.
void write_programs(const Options& options, const ir::Module& module,
                    const interpret::MixedInterpretation& interpretation, const std::string& title,
                    lower::Products products = lower::Products::exact) {
  if (options.folder != "-") make_folder(options.folder);
  if (options.target == "distir") return write_ranks(options, module, interpretation);
  write_pytorch(options.folder, module, interpretation, title, products);
}

// All copies of a weight, and of a part of one, get the same numbers: those of the sequential program.
std::vector<ir::Array> divided_example(const ir::Module& sequential, uint64_t seed,
                                       const std::vector<std::vector<transform::Piece>>& steps) {
  std::vector<ir::Array> arguments = example_arguments(sequential, seed);
  for (const auto& pieces : steps) arguments = transform::split_arguments(pieces, arguments);
  return arguments;
}

// The lowered form of a scenario.
struct Lowered {
  scenario::PlatformRef platform;
  scenario::Sequential sequential;
  scenario::DistributedProgram divided;
  interpret::MixedInterpretation interpretation;
  std::optional<stream::Program> streams;  // for distir only
};

// Priced before anything is written: an event without a price leaves no half of the answer behind.
Lowered lowered(const Options& options, const scenario::Scenario& scenario) {
  constexpr size_t kSteps = 4;
  Progress progress("lower", kSteps, 0, Progress::Drawn::itself);
  const scenario::PlatformRef platform = scenario::load_platform(scenario.platform);
  const lower::Options placed          = scenario::lowering(scenario, *platform);
  scenario::Sequential sequential      = scenario::build(scenario);
  progress.update(1);
  scenario::DistributedProgram divided = scenario::distribute_with_pieces(
      sequential, scenario::resolve(scenario, sequential, *platform).value(), *platform);
  progress.update(2);
  ir::Module& module  = divided.module;
  auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  progress.update(3);
  if (options.target == "pytorch") module = lower::with_reshard_jobs(module, interpretation, {*platform}, placed);
  std::optional<stream::Program> streams;
  if (options.target == "distir") {
    streams = at_place(scenario.file, [&] {
      return lower::lower(module, interpretation, scenario.cost, *platform, placed).program();
    });
  }
  return {platform, std::move(sequential), std::move(divided), std::move(interpretation), std::move(streams)};
}

void lower_scenario(const Options& options) {
  const scenario::Scenario scenario = scenario::load_file(options.file, options.settings);
  scenario::check_one_job(scenario);
  remark_on_opsets(scenario);
  remark_on_lowering_many(scenario);
  const Lowered found = lowered(options, scenario);
  write_programs(options, found.divided.module, found.interpretation, scenario.name,
                 scenario.workload.tf32 ? lower::Products::tf32 : lower::Products::exact);
  if (options.example)
    write_example(options.folder, found.divided.module,
                  divided_example(found.sequential.module, *options.example, found.divided.steps));
  if (found.streams) write_streams(options, *found.streams);
}

void run(const Options& options) {
  if (options.target != "distir" && options.target != "pytorch") {
    throw Error("--target " + options.target, "is no target; use distir or pytorch");
  }
  if (options.folder == "-" && options.target != "pytorch") {
    throw Error("-o -", "several files do not fit on stdout; name a folder");
  }
  if (options.example && options.folder == "-") throw Error("--example", "needs a folder; name one with -o");
  if (options.example && options.target != "pytorch") {
    throw Error("--example", "is what a script checks itself with; it goes with --target pytorch");
  }
  if (options.file.ends_with(".json")) return lower_scenario(options);
  if (!options.settings.empty()) throw Error("--set", "changes a scenario; " + options.file + " is a program");
  const ir::Module module = read_program(options.file);
  write_programs(options, module, interpret::interpret_mixed(module, module.functions.size() - 1),
                 "@" + module.entry().name);
  if (options.example) write_example(options.folder, module, example_arguments(module, *options.example));
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  reads_scenario(
      command.add_option("FILE", options->file, "a program (FILE.distir) or a scenario (FILE.json)")->required());
  writes_ranks(command
                   .add_option("-o,--output", options->folder,
                               "the folder for one program a stream (D1, and D1.comm beside it), and for a scenario "
                               "its priced streams; - writes a script to stdout")
                   ->required());
  command
      .add_option("--target", options->target,
                  "the form of the programs: distir, one file a stream; pytorch, one script DIR/run.py for torchrun")
      ->capture_default_str();
  command.add_option("--example", options->example,
                     "SEED: for pytorch, also write random inputs and what the reference executor makes of them to "
                     "DIR/example, for run.py --check");
  command.add_option("--set", options->settings, "PATH=VALUE: change one value of the scenario; repeatable")
      ->expected(1)
      ->take_all();
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"lower", "write what every device does: one program a rank, and a scenario's priced streams",
          "foreflow lower scenarios/gpt2_xl_dgx2.json -o ranks", declare};
}

}  // namespace foreflow::cli::definitions::lower_command
