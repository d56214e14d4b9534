#include <algorithm>

#include "cli/completion.h"
#include "cli/tables.h"
#include "foreflow/base/text.h"
#include "foreflow/collective/collective.h"
#include "foreflow/scenario/schema.h"
#include "foreflow/search/search.h"

namespace foreflow::cli {
namespace {

std::vector<std::string> names_in(std::string_view name) {
  const auto table = std::find_if(tables().begin(), tables().end(), [&](const Table& one) { return one.name == name; });
  FOREFLOW_CHECK(table != tables().end(), "completion asks for a table that is not there");
  std::vector<std::string> names;
  for (const TableRow& row : table->rows()) names.push_back(row.name.substr(0, row.name.find('(')));
  return names;
}

std::vector<std::string> machines() {
  std::vector<std::string> names = names_in("topologies"), rented = names_in("instances");
  names.insert(names.end(), rented.begin(), rented.end());
  return names;
}

std::vector<std::string> algorithms() {
  std::vector<std::string> names = names_in("collectives");
  names.emplace_back("auto");
  return names;
}

// "strategy.tp=", for the keys that have one path.
std::vector<std::string> settings() {
  std::vector<std::string> names;
  for (const std::string& name : names_in("keys")) {
    if (name.find_first_of("[*") == std::string::npos) names.push_back(name + "=");
  }
  return names;
}

struct Values {
  std::string_view command;  // empty: of every command that has the argument
  std::string_view argument;
  std::vector<std::string> (*words)();
};

const std::vector<Values>& value_table() {
  static const std::vector<Values> rows = {
      {"", "--engine", [] { return names_in("engines"); }},
      {"", "--cost", [] { return names_in("costs"); }},
      {"", "--platform", machines},
      {"analyze", "--weight", [] { return split("ops flops bytes seconds", ' '); }},
      {"collective", "KIND", [] { return collective::kinds().names(); }},
      {"collective", "--algorithm", algorithms},
      {"collective", "--library", [] { return names_in("libraries"); }},
      {"completion", "SHELL", [] { return split("bash zsh fish", ' '); }},
      {"execute", "--ranks", [] { return split("one mpi", ' '); }},
      {"execute", "--set", settings},
      {"list", "TABLE", table_names},
      {"lower", "--set", settings},
      {"lower", "--target", [] { return split("distir pytorch", ' '); }},
      {"platform", "NAME", machines},
      {"reproduce", "NAME", [] { return names_in("reproductions"); }},
      {"schedule", "NAME", [] { return names_in("schedules"); }},
      {"search", "--method", [] { return search::methods().names(); }},
      {"search", "--objective", [] { return search::objectives().names(); }},
      {"search", "--prune", [] { return split("top front none", ' '); }},
      {"search", "--set", settings},
      {"simulate", "--set", settings},
      {"sweep", "--set", settings},
      {"transform", "--pass", [] { return names_in("passes"); }},
      {"workload", "NAME", [] { return names_in("workloads"); }},
      {"workload", "--dtype", [] { return split("f64 f32 f16 bf16 f8", ' '); }},
      {"workload", "--mode", [] { return split("training inference", ' '); }}};
  return rows;
}

bool has_argument(const CLI::App& app, const Values& row) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  return std::any_of(commands.begin(), commands.end(), [&](const CLI::App* command) {
    return (row.command.empty() || row.command == command->get_name()) &&
           command->get_option_no_throw(std::string(row.argument)) != nullptr;
  });
}

CompletedCommand completed(const CLI::App& command) {
  CompletedCommand result{command.get_name(), command.get_description(), {}, {}};
  bool first = true;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      if (std::exchange(first, false)) result.values = values_of(result.name, option->get_name(true));
      continue;
    }
    for (const std::string& name : option->get_lnames()) {
      result.options.push_back({"--" + name, option->get_description(), option->get_items_expected_max() > 0,
                                values_of(result.name, "--" + name)});
    }
  }
  return result;
}

}  // namespace

std::vector<std::string> values_of(std::string_view command, std::string_view argument) {
  for (const Values& row : value_table()) {
    if ((row.command.empty() || row.command == command) && row.argument == argument) return row.words();
  }
  return {};
}

std::string unknown_argument(const CLI::App& app) {
  for (const Values& row : value_table()) {
    if (!has_argument(app, row)) return std::string(row.command) + " " + std::string(row.argument);
  }
  return "";
}

std::vector<CompletedCommand> completed_commands(const CLI::App& app) {
  std::vector<CompletedCommand> all;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    all.push_back(completed(*command));
  return all;
}

}  // namespace foreflow::cli
