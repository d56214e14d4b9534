#include "foreflow/cost/measurement.h"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <map>
#include <tuple>

#include "cost/data_forms.h"
#include "foreflow/base/error.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"
#include "foreflow/cost/signature.h"

namespace foreflow::cost {
namespace {

using Kind = Measurement::Kind;

constexpr const char *kNodes = "nodes", *kDevice = "device";

const std::vector<std::string>& columns() {
  static const std::vector<std::string> kColumns = {"kind",  "rank",    "op",          "dtype",         "signature",
                                                    "ranks", "flops",   "bytes_read",  "bytes_written", "message_bytes",
                                                    "count", "seconds", "seconds_min", kNodes,          kDevice};
  return kColumns;
}

constexpr auto kRequired = {"kind",  "op",         "dtype",         "signature",     "ranks",
                            "flops", "bytes_read", "bytes_written", "message_bytes", "seconds"};

// The cells of one line; a quoted cell may hold commas, and "" for a quote.
std::vector<std::string> cells_of(std::string_view line, const std::string& where) {
  std::vector<std::string> cells(1);
  bool inside = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (inside && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += line[++i];
    } else if (c == '"') {
      inside = !inside;
    } else if (c == ',' && !inside) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  if (inside) throw Error(where, "a quoted cell does not end; close it with \"");
  return cells;
}

// One line with the numbers of the columns that the file has.
class CsvRow {
 public:
  CsvRow(const std::map<std::string, size_t, std::less<>>& places, std::vector<std::string> cells, std::string where)
      : places_(places), cells_(std::move(cells)), where_(std::move(where)) {
    if (cells_.size() == places_.size()) return;
    throw Error(where_, fmt::format("has {} cells; the first line names {} columns", cells_.size(), places_.size()));
  }

  bool has(std::string_view column) const {
    const auto place = places_.find(column);
    return place != places_.end() && !trim(cells_[place->second]).empty();
  }

  const std::string& text(std::string_view column) const { return cells_[places_.find(column)->second]; }

  double number(std::string_view column, double fallback) const {
    const auto place = places_.find(column);
    if (place == places_.end()) return fallback;
    const std::string& text = cells_[place->second];
    const auto value        = parse_number<double>(text);
    constexpr double kMost  = 1e30;  // so that no sum and no ratio overflows
    if (!value || !std::isfinite(*value) || *value < 0)
      throw Error(where_, fmt::format("{} is \"{}\"; write a number that is not negative", column, text));
    if (*value > kMost) throw Error(where_, fmt::format("{} is \"{}\"; write at most 1e30", column, text));
    return *value;
  }

  int whole(std::string_view column, int least, int fallback) const {
    const double value = number(column, fallback);
    if (value != std::floor(value) || value < least || value > INT_MAX)
      throw Error(where_, fmt::format("{} is \"{}\"; write a whole number from {}", column, text(column), least));
    return static_cast<int>(value);
  }

  // A measured time is above zero.
  Seconds time(std::string_view column, double fallback) const {
    constexpr double kShortest = 1e-15, kLongest = 1e12;
    const double value = number(column, fallback);
    if (value < kShortest || value > kLongest)
      throw Error(where_, fmt::format("{} is \"{}\"; write a time in seconds above 0", column, text(column)));
    return Seconds(value);
  }

  // The members of a message are on at most as many nodes.
  int nodes(int ranks) const {
    if (!has(kNodes)) return 1;
    const int number = whole(kNodes, 1, 1);
    if (number <= ranks) return number;
    throw Error(where_,
                fmt::format("{} is \"{}\"; write at most {}, the number of ranks", kNodes, text(kNodes), ranks));
  }

  std::string device(Kind kind) const {
    if (!has(kDevice)) return "";
    if (kind == Kind::compute) return std::string(trim(text(kDevice)));
    throw Error(where_, fmt::format("{} is \"{}\"; leave it empty for a message", kDevice, text(kDevice)));
  }

  Kind kind() const {
    const std::string& word = text("kind");
    if (word == "compute") return Kind::compute;
    if (word == "message") return Kind::message;
    throw Error(where_, "kind is \"" + word + "\"; write compute or message");
  }

 private:
  const std::map<std::string, size_t, std::less<>>& places_;
  std::vector<std::string> cells_;
  std::string where_;
};

Measurement measurement_of(const CsvRow& row) {
  Measurement result;
  result.kind      = row.kind();
  result.rank      = row.whole("rank", 0, 0);
  result.op        = row.text("op");
  result.dtype     = row.text("dtype");
  result.signature = current_signature(row.text("signature"));
  result.ranks     = row.whole("ranks", 1, 1);
  result.flops     = Flops(row.number("flops", 0));
  result.read      = Bytes(row.number("bytes_read", 0));
  result.written   = Bytes(row.number("bytes_written", 0));
  result.message   = Bytes(row.number("message_bytes", 0));
  result.count     = row.whole("count", 0, 1);
  result.time      = row.time("seconds", 0);
  result.fastest   = row.time("seconds_min", result.time.value());
  result.nodes     = row.nodes(result.ranks);
  result.device    = row.device(result.kind);
  return result;
}

bool is_among(std::string_view column, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), column) != names.end();
}

bool is_published(const std::vector<std::string>& header) {
  return std::any_of(data_forms().begin(), data_forms().end(), [&](const DataForm& form) {
    return is_among(form.column, header) && !is_among(form.column, columns());
  });
}

struct WorkColumn {
  std::string_view name;
  double (*value)(const Measurement&);
};
constexpr WorkColumn kWorkColumns[] = {{"flops", [](const Measurement& row) { return row.flops.value(); }},
                                       {"bytes_read", [](const Measurement& row) { return row.read.value(); }},
                                       {"bytes_written", [](const Measurement& row) { return row.written.value(); }},
                                       {"message_bytes", [](const Measurement& row) { return row.message.value(); }}};

bool has_integers(std::string_view signature) {
  return signature.find("i64[") != std::string_view::npos || signature.find("i32[") != std::string_view::npos;
}

void check_equal_work(const Measurement& a, const Measurement& b, const std::string& where) {
  constexpr double kRounding = 1e-5;
  for (const WorkColumn& column : kWorkColumns) {
    const double one = column.value(a), other = column.value(b);
    if (std::abs(one - other) <= kRounding * std::max(one, other)) continue;
    throw Error(where,
                fmt::format("the signature \"{}\" stands in rows with {} {} and {}; rows of one signature are the "
                            "same work, so give other work another signature",
                            a.signature, column.name, one, other));
  }
}

// Returns a hint for a column that measurements of ops do not have.
std::string hint(const std::string& column, const std::vector<std::string>& header) {
  if (!is_published(header)) return suggestion(column, columns());
  return "; if the file holds published measurements of a device, name it: --device NAME";
}

std::map<std::string, size_t, std::less<>> places_of(const std::vector<std::string>& header, const std::string& where) {
  std::map<std::string, size_t, std::less<>> places;
  const auto is_control = [](unsigned char c) { return c < ' '; };
  for (const std::string& column : header) {
    if (std::any_of(column.begin(), column.end(), is_control))
      throw Error(where,
                  "is no CSV; traces of PyTorch's profiler end in .json or .json.gz, and archives are unpacked first");
    if (!is_among(column, columns())) throw Error(where, "unknown column \"" + column + "\"" + hint(column, header));
    if (!places.emplace(column, places.size()).second) throw Error(where, "the column " + column + " stands twice");
  }
  for (const char* column : kRequired) {
    if (!places.contains(column)) throw Error(where, fmt::format("has no column \"{}\"", column));
  }
  return places;
}

}  // namespace

std::string print_csv(std::span<const Measurement> measurements) {
  const bool on_several =
      std::any_of(measurements.begin(), measurements.end(), [](const Measurement& m) { return m.nodes > 1; });
  const bool states_device =
      std::any_of(measurements.begin(), measurements.end(), [](const Measurement& m) { return !m.device.empty(); });
  std::string text;
  for (const std::string& column : columns()) {
    if ((column != kNodes || on_several) && (column != kDevice || states_device))
      text += (text.empty() ? "" : ",") + column;
  }
  text += "\n";
  for (const Measurement& m : measurements) {
    text += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}", m.kind == Kind::compute ? "compute" : "message",
                        m.rank, escape::csv_op(m.op), escape::csv(m.dtype),
                        escape::csv(m.signature, escape::Quotes::always), m.ranks, m.flops.value(), m.read.value(),
                        m.written.value(), m.message.value(), m.count, m.time.value(), m.fastest.value());
    if (on_several) text += fmt::format(",{}", m.nodes);
    text += (states_device ? "," + escape::csv(m.device) : "") + "\n";
  }
  return text;
}

std::vector<Measurement> parse_csv(std::string_view text, const std::string& name) {
  std::vector<Measurement> measurements;
  std::map<std::string, size_t, std::less<>> places;
  size_t number = 0;
  for (const std::string& line : split(after_byte_order_mark(text), '\n')) {
    const std::string where    = fmt::format("{}:{}", name, ++number);
    const std::string_view row = trim(line);
    if (row.empty() || row.front() == '#') continue;
    std::vector<std::string> cells = cells_of(row, where);
    if (places.empty()) {
      places = places_of(cells, where);
    } else {
      measurements.push_back(measurement_of(CsvRow(places, std::move(cells), where)));
    }
  }
  if (measurements.empty()) throw Error(name, "holds no measurement; `foreflow execute --measurements` writes some");
  return measurements;
}

void check_work(std::span<const Measurement> measurements, const std::string& where) {
  using Key = std::tuple<std::string_view, std::string_view, int, int, std::string_view>;
  std::map<Key, const Measurement*> first;
  for (const Measurement& row : measurements) {
    if (has_integers(row.signature)) continue;
    const auto [found, fresh] = first.emplace(Key(row.op, row.dtype, row.ranks, row.nodes, row.signature), &row);
    if (!fresh) check_equal_work(*found->second, row, where);
  }
}

std::string stated_device(std::string_view text) {
  text                       = after_byte_order_mark(text);
  const std::string_view row = text.substr(0, text.find('\n'));
  const size_t end           = row.find(", driver ");
  if (!row.starts_with('#') || end == std::string_view::npos) return "";
  const std::string_view name = trim(row.substr(1, end - 1));
  const size_t times          = name.find(" x ");  // "8 x NVIDIA H100 80GB HBM3"
  const bool has_number       = times != std::string_view::npos && parse_number<int>(name.substr(0, times)).has_value();
  return std::string(has_number ? name.substr(times + 3) : name);
}

Seconds median(std::vector<Seconds> times) {
  FOREFLOW_CHECK(!times.empty(), "the median of nothing");
  std::sort(times.begin(), times.end());
  const size_t middle = times.size() / 2;
  return times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
}

}  // namespace foreflow::cost
