// The rows of an events list and of measured times, for calibration/profile.cu. Standard C++17 and nothing else, so
// that it is compiled and tested where there is no CUDA.
//
//     foreflow events SCENARIO.json --csv events.csv      kind,rank,op,dtype,signature,..,seconds,seconds_min
//     profile events.csv -o times.csv                     the same columns, those that were measured
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace profile {

// What is wrong, in one line that names the place.
struct Failure : std::runtime_error {
  Failure(const std::string& where, const std::string& what) : std::runtime_error(where + ": " + what) {}
};

// The cells of one line; a quoted cell may hold commas, and "" for a quote.
inline std::vector<std::string> split_cells(const std::string& line, const std::string& where) {
  std::vector<std::string> cells(1);
  bool inside = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\r') continue;
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
  if (inside) throw Failure(where, "a quoted cell does not end; close it with \"");
  return cells;
}

inline std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

struct Event {
  std::string where;                         // FILE:LINE
  std::map<std::string, std::string> cells;  // by column

  const std::string& at(const std::string& column) const {
    const auto cell = cells.find(column);
    if (cell == cells.end()) throw Failure(where, "there is no column \"" + column + "\"");
    return cell->second;
  }
  // Throws Failure where it is no number.
  double number(const std::string& column) const {
    char* end          = nullptr;
    const double value = std::strtod(at(column).c_str(), &end);
    if (at(column).empty() || *end != '\0')
      throw Failure(where, column + " is \"" + at(column) + "\", which is no number");
    return value;
  }
};

// On how many nodes the members of a message are; 1 where the list does not say it.
inline int nodes_of(const Event& event) {
  const auto cell = event.cells.find("nodes");
  return cell == event.cells.end() || cell->second.empty() ? 1 : static_cast<int>(event.number("nodes"));
}

// Returns true if the event is of any device, or of one that is called `name`: "A100-SXM4-80GB" of
// "NVIDIA A100-SXM4-80GB". Its model is in the name, and so is the form, if the name has one.
inline bool is_of_device(const Event& event, const std::string& name) {
  const auto words = [](const std::string& text) {
    std::vector<std::string> all(1);
    for (const char c : text) {
      if (c == ' ' || c == '-') {
        all.emplace_back();
      } else {
        all.back() += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      }
    }
    return all;
  };
  const auto form = [](const std::vector<std::string>& all) {
    for (const std::string& word : all) {
      if (word.rfind("SXM", 0) == 0 || word.rfind("PCI", 0) == 0) return word.substr(0, 3);
    }
    return std::string();
  };
  const auto cell = event.cells.find("device");
  if (cell == event.cells.end() || cell->second.empty()) return true;
  const std::vector<std::string> own = words(cell->second), here = words(name);
  for (const std::string& word : own) {
    const bool is_memory = word.size() > 2 && word.compare(word.size() - 2, 2, "GB") == 0;
    if (is_memory || form({word}) != "") continue;
    if (std::find(here.begin(), here.end(), word) == here.end()) return false;
  }
  return form(own).empty() || form(here).empty() || form(own) == form(here);
}

struct EventList {
  std::vector<std::string> columns;
  std::vector<Event> events;
};

// Lines that begin with '#' are comments. Throws Failure at a line with another number of cells than the first has.
inline EventList read_events(std::istream& in, const std::string& name) {
  EventList list;
  size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    const std::string where = name + ":" + std::to_string(++number);
    if (line.empty() || line == "\r" || line[0] == '#') continue;
    const std::vector<std::string> cells = split_cells(line, where);
    if (list.columns.empty()) {
      list.columns = cells;
      continue;
    }
    if (cells.size() != list.columns.size())
      throw Failure(where, "has " + std::to_string(cells.size()) + " cells for " + std::to_string(list.columns.size()) +
                               " columns");
    Event event{where, {}};
    for (size_t i = 0; i < cells.size(); ++i) event.cells[list.columns[i]] = cells[i];
    list.events.push_back(event);
  }
  if (list.columns.empty()) throw Failure(name, "is empty; `foreflow events SCENARIO --csv` writes a list of events");
  return list;
}

// The row of `event` with its times, in seconds: their median and the shortest. Requires at least one time.
inline std::string measured_line(const std::vector<std::string>& columns, Event event, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const size_t middle = times.size() / 2;
  const double median = times.size() % 2 == 1 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
  const auto text     = [](double seconds) {
    char digits[32];
    std::snprintf(digits, sizeof digits, "%.9g", seconds);
    return std::string(digits);
  };
  event.cells["count"]       = std::to_string(times.size());
  event.cells["seconds"]     = text(median);
  event.cells["seconds_min"] = text(times.front());
  std::string line;
  for (const std::string& column : columns) line += (line.empty() ? "" : ",") + quoted(event.at(column));
  return line + "\n";
}

// A tensor of a signature: "f16[4x2048x4096]".
struct Tensor {
  std::string dtype;
  std::vector<int64_t> dims;

  int64_t elements() const {
    int64_t product = 1;
    for (const int64_t dim : dims) product *= dim;
    return product;
  }
  // Bytes of one element; 0: of a type that is not measured here.
  int64_t width() const { return dtype == "f32" ? 4 : dtype == "f16" || dtype == "bf16" ? 2 : 0; }
  int64_t bytes() const { return elements() * width(); }
  bool operator==(const Tensor& other) const { return dtype == other.dtype && dims == other.dims; }
};

// "Gemm{transB=1}(f16[4x8] f16[2x8]) -> f16[4x2]"
struct Signature {
  std::string op;
  std::map<std::string, std::string> attributes;
  std::vector<Tensor> operands, results;
};

inline std::optional<Tensor> tensor_of(const std::string& word) {
  const size_t open = word.find('[');
  if (open == std::string::npos || word.back() != ']') return std::nullopt;
  Tensor tensor{word.substr(0, open), {}};
  for (size_t at = open + 1; at < word.size() - 1;) {
    char* end            = nullptr;
    const long long size = std::strtoll(word.c_str() + at, &end, 10);
    if (size < 1 || (*end != 'x' && *end != ']')) return std::nullopt;
    tensor.dims.push_back(size);
    at = static_cast<size_t>(end - word.c_str()) + 1;
  }
  return tensor;
}

inline std::optional<std::vector<Tensor>> tensors_of(const std::string& text) {
  std::vector<Tensor> tensors;
  for (size_t from = 0; from < text.size();) {
    const size_t to   = std::min(text.find(' ', from), text.size());
    const auto tensor = tensor_of(text.substr(from, to - from));
    if (!tensor) return std::nullopt;
    tensors.push_back(*tensor);
    from = to + 1;
  }
  return tensors;
}

// Nothing: an operand or result is no tensor of known sizes.
inline std::optional<Signature> signature_of(const std::string& text) {
  const size_t arrow = text.find(" -> "), close = arrow == std::string::npos ? arrow : text.rfind(')', arrow);
  if (close == std::string::npos) return std::nullopt;
  const size_t open = text.rfind('(', close), brace = text.find('{');
  const size_t named = std::min(open, brace);
  if (open == std::string::npos) return std::nullopt;
  Signature found{text.substr(0, named), {}, {}, {}};
  const auto operands = tensors_of(text.substr(open + 1, close - open - 1)),
             results  = tensors_of(text.substr(arrow + 4));
  if (!operands || !results) return std::nullopt;
  found.operands = *operands, found.results = *results;
  if (brace >= open) return found;
  // name=value, where a value may be a list with spaces.
  const std::string inside = text.substr(brace + 1, text.rfind('}', open) - brace - 1);
  for (size_t from = 0; from < inside.size();) {
    const size_t equals = inside.find('=', from);
    if (equals == std::string::npos) return std::nullopt;
    size_t to = equals + 1, depth = 0;
    for (; to < inside.size() && (inside[to] != ' ' || depth > 0); ++to) {
      depth += inside[to] == '[' ? 1 : 0;
      depth -= inside[to] == ']' ? 1 : 0;
    }
    found.attributes[inside.substr(from, equals - from)] = inside.substr(equals + 1, to - equals - 1);
    from                                                 = to + 1;
  }
  return found;
}

// True where `attributes` has no name beside those in `known`.
inline bool has_only(const Signature& signature, const std::vector<std::string>& known) {
  return std::all_of(signature.attributes.begin(), signature.attributes.end(),
                     [&](const auto& one) { return std::find(known.begin(), known.end(), one.first) != known.end(); });
}

// One product of row-major matrices: c[m,n] = a b, `batch` times. `a` is stored as [m,k], or as [k,m] where it is
// transposed; `b` as [k,n], or [n,k].
struct Product {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  bool transposed_a = false, transposed_b = false;
  std::string dtype;
};

// The products that an op consists of: one of MatMul and Gemm without bias, two of MatMulGrad. Empty: it is no such op.
inline std::vector<Product> products_of(const Signature& s) {
  const std::vector<Tensor>& in = s.operands;
  const auto transposed         = [&](const char* name) {
    const auto found = s.attributes.find(name);
    return found != s.attributes.end() && found->second != "0";
  };
  if (s.op == "MatMul" && s.attributes.empty() && in.size() == 2 && in[0].dims.size() > 1 && in[1].dims.size() > 1) {
    const int64_t k = in[0].dims.back(), n = in[1].dims.back();
    if (in[1].dims[in[1].dims.size() - 2] != k) return {};
    if (in[1].dims.size() == 2) return {{1, in[0].elements() / k, n, k, false, false, in[0].dtype}};
    const int64_t m = in[0].dims[in[0].dims.size() - 2], batch = in[0].elements() / (m * k);
    if (batch != in[1].elements() / (k * n)) return {};  // one is read by several of the other
    return {{batch, m, n, k, false, false, in[0].dtype}};
  }
  if (s.op == "Gemm" && has_only(s, {"transA", "transB"}) && in.size() == 2) {
    const bool a = transposed("transA"), b = transposed("transB");
    const int64_t m = in[0].dims[a ? 1 : 0], k = in[0].dims[a ? 0 : 1], n = in[1].dims[b ? 0 : 1];
    return {{1, m, n, k, a, b, in[0].dtype}};
  }
  if (s.op == "FusedMatMul" && has_only(s, {"transA", "transB"}) && in.size() == 2 && in[0].dims.size() > 2 &&
      in[0].dims.size() == in[1].dims.size()) {
    const bool a = transposed("transA"), b = transposed("transB");
    const int64_t *x = &in[0].dims[in[0].dims.size() - 2], *w = &in[1].dims[in[1].dims.size() - 2];
    const int64_t batch = in[0].elements() / (x[0] * x[1]);
    if (x[a ? 0 : 1] != w[b ? 1 : 0] || batch != in[1].elements() / (w[0] * w[1])) return {};
    return {{batch, x[a ? 1 : 0], w[b ? 0 : 1], x[a ? 0 : 1], a, b, in[0].dtype}};
  }
  if (s.op == "MatMulGrad" && s.attributes.empty() && in.size() == 3 && in[1].dims.size() == 2) {
    const int64_t k = in[1].dims[0], n = in[1].dims[1], m = in[0].elements() / k;
    return {{1, m, k, n, false, true, in[0].dtype}, {1, k, n, m, true, false, in[0].dtype}};
  }
  return {};
}

// The command line of the program.
struct Options {
  std::string events, output;
  int device = 0, warm_up = 10, repeat = 50;
};

// Throws Failure naming the argument.
inline Options options_of(const std::vector<std::string>& arguments) {
  Options options;
  const auto whole = [](const std::string& name, const std::string& text, int least) {
    char* end        = nullptr;
    const long value = std::strtol(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0' || value < least || value > 1'000'000)
      throw Failure(name, "is \"" + text + "\"; write a whole number from " + std::to_string(least));
    return static_cast<int>(value);
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = arguments[i];
    if (name.empty() || name[0] != '-') {
      if (!options.events.empty()) throw Failure(name, "is a second list of events; one would be right");
      options.events = name;
      continue;
    }
    const bool known =
        name == "-o" || name == "--output" || name == "--device" || name == "--warm-up" || name == "--repeat";
    if (!known) throw Failure(name, "is no option; there are --output, --device, --warm-up and --repeat");
    if (i + 1 == arguments.size()) throw Failure(name, "needs a value");
    const std::string& value = arguments[++i];
    if (name == "-o" || name == "--output") options.output = value;
    if (name == "--device") options.device = whole(name, value, 0);
    if (name == "--warm-up") options.warm_up = whole(name, value, 0);
    if (name == "--repeat") options.repeat = whole(name, value, 1);
  }
  if (options.events.empty() || options.output.empty())
    throw Failure("profile", "needs a list of events and a file to write: profile events.csv -o times.csv");
  return options;
}

}  // namespace profile
