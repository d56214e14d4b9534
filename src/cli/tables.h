// The tables that `foreflow list` shows.
#pragma once

#include <string>
#include <vector>

namespace foreflow::cli {

struct TableRow {
  std::string name, doc;
  // Cells beside the doc, in the order of Table::columns; as many or none.
  std::vector<std::string> more = {};
};

struct Table {
  std::string name;
  std::vector<TableRow> (*rows)();
  std::vector<std::string> columns = {};  // beside name and doc
};

const std::vector<Table>& tables();
std::vector<std::string> table_names();

// The keys of one part of a scenario ("strategy"), without the part in their names; of everything with an empty `part`.
// Throws Error at a part that there is not.
std::vector<TableRow> key_rows(const std::string& part);

}  // namespace foreflow::cli
