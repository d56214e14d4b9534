#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "foreflow/platform/describe.h"
#include "foreflow/platform/load.h"
#include "foreflow/simulate/alone.h"

namespace foreflow::cli::definitions::fabrics_command {
namespace {

struct Options {
  std::string topology = "dgx_h100", bytes = "1GiB", json;
  std::vector<int> gpus = {64, 256, 1024};
  bool markdown         = false;
};

// A fabric with what it is told beyond its defaults.
struct Variant {
  const char* fabric;
  const char* routing;
  const char* key;
  int value;
};

constexpr std::array<Variant, 16> kVariants = {{{"star", "dmodk", "", 0},
                                                {"fat_tree2", "dmodk", "", 0},
                                                {"fat_tree2", "ecmp", "", 0},
                                                {"fat_tree2", "hash", "", 0},
                                                {"fat_tree2", "adaptive", "", 0},
                                                {"fat_tree2", "adaptive", "oversubscription", 2},
                                                {"fat_tree3", "dmodk", "", 0},
                                                {"fat_tree3", "hash", "", 0},
                                                {"rail_optimized", "dmodk", "", 0},
                                                {"rail_only", "dmodk", "", 0},
                                                {"dragonfly", "minimal", "", 0},
                                                {"dragonfly", "valiant", "", 0},
                                                {"dragonfly", "ugal", "", 0},
                                                {"torus2d", "dmodk", "", 0},
                                                {"torus2d", "dmodk", "cable_nics", 8},
                                                {"torus3d", "dmodk", "", 0}}};

struct Result {
  std::string fabric;
  int gpus                    = 0;
  platform::FabricFacts facts = {};
  size_t links                = 0;  // of the fabric, each direction one
  BytesPerSecond bisection    = {};
  Seconds all_reduce = {}, all_reduce_formula = {};
  Seconds all_to_all = {}, all_to_all_formula = {};
};

std::string name_of(const Variant& variant) {
  std::string name = fmt::format("{}, {}", variant.fabric, variant.routing);
  if (variant.value > 0) name += fmt::format(", {} {}", variant.key, variant.value);
  return name;
}

platform::Recipe recipe_of(const Variant& variant, const Options& options, int gpus) {
  const platform::TopologyDef& topology = platform::find_topology(options.topology, "--topology");
  if (gpus < 2 * topology.gpus.usual || gpus % topology.gpus.usual != 0) {
    throw Error("--gpus", fmt::format("{} are not two or more whole nodes of {} GPUs; use a multiple of {}", gpus,
                                      topology.gpus.usual, topology.gpus.usual));
  }
  Json json = Json::object()
                  .set("topology", options.topology)
                  .set("nodes", gpus / topology.gpus.usual)
                  .set("fabric", variant.fabric)
                  .set("routing", variant.routing);
  if (variant.value > 0) json.set(variant.key, std::min(variant.value, topology.nics.usual));
  return platform::read_recipe(JsonView(json, "foreflow fabrics"));
}

Seconds time_of(const platform::Platform& platform, const char* kind, const char* algorithm, Bytes bytes) {
  std::vector<int> places(platform.devices().size());
  std::iota(places.begin(), places.end(), 0);
  return simulate::run_alone(platform, collective::algorithms().get(algorithm, "foreflow fabrics"),
                             collective::kind_named(kind, "foreflow fabrics"), bytes, places,
                             simulate::engines().get("analytic", "foreflow fabrics"))
      .time;
}

// The latency of all ways of a ring together: from each GPU to the next of its node, and from each node to the next by
// the rail that is nearest to both.
Seconds latency_of_ring(const platform::Platform& platform) {
  const auto ranks = static_cast<int>(platform.devices().size()), of_node = ranks / platform.nodes();
  Seconds sum{};
  for (int first = 0; first < ranks; first += of_node) {
    Seconds least(std::numeric_limits<double>::infinity());
    for (int rank = first; rank < first + of_node; ++rank) {
      if (rank > first) sum += platform.route(rank - 1, rank).latency;
      least = std::min(least, platform.route(rank, (rank + of_node) % ranks).latency);
    }
    sum += least;
  }
  return sum;
}

// Adds lower bounds of the times of an all-reduce and an all-to-all among n GPUs, which no schedule of messages beats:
//
//   1. A ring all-reduce takes 2 (n - 1) steps. In each of them every GPU sends 1 / n of the buffer to the next one.
//   2. An all-to-all takes the longest of three times: each GPU sends its messages for other nodes over its share of
//      the NICs; it sends its messages for nodes below other leaves over its share of the leaf's ways up; half of the
//      GPUs send half of their buffers over the narrowest cut, as often as the routing crosses that cut.
void add_formulas(Result& result, const platform::Platform& platform, Bytes bytes) {
  const platform::FabricFacts& facts = result.facts;
  const double ranks = result.gpus, of_node = ranks / platform.nodes();
  if (facts.next_node.value() > 0)
    result.all_reduce_formula = 2 * (ranks - 1) / ranks * (bytes / facts.next_node + latency_of_ring(platform));
  if (!(facts.narrowest.value() > 0)) return;
  const Seconds inject      = (ranks - of_node) / ranks * bytes / facts.nic;
  const Seconds across      = facts.crossings * ranks / 4 * bytes / facts.narrowest;
  const Seconds upwards     = facts.leaf_nic.value() > 0 ? (1 - facts.below_leaf) * bytes / facts.leaf_nic : Seconds(0);
  result.all_to_all_formula = std::max({inject, upwards, across});
}

Result compare(const Variant& variant, const Options& options, int gpus) {
  const platform::Recipe recipe     = recipe_of(variant, options, gpus);
  const platform::Platform platform = platform::make(recipe);
  const Bytes bytes                 = parse_bytes(options.bytes, "--bytes");
  Result result{name_of(variant), gpus, platform::facts_of(recipe)};
  for (size_t i = 0; i < platform.links().size(); ++i)
    result.links += platform.links().like(i).kind == "fabric" ? 1 : 0;
  result.bisection  = platform::bisection_bandwidth(platform);
  result.all_reduce = time_of(platform, "all_reduce", "ring", bytes);
  result.all_to_all = time_of(platform, "all_to_all", "direct", bytes);
  add_formulas(result, platform, bytes);
  return result;
}

std::vector<std::string> cells_of(const Result& result) {
  const auto with = [](const auto& measured, const auto& formula) {
    return formula.value() > 0 ? fmt::format("{} ({})", format(measured), format(formula)) : format(measured);
  };
  return {result.fabric,
          std::to_string(result.gpus),
          std::to_string(result.facts.switches),
          std::to_string(result.facts.cables),
          std::to_string(result.links),
          with(result.bisection, result.facts.bisection),
          with(result.all_reduce, result.all_reduce_formula),
          with(result.all_to_all, result.all_to_all_formula)};
}

const std::vector<std::string>& columns() {
  static const std::vector<std::string> all = {"fabric, routing", "GPUs",      "switches",   "cables",
                                               "links",           "bisection", "all-reduce", "all-to-all"};
  return all;
}

std::string as_table(const std::vector<Result>& results, bool markdown) {
  std::vector<std::vector<std::string>> rows = {columns()};
  for (const Result& result : results) rows.push_back(cells_of(result));
  std::vector<size_t> widths(columns().size());
  for (const auto& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  }
  std::string text;
  for (size_t r = 0; r < rows.size(); ++r) {
    if (markdown) {
      text += fmt::format("| {} |\n", fmt::join(rows[r], " | "));
      if (r == 0) text += "|---|---:|---:|---:|---:|---:|---:|---:|\n";
      continue;
    }
    for (size_t c = 0; c < rows[r].size(); ++c)
      text += c == 0 ? fmt::format("{:<{}}", rows[r][c], widths[c]) : fmt::format("  {:>{}}", rows[r][c], widths[c]);
    text += "\n";
  }
  return text;
}

Json as_json(const std::vector<Result>& results) {
  Json rows = Json::array();
  for (const Result& result : results) {
    rows.push(Json::object()
                  .set("fabric", result.fabric)
                  .set("gpus", result.gpus)
                  .set("switches", result.facts.switches)
                  .set("cables", result.facts.cables)
                  .set("links", result.links)
                  .set("bisection_bytes_per_s", result.bisection.value())
                  .set("bisection_formula_bytes_per_s", result.facts.bisection.value())
                  .set("all_reduce_s", result.all_reduce.value())
                  .set("all_reduce_formula_s", result.all_reduce_formula.value())
                  .set("all_to_all_s", result.all_to_all.value())
                  .set("all_to_all_formula_s", result.all_to_all_formula.value()));
  }
  return Json::object().set("rows", rows);
}

void run(const Options& options) {
  std::vector<Result> results;
  for (const int gpus : options.gpus) {
    for (const Variant& variant : kVariants) results.push_back(compare(variant, options, gpus));
  }
  answer(options.json, as_json(results), as_table(results, options.markdown));
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  command.add_option("--topology", options->topology, "what is inside a node (see: foreflow list topologies)")
      ->capture_default_str();
  command.add_option("--gpus", options->gpus, "whole nodes of them; several by commas")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--bytes", options->bytes, "of the buffer of each GPU")->capture_default_str();
  command.add_flag("--markdown", options->markdown, "as a Markdown table");
  writes(command.add_option("--json", options->json, "write the rows to FILE (- for stdout)"));
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"fabrics",
          "fabrics beside each other: switches, cables, bisection, times of a ring all-reduce and a direct all-to-all, "
          "with their closed forms in brackets",
          "foreflow fabrics --topology dgx_h100 --gpus 64,256", declare};
}

}  // namespace foreflow::cli::definitions::fabrics_command
