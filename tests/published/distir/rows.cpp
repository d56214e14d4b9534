#include "published/distir/rows.h"

#include "foreflow/base/text.h"

namespace foreflow::published {

Row::Row(const std::vector<std::string>& header, const std::vector<std::string>& cells) {
  for (size_t i = 0; i < header.size() && i < cells.size(); ++i) cells_.emplace(trim(header[i]), trim(cells[i]));
}

const std::string& Row::word(const std::string& column) const { return cells_.at(column); }

double Row::number(const std::string& column) const { return std::stod(word(column)); }

std::vector<Row> read_csv(const std::string& path) {
  std::vector<Row> rows;
  std::vector<std::string> header;
  for (const std::string& line : split(read_file(path), '\n')) {
    if (trim(line).empty()) continue;
    const std::vector<std::string> cells = split(line, ',');
    if (header.empty()) {
      header = cells;
    } else {
      rows.emplace_back(header, cells);
    }
  }
  return rows;
}

std::string describe(const Row& row) {
  return "d" + row.word("d") + " t" + row.word("t") + " p" + row.word("p") + " k" + row.word("k") + ", batch " +
         row.word("batch");
}

scenario::Scenario at(const std::string& base, const Row& row, std::vector<std::string> settings) {
  for (const auto& [column, key] : {std::pair("d", "dp"), std::pair("t", "tp"), std::pair("p", "pp"),
                                    std::pair("k", "microbatches"), std::pair("batch", "global_batch")}) {
    settings.push_back(std::string("strategy.") + key + "=" + row.word(column));
  }
  return scenario::load_file(base, settings);
}

}  // namespace foreflow::published
