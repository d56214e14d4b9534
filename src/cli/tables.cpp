#include "cli/tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/command.h"
#include "foreflow/collective/library.h"
#include "foreflow/ops/table.h"
#include "foreflow/platform/cpu.h"
#include "foreflow/platform/data_sheet.h"
#include "foreflow/platform/placement.h"
#include "foreflow/platform/topologies.h"
#include "foreflow/report/writer.h"
#include "foreflow/reproduce/reproduce.h"
#include "foreflow/reshard/strategy.h"
#include "foreflow/scenario/framework.h"
#include "foreflow/scenario/scenario.h"
#include "foreflow/search/objective.h"
#include "foreflow/transform/optimizers.h"
#include "foreflow/transform/passes.h"
#include "foreflow/workload/preset.h"

namespace foreflow::cli {
namespace {

using Rows = std::vector<TableRow>;

template <class Def>
Rows rows_of(const Registry<Def>& table) {
  Rows rows;
  for (const Def& row : table) rows.push_back({std::string(row.name), std::string(row.doc)});
  return rows;
}

// A family with the sizes that its scenario may give; then presets with those that they stand for.
Rows workload_rows() {
  Rows rows;
  for (const workload::WorkloadDef& family : workload::workloads()) {
    std::string doc(family.doc);
    for (const workload::Key& key : family.keys)
      doc += fmt::format("{}{} ({})", &key == family.keys.data() ? "; sizes: " : ", ", key.name, explained(key));
    rows.push_back({std::string(family.name), std::move(doc)});
  }
  for (const workload::Preset& preset : workload::presets()) {
    std::string doc = fmt::format("{}:", preset.family);
    for (const auto& [key, size] : preset.sizes)
      doc += fmt::format("{} {} {}", &key == &preset.sizes.front().first ? "" : ",", key, size);
    doc += fmt::format("; {} parameters ({})", preset.parameters, preset.source);
    rows.push_back({std::string(preset.name), std::move(doc)});
  }
  return rows;
}

Rows rows_of_nodes(const Registry<platform::TopologyDef>& table) {
  Rows rows;
  for (const platform::TopologyDef& row : table) {
    std::string doc(row.doc);
    for (const auto& [key, value] : platform::defaults_of(row))
      doc += fmt::format("{} {} {}", key == "nodes" ? "; defaults:" : ",", key, value);
    rows.push_back({std::string(row.name), std::move(doc)});
  }
  return rows;
}

Rows topology_rows() { return rows_of_nodes(platform::topologies()); }
Rows instance_rows() { return rows_of_nodes(platform::instances()); }

Rows network_rows() {
  Rows rows;
  for (const platform::NetworkDef& row : platform::networks())
    rows.push_back({std::string(row.name), fmt::format("{}; routing {}", row.doc, row.routing)});
  return rows;
}

// The numbers of each data sheet, and where they are from.
Rows device_rows() {
  Rows rows;
  for (const platform::DeviceDef& row : platform::devices())
    rows.push_back({row.name, fmt::format("{} ({})", row.doc, fmt::join(row.sheet.sources, "; "))});
  return rows;
}

Rows fabric_rows() {
  Rows rows;
  for (const platform::FabricDef& row : platform::fabrics()) {
    std::string doc(row.doc);
    for (const KeyDef& parameter : row.parameters) doc += fmt::format("; {}: {}", parameter.name, parameter.doc);
    if (!row.routings.empty()) doc += fmt::format("; routing: {}", fmt::join(row.routings, ", "));
    rows.push_back({std::string(row.name), std::move(doc)});
  }
  return rows;
}

// An algorithm with what it does and where it is from.
Rows collective_rows() {
  Rows rows;
  for (const collective::AlgorithmDef& algorithm : collective::algorithms()) {
    std::string kinds;
    for (const collective::Kind kind : algorithm.kinds)
      kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", collective::name(kind));
    rows.push_back({std::string(algorithm.name), fmt::format("{}: {} ({})", kinds, algorithm.doc, algorithm.source)});
  }
  return rows;
}

// "tree LL, LL128, Simple": the protocols of each algorithm, in order of first appearance.
std::string ways_in_words(const collective::LibraryDef& library) {
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> known;
  for (const collective::Way& way : library.ways) {
    auto found = std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == way.algorithm; });
    if (found == known.end()) found = known.insert(known.end(), {way.algorithm, {}});
    auto& protocols = found->second;
    if (!way.protocol.empty() && std::find(protocols.begin(), protocols.end(), way.protocol) == protocols.end())
      protocols.push_back(way.protocol);
  }
  std::string words;
  for (const auto& [algorithm, protocols] : known) {
    words += fmt::format("{}{}{}{}", words.empty() ? "" : "; ", algorithm, protocols.empty() ? "" : " under ",
                         fmt::join(protocols, ", "));
  }
  return words;
}

Rows library_rows() {
  Rows rows;
  for (const collective::LibraryDef& library : collective::libraries()) {
    rows.push_back({std::string(library.name),
                    fmt::format("{} ({})", library.doc, library.source),
                    {ways_in_words(library), std::string(library.missing)}});
  }
  return rows;
}

Rows pass_rows() {
  Rows rows;
  for (const transform::PassDef& pass : transform::passes()) {
    std::string name(pass.name);
    for (const std::string_view argument : pass.arguments)
      name += fmt::format("{}{}", argument == pass.arguments.front() ? "(" : ", ", argument);
    rows.push_back({pass.arguments.empty() ? name : name + ")", std::string(pass.doc)});
  }
  return rows;
}

// An optimizer with the op that updates a weight and what it keeps of each.
Rows optimizer_rows() {
  Rows rows;
  for (const transform::OptimizerDef& optimizer : transform::optimizers()) {
    const std::string kept = fmt::format("{}", fmt::join(optimizer.states, ", "));
    rows.push_back({std::string(optimizer.name), fmt::format("{}; {}, keeps {}", optimizer.doc, optimizer.op,
                                                             kept.empty() ? "nothing" : "of each weight " + kept)});
  }
  return rows;
}

// A kind of disturbance with what it means and what it changes.
Rows disturbance_rows() {
  Rows rows;
  for (const simulate::DisturbanceDef& kind : simulate::disturbance_kinds())
    rows.push_back({std::string(kind.name), std::string(kind.meaning), {std::string(simulate::name(kind.affects))}});
  return rows;
}

// A strategy or a balance with where it is from.
template <class Def>
Rows sourced_rows(const Registry<Def>& table) {
  Rows rows;
  for (const Def& row : table) rows.push_back({std::string(row.name), fmt::format("{} ({})", row.doc, row.source)});
  return rows;
}

// A profile with what it sets, and which of that is assumed.
Rows framework_rows() {
  Rows rows;
  for (const scenario::Framework& framework : scenario::frameworks()) {
    std::string sets;
    for (const scenario::FrameworkSetting& setting : framework.settings)
      sets +=
          fmt::format("{}{} {}{}{}", sets.empty() ? "" : ", ", setting.key, setting.value.dump_compact(),
                      setting.when == "always" ? "" : " (" + setting.when + ")", setting.assumed ? " (assumed)" : "");
    rows.push_back({framework.name,
                    framework.doc,
                    {framework.version, sets, fmt::format("{}", fmt::join(framework.missing, "; "))}});
  }
  return rows;
}

Rows every_key() { return key_rows(""); }

}  // namespace

const std::vector<Table>& tables() {
  static const std::vector<Table> rows = {{"ops", [] { return rows_of(ops::table()); }},
                                          {"passes", pass_rows},
                                          {"optimizers", optimizer_rows},
                                          {"schedules", [] { return rows_of(schedule::schedules()); }},
                                          {"collectives", collective_rows},
                                          {"libraries", library_rows, {"chooses among", "not modelled"}},
                                          {"reshardings", [] { return sourced_rows(reshard::strategies()); }},
                                          {"balances", [] { return sourced_rows(reshard::balances()); }},
                                          {"topologies", topology_rows},
                                          {"instances", instance_rows},
                                          {"devices", device_rows},
                                          {"cpus", [] { return rows_of(platform::cpus()); }},
                                          {"networks", network_rows},
                                          {"fabrics", fabric_rows},
                                          {"routings", [] { return rows_of(platform::routings()); }},
                                          {"placements", [] { return rows_of(platform::placements()); }},
                                          {"costs", [] { return rows_of(cost::cost_models()); }},
                                          {"workloads", workload_rows},
                                          {"engines", [] { return rows_of(simulate::engines()); }},
                                          {"couplings", [] { return rows_of(simulate::couplings()); }},
                                          {"disturbances", disturbance_rows, {"affects"}},
                                          {"objectives", [] { return rows_of(search::objectives()); }},
                                          {"reports", [] { return rows_of(report::writers()); }},
                                          {"reproductions", [] { return rows_of(reproduce::reproductions()); }},
                                          {"frameworks", framework_rows, {"version", "sets", "not modelled"}},
                                          {"keys", every_key, {"values", "else", "search"}},
                                          {"commands", [] { return rows_of(commands()); }}};
  return rows;
}

std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for (const Table& table : tables()) names.push_back(table.name);
  return names;
}

}  // namespace foreflow::cli
