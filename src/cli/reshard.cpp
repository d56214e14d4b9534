#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <optional>
#include <set>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/platform_words.h"
#include "cli/reshard_report.h"
#include "cli/timing.h"
#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"
#include "foreflow/collective/chain.h"
#include "foreflow/ir/type.h"
#include "foreflow/platform/by_node.h"
#include "foreflow/report/writer.h"
#include "foreflow/scenario/resharding.h"
#include "foreflow/scenario/run.h"

namespace foreflow::cli::definitions::reshard_command {
namespace {

struct Options {
  PlatformWords platform;  // as many nodes as both meshes need, when left out
  std::vector<std::string> shapes, dtypes = {"float32"}, src_specs, dst_specs;
  std::string src_mesh, dst_mesh;
  std::optional<std::string> src_devices, dst_devices;  // none: the first nodes that are free
  std::string strategy, balance, engine = "simgrid", json, svg, trace;
  std::optional<int> chunks;
  uint64_t seed = 0;
  bool timing   = false;
};

std::vector<int64_t> read_extents(const std::string& text) {
  std::vector<int64_t> shape;
  for (const std::string& extent : split(text, ',')) {
    const auto number = parse_number<int64_t>(extent);
    if (!number || *number < 1)
      throw Error("--shape", "\"" + text + "\" is no shape; use positive extents such as 1024,1024,512");
    shape.push_back(*number);
  }
  // The offsets of elements are integers.
  double elements = 1;
  for (const int64_t extent : shape) elements *= static_cast<double>(extent);
  if (elements > 0x1p62) throw Error("--shape", "\"" + text + "\" has more than 2^62 elements; use a smaller one");
  return shape;
}

// "int32" as well as "Int32" and "i32".
ir::DType read_dtype(const std::string& text) {
  const auto lower = [](std::string_view word) {
    std::string result(word);
    std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
    return result;
  };
  std::vector<std::string> names;
  for (int i = 0; i < ir::kDTypes; ++i) {
    const auto dtype = static_cast<ir::DType>(i);
    names.push_back(lower(ir::name(dtype)));
    if (lower(text) == names.back() || text == ir::short_name(dtype)) return dtype;
  }
  throw Error("--dtype", "\"" + text + "\" is no data type" + suggestion(lower(text), names));
}

// An option that is given once for all tensors, or once for each.
const std::string& of_tensor(const std::vector<std::string>& given, size_t tensor, size_t tensors,
                             const std::string& option) {
  if (given.size() != 1 && given.size() != tensors) {
    throw Error(option, fmt::format("it is given {} times for {} tensors; give it once, or once for each --shape",
                                    given.size(), tensors));
  }
  return given[given.size() == 1 ? 0 : tensor];
}

int node_size(const platform::Platform& platform) {
  if (platform.devices().empty()) throw Error(platform.name(), "no host of it computes; there is no device");
  int size = 0;
  while (size < static_cast<int>(platform.devices().size()) && platform.node(size) == platform.node(0)) ++size;
  return size;
}

// The platform; by default with enough nodes for both meshes, one behind the other.
scenario::PlatformRef platform_for(const Options& options, const std::vector<int>& src, const std::vector<int>& dst) {
  auto platform = scenario::load_platform(read_words(options.platform, "foreflow reshard"));
  if (options.platform.nodes || is_platform_file(options.platform) || is_scenario(options.platform)) return platform;
  const int size     = node_size(*platform);
  PlatformWords more = options.platform;
  more.nodes         = scenario::nodes_for(src, size) + scenario::nodes_for(dst, size);
  return scenario::load_platform(read_words(more, "foreflow reshard"));
}

// "0-3,8,9"
reshard::Mesh chosen_mesh(const std::vector<int>& shape, const std::string& text, const platform::Platform& platform,
                          const std::string& option) {
  const Error refusal(option, "\"" + text + "\" is no list of devices; use numbers and ranges such as 0-3,8");
  reshard::Mesh mesh{shape, {}};
  std::set<int64_t> seen;
  const int64_t wanted = reshard::size(shape), there = static_cast<int64_t>(platform.devices().size());
  for (const std::string& range : split(text, ',')) {
    const size_t dash = range.find('-');
    const auto first  = parse_number<int64_t>(range.substr(0, dash));
    const auto last   = dash == std::string::npos ? first : parse_number<int64_t>(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first) throw refusal;
    if (*last >= there)
      throw Error(option, fmt::format("device {} does not exist; {} has 0 to {}", *last, platform.name(), there - 1));
    for (int64_t device = *first; device <= *last; ++device) {
      if (!seen.insert(device).second) throw Error(option, fmt::format("it lists device {} twice", device));
      mesh.devices.push_back(static_cast<int>(device));
    }
  }
  if (static_cast<int64_t>(mesh.devices.size()) != wanted) {
    throw Error(option, fmt::format("it lists {} devices, but a mesh of {} has {}", mesh.devices.size(),
                                    reshard::print(shape), wanted));
  }
  return mesh;
}

struct Meshes {
  reshard::Mesh src, dst;
};

Meshes meshes_on(const platform::Platform& platform, const Options& options, const std::vector<int>& src,
                 const std::vector<int>& dst) {
  const int behind = options.src_devices ? 0 : scenario::nodes_for(src, node_size(platform));
  return {options.src_devices ? chosen_mesh(src, *options.src_devices, platform, "--src-devices")
                              : scenario::mesh_on(platform, src, 0, "--src-mesh"),
          options.dst_devices ? chosen_mesh(dst, *options.dst_devices, platform, "--dst-devices")
                              : scenario::mesh_on(platform, dst, behind, "--dst-mesh")};
}

// Returns notes for the case that the devices of a host of the mesh do not fit on one server.
std::vector<std::string> notes_on(const Options& options, const std::vector<int>& src, const std::vector<int>& dst,
                                  int node_size) {
  std::vector<std::string> notes;
  const auto add = [&](const std::vector<int>& shape, const std::optional<std::string>& chosen) {
    const int row = reshard::size(shape) / shape.front();
    if (chosen || shape.size() < 2 || row <= node_size) return;
    notes.push_back(fmt::format("{}: a server has {} devices, not {}; the mesh fills one server after the other",
                                reshard::print(shape), node_size, row));
  };
  add(src, options.src_devices);
  if (dst != src) add(dst, options.dst_devices);
  return notes;
}

std::vector<reshard::Move> moves_of(const Options& options, const Meshes& meshes) {
  std::vector<reshard::Move> moves;
  const size_t tensors = options.shapes.size();
  for (size_t i = 0; i < tensors; ++i) {
    const auto dtype = read_dtype(of_tensor(options.dtypes, i, tensors, "--dtype"));
    reshard::Move move{
        {"", read_extents(options.shapes[i]), Bytes(ir::bits_of(dtype) / 8.0)},
        {meshes.src, reshard::parse_spec(of_tensor(options.src_specs, i, tensors, "--src-spec"), "--src-spec")},
        {meshes.dst, reshard::parse_spec(of_tensor(options.dst_specs, i, tensors, "--dst-spec"), "--dst-spec")}};
    const size_t rank = move.tensor.shape.size();
    reshard::check(move.from.spec, meshes.src.shape, rank, "--src-spec");
    reshard::check(move.to.spec, meshes.dst.shape, rank, "--dst-spec");
    reshard::check(move, "foreflow reshard");
    moves.push_back(std::move(move));
  }
  return moves;
}

reshard::PlanOptions plan_options(const Options& options, const reshard::StrategyDef& strategy) {
  if (!options.balance.empty() && !strategy.balanced)
    throw Error("--balance", std::string(strategy.name) + " does not order unit tasks; leave it out");
  if (const int chunks = options.chunks.value_or(1); chunks < 1 || chunks > collective::kMostChunks)
    throw Error("--chunks", fmt::format("{} is not possible; use 1 to {}", chunks, collective::kMostChunks));
  reshard::PlanOptions result;
  result.balance =
      options.balance.empty() ? &*reshard::balances().begin() : &reshard::balances().get(options.balance, "--balance");
  result.chunks = options.chunks.value_or(0);
  result.seed   = options.seed;
  return result;
}

std::string trace_of(const scenario::ReshardingRun& run, const std::string& engine,
                     const platform::Platform& platform) {
  report::Job job;
  job.name           = "resharding";
  job.engine         = engine;
  job.dtype          = "f32";
  const auto& writer = report::writers().get("trace", "foreflow reshard");
  return writer.write(report::summarise(job, run.lowered.program, run.timeline, platform), run.lowered.program,
                      run.timeline, platform);
}

void run(const Options& options) {
  const auto& strategy = options.strategy.empty() ? *reshard::strategies().begin()
                                                  : reshard::strategies().get(options.strategy, "--strategy");
  const auto& engine   = simulate::engines().get(options.engine, "--engine");
  const auto choices   = plan_options(options, strategy);
  const auto src       = reshard::parse_shape(options.src_mesh, "--src-mesh");
  const auto dst       = reshard::parse_shape(options.dst_mesh, "--dst-mesh");
  const auto platform  = platform_for(options, src, dst);
  const auto answered  = scenario::run_resharding(*platform, moves_of(options, meshes_on(*platform, options, src, dst)),
                                                  strategy, choices, engine);
  const ReshardQuestion question{&strategy, choices.balance, options.engine,
                                 notes_on(options, src, dst, node_size(*platform))};
  write_if_given(options.svg,
                 report::draw_svg(port_rows(answered, *platform), answered.time,
                                  fmt::format("unit tasks by port: {}, {}", strategy.name, format(answered.time))));
  if (!options.trace.empty()) write_file(options.trace, trace_of(answered, options.engine, *platform));
  Json json = to_json(answered, question, *platform);
  if (options.timing) add_timing(json);
  answer(options.json, json, describe(answered, question, *platform));
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  command.add_option("--shape", options->shapes, "extents of the tensor, such as 1024,1024,512; once for each tensor")
      ->required()
      ->take_all();
  command.add_option("--dtype", options->dtypes, "of its elements, such as int32; once, or once for each tensor")
      ->capture_default_str()
      ->take_all();
  command
      .add_option("--src-mesh", options->src_mesh,
                  "HOSTSxDEVICES of the devices that have it, such as 2x4; or another shape: 8, 2x2x2. Where a server "
                  "has fewer devices, they fill one server after the other")
      ->required();
  command
      .add_option(
          "--src-spec", options->src_specs,
          "how they have it: S and mesh dimensions or R for each dimension of the tensor, such as S0RR or RS01R")
      ->required()
      ->take_all();
  command.add_option("--dst-mesh", options->dst_mesh, "HOSTSxDEVICES of the devices that need it")->required();
  command.add_option("--dst-spec", options->dst_specs, "how they need it")->required()->take_all();
  reads_scenario(
      command
          .add_option("--platform", options->platform.name,
                      "a topology (see: foreflow list topologies), FILE.xml, or SCENARIO.json for its platform")
          ->required());
  command.add_option("--nodes", options->platform.nodes, "servers; as many as the meshes need, when left out");
  command
      .add_option("--set", options->platform.settings,
                  "KEY=VALUE: a parameter of the platform, such as fabric=fat_tree2; repeatable")
      ->take_all();
  command.add_option("--src-devices", options->src_devices,
                     "the devices of the first mesh in order, such as 0-3,8-11; from the first node on, when left out");
  command.add_option("--dst-devices", options->dst_devices,
                     "those of the second mesh; from the node behind the first mesh on, when left out");
  command.add_option("--strategy", options->strategy,
                     list_or(reshard::strategies().names()) + "; the first, when left out");
  command.add_option(
      "--balance", options->balance,
      "who sends and in which order: " + list_or(reshard::balances().names()) + "; the first, when left out");
  command.add_option("--chunks", options->chunks, "of a broadcast; chosen by size and latency, when left out");
  command.add_option("--seed", options->seed, "of the randomised balances")->capture_default_str();
  command.add_option("--engine", options->engine, "see: foreflow list engines")->capture_default_str();
  writes(command.add_option("--json", options->json, "write the answer to FILE (- for stdout)"));
  writes(command.add_option("--svg", options->svg, "write a picture of the unit tasks of each port to FILE"));
  writes(command.add_option("--trace", options->trace, "write a trace for ui.perfetto.dev to FILE"));
  command.add_flag("--timing", options->timing,
                   "add wall time and peak memory, which differ from run to run, to --json");
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"reshard", "one cross-mesh resharding: who sends what in which order, time against its lower bound",
          "foreflow reshard --shape 1024,1024,512 --src-mesh 2x4 --src-spec RS0R --dst-mesh 2x4 --dst-spec S0RR "
          "--platform p3_8xlarge",
          declare};
}

}  // namespace foreflow::cli::definitions::reshard_command
