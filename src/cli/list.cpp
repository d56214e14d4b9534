#include <fmt/core.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/output.h"
#include "foreflow/base/escape.h"
#include "foreflow/ops/table.h"
#include "foreflow/platform/placement.h"
#include "foreflow/platform/topologies.h"
#include "foreflow/report/writer.h"
#include "foreflow/reproduce/reproduce.h"
#include "foreflow/scenario/scenario.h"
#include "foreflow/transform/passes.h"
#include "foreflow/workload/preset.h"

namespace foreflow::cli::definitions::list_command {
namespace {

struct Row {
  std::string name, doc;
};
using Rows = std::vector<Row>;

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
      doc += fmt::format("{}{} ({})", &key == family.keys.data() ? "; sizes: " : ", ", key.name, key.doc);
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

Rows topology_rows() {
  Rows rows;
  for (const platform::TopologyDef& row : platform::topologies()) {
    std::string doc(row.doc);
    for (const auto& [key, value] : platform::defaults_of(row))
      doc += fmt::format("{} {} {}", key == "nodes" ? "; defaults:" : ",", key, value);
    rows.push_back({std::string(row.name), std::move(doc)});
  }
  return rows;
}

Rows fabric_rows() {
  Rows rows;
  for (const platform::FabricDef& row : platform::fabrics()) {
    std::string doc(row.doc);
    for (const platform::Parameter& parameter : row.parameters)
      doc += fmt::format("; {}: {}", parameter.name, parameter.doc);
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

struct Table {
  std::string name;
  Rows (*rows)();
};

const std::vector<Table>& tables() {
  static const std::vector<Table> all = {{"ops", [] { return rows_of(ops::table()); }},
                                         {"passes", pass_rows},
                                         {"schedules", [] { return rows_of(schedule::schedules()); }},
                                         {"collectives", collective_rows},
                                         {"topologies", topology_rows},
                                         {"fabrics", fabric_rows},
                                         {"placements", [] { return rows_of(platform::placements()); }},
                                         {"costs", [] { return rows_of(cost::cost_models()); }},
                                         {"workloads", workload_rows},
                                         {"engines", [] { return rows_of(simulate::engines()); }},
                                         {"couplings", [] { return rows_of(simulate::couplings()); }},
                                         {"reports", [] { return rows_of(report::writers()); }},
                                         {"reproductions", [] { return rows_of(reproduce::reproductions()); }},
                                         {"commands", [] { return rows_of(commands()); }}};
  return all;
}

std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for (const Table& table : tables()) names.push_back(table.name);
  return names;
}

std::string as_markdown(const Rows& rows) {
  std::string text = "| name | what |\n|---|---|\n";
  for (const Row& row : rows) text += fmt::format("| `{}` | {} |\n", row.name, escape::markdown(row.doc));
  return text;
}

std::string as_text(const Rows& rows) {
  size_t width = 0;
  for (const Row& row : rows) width = std::max(width, row.name.size());
  std::string text;
  for (const Row& row : rows) text += fmt::format("{:<{}}  {}\n", row.name, width, row.doc);
  return text;
}

struct Options {
  std::string table, json;
  bool markdown = false;
};

void run(const Options& options) {
  const auto chosen =
      std::find_if(tables().begin(), tables().end(), [&](const Table& table) { return table.name == options.table; });
  if (chosen == tables().end()) {
    throw Error("foreflow list", "unknown table \"" + options.table + "\"; use " + list_or(table_names()));
  }
  const Rows rows = chosen->rows();
  Json json       = Json::array();
  for (const Row& row : rows) json.push(Json::object().set("name", row.name).set("doc", row.doc));
  answer(options.json, json, options.markdown ? as_markdown(rows) : as_text(rows));
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  command.add_option("TABLE", options->table, list_or(table_names()))->required();
  command.add_flag("--markdown", options->markdown, "as a Markdown table");
  command.add_option("--json", options->json, "write the table to FILE (- for stdout)");
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"list", "show a table: ops, passes, schedules, topologies, ...", "foreflow list schedules", declare};
}

}  // namespace foreflow::cli::definitions::list_command
