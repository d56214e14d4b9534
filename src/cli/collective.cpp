#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/platform_words.h"
#include "foreflow/base/escape.h"
#include "foreflow/collective/library.h"
#include "foreflow/platform/by_node.h"
#include "foreflow/scenario/run.h"
#include "foreflow/simulate/alone.h"

namespace foreflow::cli::definitions::collective_command {
namespace {

using simulate::Alone;

struct Options {
  PlatformWords platform;  // as many nodes as the ranks need, when left out
  std::string kind, algorithm = "auto", library, engine = "simgrid", json;
  std::vector<std::string> bytes;
  std::optional<int> ranks;  // all devices
  bool plan = false;
};

scenario::PlatformRef load(const PlatformWords& words) {
  return scenario::load_platform(read_words(words, "foreflow collective"));
}

// Devices by node, in the platform's order.
std::vector<std::vector<int>> nodes_of(const platform::Platform& platform) {
  std::vector<int> devices(platform.devices().size());
  std::iota(devices.begin(), devices.end(), 0);
  return platform::by_node(platform, devices);
}

// The platform; by default with enough nodes for the ranks.
scenario::PlatformRef platform_for(const Options& options) {
  auto platform      = load(options.platform);
  const auto devices = static_cast<int>(platform->devices().size());
  const int ranks    = options.ranks.value_or(devices);
  if (options.platform.nodes || ranks <= devices || is_platform_file(options.platform) || is_scenario(options.platform))
    return platform;
  const int size     = devices / static_cast<int>(nodes_of(*platform).size());
  PlatformWords more = options.platform;
  more.nodes         = (ranks - 1) / size + 1;
  return load(more);
}

// `--nodes` spreads the ranks evenly over the nodes; else they fill one node after the other.
std::vector<int> places_on(const platform::Platform& platform, const Options& options) {
  const auto devices = static_cast<int>(platform.devices().size());
  const int ranks    = options.ranks.value_or(devices);
  if (devices < 2)
    throw Error("--platform", platform.name() + " has one device; a collective needs two or more, such as --nodes 2");
  if (ranks < 2) throw Error("--ranks", fmt::format("{} is too small; a collective is among 2 ranks or more", ranks));
  if (ranks > devices)
    throw Error("--ranks", fmt::format("{} are more than the {} devices of {}; use fewer ranks, or more nodes", ranks,
                                       devices, platform.name()));
  const auto nodes = nodes_of(platform);
  std::vector<int> places;
  int left = ranks;
  for (size_t i = 0; i < nodes.size() && left > 0; ++i) {
    const auto rest = static_cast<int>(nodes.size() - i), size = static_cast<int>(nodes[i].size());
    const int here = std::min({left, size, options.platform.nodes ? (left + rest - 1) / rest : size});
    places.insert(places.end(), nodes[i].begin(), nodes[i].begin() + here);
    left -= here;
  }
  if (left > 0)
    throw Error("--ranks", fmt::format("{} do not spread evenly over nodes of unequal size; leave out --nodes", ranks));
  return places;
}

// "1KiB..1GiB": doubling, as nccl-tests does.
std::vector<Bytes> sizes_of(const Options& options) {
  std::vector<Bytes> sizes;
  for (const std::string& text : options.bytes) {
    const size_t dots      = text.find("..");
    const std::string from = text.substr(0, dots), to = dots == std::string::npos ? from : text.substr(dots + 2);
    const Error refusal("--bytes", "\"" + text + "\" is no size; use 64MiB, or 1KiB..1GiB to double");
    if (from.empty() || to.empty()) throw refusal;
    const Bytes first = parse_bytes(from, "--bytes"), last = parse_bytes(to, "--bytes");
    if (first <= Bytes(0) || last < first) throw refusal;
    for (Bytes size = first; size <= last; size = 2 * size) sizes.push_back(size);
  }
  return sizes;
}

BytesPerSecond algorithm_bandwidth(const Alone& run) { return run.placed.task.bytes / run.time; }
BytesPerSecond bus_bandwidth(const Alone& run) {
  return collective::bus_factor(run.placed.task.kind, run.placed.task.group.ranks) * algorithm_bandwidth(run);
}

struct Carried {
  int links = 0;
  Bytes all, most;
};

std::map<std::string, Carried> by_kind(const Alone& run, const platform::Platform& platform) {
  std::map<std::string, Carried> kinds;
  for (size_t i = 0; i < run.links.size(); ++i) {
    if (run.links[i] <= Bytes(0)) continue;
    const std::string& kind = platform.links().like(i).kind;
    Carried& carried        = kinds[kind.empty() ? "link" : kind];
    ++carried.links;
    carried.all += run.links[i];
    carried.most = std::max(carried.most, run.links[i]);
  }
  return kinds;
}

Json to_json(const Alone& run, const platform::Platform& platform, const Options& options) {
  const collective::Task& task = run.placed.task;
  Json json                    = Json::object();
  json.set("kind", std::string(collective::name(task.kind))).set("algorithm", std::string(run.placed.algorithm->name));
  if (!options.library.empty()) json.set("library", options.library);
  json.set("ranks", task.group.ranks).set("bytes", whole_bytes(task.bytes)).set("time_s", run.time.value());
  json.set("closed_form_s", run.closed_form.total().value()).set("latency_s", run.closed_form.latency.value());
  json.set("transfer_s", run.closed_form.transfer.value());
  json.set("algbw_bytes_per_s", algorithm_bandwidth(run).value()).set("busbw_bytes_per_s", bus_bandwidth(run).value());
  Json kinds = Json::array(), links = Json::array();
  for (const auto& [kind, carried] : by_kind(run, platform)) {
    kinds.push(Json::object()
                   .set("kind", kind)
                   .set("links", carried.links)
                   .set("bytes", whole_bytes(carried.all))
                   .set("most_bytes", whole_bytes(carried.most)));
  }
  for (size_t i = 0; i < run.links.size(); ++i) {
    if (run.links[i] > Bytes(0))
      links.push(Json::object().set("name", platform.links()[i].name).set("bytes", whole_bytes(run.links[i])));
  }
  return json.set("link_kinds", kinds).set("links", links);
}

std::string row_of(const Alone& run) {
  return fmt::format("{:>9}  {:<16}  {:>9}  {:>11}  {:>9}  {:>9}  {:>10}  {:>10}\n", format(run.placed.task.bytes),
                     run.placed.algorithm->name, format(run.time), format(run.closed_form.total()),
                     format(run.closed_form.latency), format(run.closed_form.transfer),
                     format(algorithm_bandwidth(run)), format(bus_bandwidth(run)));
}

// What libraries choose among algorithms depends on protocols, which copy and wait, and so reach less.
std::string assumed(const Options& options) {
  if (!options.library.empty() || options.algorithm != "auto") return "";
  return "\nassumed: flows take the whole bandwidth of links; --library names one whose protocols take less (see: "
         "foreflow list libraries)\n";
}

std::string describe(const std::vector<Alone>& runs, const platform::Platform& platform, const Options& options) {
  const collective::Task& task = runs.front().placed.task;
  const int nodes              = *std::max_element(task.group.node.begin(), task.group.node.end()) + 1;
  std::string text             = fmt::format("{} among {} ranks on {} node{} of {}\n\n", collective::name(task.kind),
                                             task.group.ranks, nodes, nodes == 1 ? "" : "s", escape::terminal(platform.name()));
  text += fmt::format("{:>9}  {:<16}  {:>9}  {:>11}  {:>9}  {:>9}  {:>10}  {:>10}\n", "bytes", "algorithm", "time",
                      "closed form", "latency", "transfer", "algbw", "busbw");
  for (const Alone& run : runs) text += row_of(run);
  for (const Alone& run : runs) {
    text += fmt::format("\n{} of {} carries\n", run.placed.algorithm->name, format(run.placed.task.bytes));
    for (const auto& [kind, carried] : by_kind(run, platform)) {
      text += fmt::format("  {:<7} {} over {} links, at most {}\n", escape::terminal(kind), format(carried.all),
                          carried.links, format(carried.most));
    }
    if (!options.plan) continue;
    text += "\n" + collective::print(run.placed.algorithm->plan(run.placed.task)) + "\n" +
            collective::print(run.placed.algorithm->flows(run.placed.task));
  }
  return text + assumed(options);
}

void run(Options options) {
  const auto kind = collective::kind_named(options.kind, "foreflow collective");
  if (!options.library.empty()) options.library = collective::library_called(options.library, "--library").name;
  const auto& algorithm = options.library.empty() ? collective::algorithms().get(options.algorithm, "--algorithm")
                                                  : collective::library_algorithms().get(options.library, "--library");
  const auto& engine    = simulate::engines().get(options.engine, "--engine");
  const auto sizes      = sizes_of(options);
  if (!algorithm.does(kind))
    throw Error("--algorithm", options.algorithm + " does not do " + options.kind + "; see foreflow list collectives");
  const auto platform     = platform_for(options);
  std::vector<int> places = places_on(*platform, options);
  if (kind == collective::Kind::send) places = {places.front(), places.back()};
  std::vector<Alone> runs;
  for (const Bytes bytes : sizes)
    runs.push_back(simulate::run_alone(*platform, algorithm, kind, bytes, places, engine));
  Json results = Json::array();
  for (const Alone& one : runs) results.push(to_json(one, *platform, options));
  const Json single = runs.size() == 1 ? to_json(runs.front(), *platform, options) : Json();
  answer(options.json, runs.size() == 1 ? single : Json::object().set("results", results),
         describe(runs, *platform, options));
}

// All kinds, the first of the table at the end: "all_reduce, ..., shift (each rank to the next), or send ...".
std::string kinds_in_words() {
  std::string words;
  const collective::KindDef& first = *collective::kinds().begin();
  for (const collective::KindDef& kind : collective::kinds()) {
    if (&kind != &first) words += fmt::format("{}{}, ", kind.name, kind.remark);
  }
  return words + fmt::format("or {}{}", first.name, first.remark);
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  command.add_option("KIND", options->kind, kinds_in_words())->required();
  reads_scenario(
      command
          .add_option("--platform", options->platform.name,
                      "a topology (see: foreflow list topologies), FILE.xml, or SCENARIO.json for its platform")
          ->required());
  command
      .add_option("--bytes", options->bytes,
                  "64MiB: the buffer of a rank, or the full vector where ranks have parts of it; several by commas; "
                  "1KiB..1GiB doubles")
      ->required()
      ->delimiter(',');
  CLI::Option* const algorithm =
      command.add_option("--algorithm", options->algorithm, "see: foreflow list collectives")->capture_default_str();
  command.add_option("--library", options->library, "chooses algorithm and protocol; see: foreflow list libraries")
      ->excludes(algorithm);
  command.add_option("--ranks", options->ranks, "devices that take part; all, when left out");
  command.add_option("--nodes", options->platform.nodes, "servers, over which the ranks are spread evenly");
  command
      .add_option("--set", options->platform.settings,
                  "KEY=VALUE: a parameter of the platform, such as fabric=fat_tree2; repeatable")
      ->take_all();
  command.add_option("--engine", options->engine, "see: foreflow list engines")->capture_default_str();
  command.add_flag("--plan", options->plan, "print who sends what in which step, and the flows");
  writes(
      command.add_option("--json", options->json, "write times, bandwidths and bytes of links to FILE (- for stdout)"));
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"collective", "one collective: time against closed form, algorithm and bus bandwidth, bytes on links",
          "foreflow collective all_reduce --ranks 16 --platform dgx_a100 --bytes 1MiB,64MiB", declare};
}

}  // namespace foreflow::cli::definitions::collective_command
