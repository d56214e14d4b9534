#include <fmt/core.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/tables.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/text.h"
#include "foreflow/scenario/schema.h"

namespace foreflow::cli::definitions::list_command {
namespace {

using Rows = std::vector<TableRow>;

std::string as_markdown(const Table& table, const Rows& rows) {
  std::string text = "| name | what |", line = "|---|---|";
  for (const std::string& column : table.columns) {
    text += fmt::format(" {} |", column);
    line += "---|";
  }
  text += "\n" + line + "\n";
  for (const TableRow& row : rows) {
    text += fmt::format("| `{}` | {} |", row.name, escape::markdown(row.doc));
    for (const std::string& more : row.more) text += fmt::format(" {} |", escape::markdown(more));
    text += "\n";
  }
  return text;
}

std::string as_text(const Table& table, const Rows& rows) {
  size_t width = 0;
  for (const TableRow& row : rows) width = std::max(width, row.name.size());
  std::string text;
  for (const TableRow& row : rows) {
    text += fmt::format("{:<{}}  {}", row.name, width, row.doc);
    for (size_t i = 0; i < row.more.size(); ++i) {
      if (!row.more[i].empty()) text += fmt::format("; {}: {}", table.columns[i], row.more[i]);
    }
    text += "\n";
  }
  return text;
}

Json as_json(const Table& table, const Rows& rows) {
  Json json = Json::array();
  for (const TableRow& row : rows) {
    Json one = Json::object().set("name", row.name).set("doc", row.doc);
    for (size_t i = 0; i < row.more.size(); ++i) one.set(table.columns[i], row.more[i]);
    json.push(std::move(one));
  }
  return json;
}

struct Options {
  std::string table, part, json;
  bool markdown = false, schema = false;
};

void run(const Options& options) {
  const auto chosen =
      std::find_if(tables().begin(), tables().end(), [&](const Table& table) { return table.name == options.table; });
  if (chosen == tables().end()) {
    throw Error("foreflow list", "unknown table \"" + options.table + "\"; use " + list_or(table_names()));
  }
  const bool keys = chosen->name == "keys";
  if (!keys && (options.schema || !options.part.empty()))
    throw Error("foreflow list", "--json-schema and --part are for the table keys; leave them out");
  if (options.schema) return write_if_given("-", scenario::json_schema().dump());
  const Rows rows = keys ? key_rows(options.part) : chosen->rows();
  answer(options.json, as_json(*chosen, rows), options.markdown ? as_markdown(*chosen, rows) : as_text(*chosen, rows));
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  command.add_option("TABLE", options->table, list_or(table_names()))->required();
  command.add_flag("--markdown", options->markdown, "as a Markdown table");
  command.add_option("--part", options->part, "keys: only those of one part of a scenario, such as strategy");
  command.add_flag("--json-schema", options->schema, "keys: as JSON Schema, for editors that check scenarios");
  writes(command.add_option("--json", options->json, "write the table to FILE (- for stdout)"));
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"list", "show a table: ops, passes, schedules, topologies, ...", "foreflow list schedules", declare};
}

}  // namespace foreflow::cli::definitions::list_command
