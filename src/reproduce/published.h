// Published numbers: a table of cells, the first line naming the columns. Lines that begin with '#' say where the
// numbers come from.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace foreflow::reproduce {

class Published {
 public:
  Published(std::string place, std::map<std::string, std::string> cells)
      : place_(std::move(place)), cells_(std::move(cells)) {}

  // Throw Error at the line: no such column; no number.
  const std::string& word(const std::string& column) const;
  double number(const std::string& column) const;
  int whole(const std::string& column) const { return static_cast<int>(number(column)); }

 private:
  std::string place_;  // FILE:LINE
  std::map<std::string, std::string> cells_;
};

// Throws Error when the file cannot be read, or a line has more or fewer cells than there are columns.
std::vector<Published> read_published(const std::string& path);

}  // namespace foreflow::reproduce
