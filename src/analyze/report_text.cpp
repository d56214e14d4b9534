#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "foreflow/analyze/report.h"
#include "foreflow/base/escape.h"
#include "foreflow/base/nth.h"

namespace foreflow::analyze {
namespace {

constexpr size_t kShownPath     = 16;  // ops of a critical path that are listed one by one
constexpr size_t kShownPatterns = 12;

std::string in_unit(const std::string& unit, double value) {
  if (unit == "flops") return format(Flops(value));
  if (unit == "bytes") return format(Bytes(value));
  if (unit == "seconds") return format(Seconds(value));
  return fmt::format("{:.0f} ops", value);
}

double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

std::string functions_text(const std::vector<FunctionRow>& rows) {
  if (rows.size() == 1) return "";
  std::string text = "\nFunctions                                       ops   called from         runs\n";
  for (const FunctionRow& row : rows)
    text += fmt::format("  {:<40} {:>8} {:>13} {:>12.0f}\n", "@" + row.name, row.ops, row.places, row.runs);
  return text;
}

std::string type_line(const TypeRow& row) {
  return fmt::format("  {:<30} {:>8} {:>15} {:>12} {:>12}\n", row.op, row.count, format(row.flops), format(row.read),
                     format(row.written));
}

std::string types_text(const std::vector<TypeRow>& rows) {
  std::string text = "\nOps by type                         count           flops         read      written\n";
  TypeRow total;
  total.op = "total";
  for (const TypeRow& row : rows) {
    text += type_line(row);
    total.count += row.count;
    total.flops += row.flops;
    total.read += row.read;
    total.written += row.written;
  }
  return text + type_line(total);
}

std::string printed_result(const ir::Function& function, const ir::Op& op) {
  if (op.result_count == 0) return "_";
  const std::string& name = function.value(function.output(op, 0)).name;
  return "%" + (name.empty() ? "v" + std::to_string(op.first_result) : name);
}

std::string op_line(const Subject& subject, const Analysis& analysis, size_t o) {
  const ir::Op& op       = subject.function().ops[o];
  const OpTiming& timing = analysis.path.ops[o];
  const std::string line = op.line > 0 ? fmt::format("  line {}", op.line) : "";
  return fmt::format("  {:>14} {:>14} {:>14}  {} = {}{}\n", in_unit(analysis.weighing.name, timing.earliest_start),
                     in_unit(analysis.weighing.name, timing.weight), in_unit(analysis.weighing.name, timing.slack()),
                     printed_result(subject.function(), op), op.def->name, line);
}

std::string path_by_type(const Subject& subject, const Analysis& analysis) {
  std::map<std::string_view, std::pair<double, size_t>> types;
  for (const int32_t o : analysis.path.path) {
    auto& [weight, count] = types[nth(subject.function().ops, o).def->name];
    weight += nth(analysis.path.ops, o).weight;
    ++count;
  }
  std::vector<std::pair<std::string_view, std::pair<double, size_t>>> rows(types.begin(), types.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.first > b.second.first; });
  std::string text;
  for (const auto& [name, sum] : rows) {
    text += fmt::format("  {:>14} {:>6.1f} %  {:>6} x  {}\n", in_unit(analysis.weighing.name, sum.first),
                        percent(sum.first, analysis.path.length), sum.second, name);
  }
  return text;
}

std::string path_text(const Subject& subject, const Analysis& analysis, Detail detail) {
  const CriticalPath& path = analysis.path;
  const std::string& unit  = analysis.weighing.name;
  std::string text =
      fmt::format("\nCritical path by {}: {} of {} ops, {} of {} ({:.1f} %)\n", unit, path.path.size(), path.ops.size(),
                  in_unit(unit, path.length), in_unit(unit, path.total), percent(path.length, path.total));
  if (analysis.weighing.unpriced > 0)
    text += fmt::format("  {} communication ops weigh nothing: the cost model leaves them to a simulation\n",
                        analysis.weighing.unpriced);
  const std::string head = fmt::format("  {:>14} {:>14} {:>14}\n", "start", unit, "slack");
  if (detail == Detail::every_op) {
    text += head;
    for (size_t o = 0; o < path.ops.size(); ++o) text += op_line(subject, analysis, o);
  } else if (path.path.size() <= kShownPath) {
    text += head;
    for (const int32_t o : path.path) text += op_line(subject, analysis, static_cast<size_t>(o));
  } else {
    text += path_by_type(subject, analysis);
  }
  return text;
}

std::string fusion_text(const Analysis& analysis) {
  const Fusion& fusion = analysis.fusion;
  std::string text     = fmt::format("\nFusion: {} kernels could be {}, with {} less memory traffic of {} ({:.1f} %)\n",
                                     fusion.kernels, fusion.fused, format(fusion.saved), format(fusion.traffic),
                                     percent(fusion.saved.value(), fusion.traffic.value()));
  for (size_t i = 0; i < std::min(kShownPatterns, analysis.fusions.size()); ++i) {
    const FusionRow& row = analysis.fusions[i];
    text += fmt::format("  {:>10} {:>6} x  {:<24} {}\n", format(row.saved), row.groups, row.pattern, row.ops);
  }
  if (analysis.fusions.size() > kShownPatterns)
    text += fmt::format("  ... and {} more\n", analysis.fusions.size() - kShownPatterns);
  return text;
}

}  // namespace

std::string to_text(const std::string& source, const Subject& subject, const Analysis& analysis, Detail detail) {
  double calls = -1;  // the entry's own run is no call
  for (const FunctionRow& row : analysis.functions) calls += row.runs;
  const std::string head =
      fmt::format("{}: @{}, {} ops, {} dependencies; {} function{}, {:.0f} call{}\n", escape::terminal(source),
                  subject.function().name, subject.function().ops.size(), analysis.graph.edges(),
                  analysis.functions.size(), analysis.functions.size() == 1 ? "" : "s", calls, calls == 1 ? "" : "s");
  return head + functions_text(analysis.functions) + types_text(analysis.types) + path_text(subject, analysis, detail) +
         fusion_text(analysis);
}

}  // namespace foreflow::analyze
