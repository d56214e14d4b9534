#include "cost/data_sets.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"

namespace foreflow::cost {
namespace {

// The cells of a line; a quoted cell may hold commas.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    if (c == '"' || c == '\r') continue;
    if (c == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

// One line of a file by the names of its columns.
class FieldsOfRow {
 public:
  FieldsOfRow(const std::vector<std::string>& names, std::vector<std::string> cells, std::string where)
      : names_(names), cells_(std::move(cells)), where_(std::move(where)) {
    if (cells_.size() != names_.size())
      throw Error(where_, fmt::format("has {} cells; the first line names {} columns", cells_.size(), names_.size()));
  }
  const std::string& text(std::string_view column) const {
    const auto found = std::find(names_.begin(), names_.end(), column);
    if (found == names_.end()) throw Error(where_, fmt::format("has no column \"{}\"", column));
    return cells_[static_cast<size_t>(found - names_.begin())];
  }
  double number(std::string_view column) const {
    const auto value = parse_number<double>(text(column));
    if (!value || !(*value > 0) || *value > 1e15)
      throw Error(where_, fmt::format("{} is \"{}\"; write a number above 0", column, text(column)));
    return *value;
  }
  const std::string& first() const { return cells_[0]; }

 private:
  const std::vector<std::string>& names_;
  std::vector<std::string> cells_;
  std::string where_;
};

struct Read {
  std::string of;
  Sample sample;
};

bool is_unaligned(double row, double element) { return static_cast<int64_t>(row * element) % 16 != 0; }

Sample product(const FieldsOfRow& row, double in, double out, double shortest_row) {
  const double unaligned = is_unaligned(shortest_row, in) ? 1 : 0;
  return {{row.number("m"), row.number("n"), row.number("k"), in, out, unaligned}, row.number("latency_ms") * 1e-3};
}

std::optional<Read> gemm(const FieldsOfRow& row, const std::string&) {
  const bool bytes = row.text("dtype") == "fp8";
  // Rows of A and B have k elements, rows of C have n.
  const double odd = is_unaligned(row.number("k"), bytes ? 1 : 2) ? row.number("k") : row.number("n");
  return Read{bytes ? "f8" : "bf16", product(row, bytes ? 1 : 2, 2, odd)};
}

// Columns are contiguous: A has rows of m, or of k where it is transposed; B of k, or of n; C of m.
std::optional<Read> deep_bench(const FieldsOfRow& row, const std::string&) {
  const bool half      = row.text("sheet_precision").find("FP16") != std::string::npos;
  const double element = half ? 2 : 4;
  const double rows[]  = {row.number("m"), row.number(row.text("a_transpose") == "T" ? "k" : "m"),
                          row.number(row.text("b_transpose") == "T" ? "n" : "k")};
  const auto odd =
      std::find_if(std::begin(rows), std::end(rows), [&](double length) { return is_unaligned(length, element); });
  return Read{half ? "f16" : "f32", product(row, element, element, odd == std::end(rows) ? rows[0] : *odd)};
}

std::optional<Read> attention(const FieldsOfRow& row, const std::string&) {
  constexpr double kShortest = 16;  // below, a sequence is decoded by other kernels
  if (row.text("kv_cache_dtype") != "bfloat16" || row.number("isl") < kShortest) return std::nullopt;
  return Read{"bf16",
              {{row.number("batch_size"), row.number("isl"), row.number("num_heads"), row.number("num_key_value_heads"),
                row.number("head_dim"), 2},
               row.number("latency_ms") * 1e-3}};
}

Read collective(std::string kind, double ranks, double bytes, double seconds, const std::string& device) {
  const bool sums    = kind == "all_reduce";
  const double steps = (sums ? 2 : 1) * (ranks - 1);
  // From Hopper on, the switch can add. Where there is no switch but bridges or a mesh of NVLinks, every number of
  // ranks has other links.
  const bool switch_adds = sums && (device.starts_with("h") || device.starts_with("b"));
  const bool no_switch   = device == "l40s" || device == "v100";
  if (no_switch) kind += fmt::format(" over {}", ranks);
  return {std::move(kind), {{ranks, bytes, steps, steps / ranks * bytes, switch_adds ? 1.0 : 0.0, 0}, seconds}};
}

std::optional<Read> nccl(const FieldsOfRow& row, const std::string& device) {
  const std::string& kind = row.text("collective");
  return collective(kind == "alltoall" ? "all_to_all" : kind, row.number("gpus"), row.number("message_bytes"),
                    row.number("latency_ms") * 1e-3, device);
}

std::optional<Read> nccl_all_reduce(const FieldsOfRow& row, const std::string& device) {
  return collective("all_reduce", row.number("gpus"), row.number("size_bytes"), row.number("time_ns") * 1e-9, device);
}

// An addition reads two tensors and writes one. Times have microseconds only, so short ones say nothing.
std::optional<Read> addition(const FieldsOfRow& row, const std::string&) {
  constexpr double kShortest = 5e-3;  // ms
  const double tokens        = row.number("num_tokens");
  if (row.number("num_tensor_parallel_workers") > 1 || row.number("time_stats.add.median") < kShortest)
    return std::nullopt;
  return Read{"element-wise", {{3 * 2 * tokens * row.number("n_embd"), 1}, row.number("time_stats.add.median") * 1e-3}};
}

// Of tensors in 16 bits, which are read and written once. Issued one by one, so that short ones are times of the host.
std::optional<Read> throughput(const FieldsOfRow& row, const std::string&) {
  constexpr double kShortest = 2e-4;  // s
  const bool norm            = row.text("op") != "gelu";
  const double elements      = row.number("M") * (norm ? row.number("N") : 1);
  const double seconds       = elements / (row.number("throughput_Gelements_per_s") * 1e9);
  if (seconds < kShortest) return std::nullopt;
  return Read{norm ? "normalisation" : "element-wise", {{4 * elements, 1}, seconds}};
}

struct Form {
  std::string_view column, law;
  bool several_devices;  // the first cell names the device
  std::optional<Read> (*read)(const FieldsOfRow&, const std::string& device);
  std::string_view by;  // whose measurements
};

constexpr Form kForms[] = {
    {"sheet_precision", "product", false, deep_bench, "baidu-research/DeepBench (Apache-2.0)"},
    {"num_key_value_heads", "attention", false, attention, "ai-dynamo/aiconfigurator (Apache-2.0)"},
    {"collective", "collective", true, nccl, "ai-dynamo/aiconfigurator (Apache-2.0)"},
    {"time_ns", "collective", true, nccl_all_reduce, "VIA-Research/vTrain (MIT)"},
    {"throughput_Gelements_per_s", "traffic", true, throughput, "LLMCompass (BSD-3)"},
    {"time_stats.add.median", "traffic", false, addition, "microsoft/vidur (MIT)"},
    {"latency_ms", "product", false, gemm, "ai-dynamo/aiconfigurator (Apache-2.0)"},
};

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

const Form& form_of(const std::vector<std::string>& names, const std::string& name) {
  for (const Form& form : kForms) {
    if (std::find(names.begin(), names.end(), form.column) != names.end()) return form;
  }
  throw Error(name + ":1",
              "is in no form of published measurements that is known: products (dtype,m,n,k,latency_ms), attention, "
              "collectives or additions");
}

}  // namespace

std::vector<DataSet> read_data_sets(std::string_view text, const std::string& name, const std::string& device) {
  const std::vector<std::string> lines = split(text, '\n');
  const std::vector<std::string> names = fields_of(lines.empty() ? std::string_view() : lines[0]);
  const Form& form                     = form_of(names, name);
  const std::string source             = fmt::format("{}, {}", name, form.by);
  std::map<std::string, std::vector<Sample>> found;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (trim(lines[i]).empty()) continue;
    const FieldsOfRow row(names, fields_of(lines[i]), fmt::format("{}:{}", name, i + 1));
    if (form.several_devices && !device.starts_with(lower_case(row.first()))) continue;
    if (auto read = form.read(row, device)) found[read->of].push_back(read->sample);
  }
  std::vector<DataSet> sets;
  for (auto& [of, samples] : found) sets.push_back({std::string(form.law), of, source, std::move(samples)});
  return sets;
}

}  // namespace foreflow::cost
