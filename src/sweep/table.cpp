// The answer for people: what moved it, and the best points.
#include "foreflow/base/table.h"

#include <fmt/core.h>

#include <algorithm>

#include "foreflow/base/units.h"
#include "foreflow/sweep/sweep.h"
#include "sweep/words.h"

namespace foreflow::sweep {
namespace {

std::string effects_table(const Result& result) {
  std::vector<Row> rows = {{"axis", "values", "lines", "mean", "most"}};
  for (const Effect& effect : effects(result)) {
    const scenario::Axis& axis = result.axes[effect.axis];
    const bool known           = effect.lines > 0;
    rows.push_back({axis.path(), std::to_string(axis.values.size()), std::to_string(effect.lines),
                    known ? fmt::format("x {:.3f}", effect.mean) : "-",
                    known ? fmt::format("x {:.3f}", effect.most) : "-"});
  }
  return "\nWhat moved the throughput most: the highest over the lowest along one axis, the others held\n" +
         aligned(rows, "<>>>>");
}

double number(const Point& point, const char* column) {
  const Json& value = *point.answer.find(column);
  return value.if_double() != nullptr ? *value.if_double() : static_cast<double>(*value.if_int());
}

// The points that are done and fit in memory, highest throughput first.
std::vector<const Point*> ranked(const Result& result) {
  std::vector<const Point*> points;
  for (const Point& point : result.points) {
    if (point.status == Status::done && *point.answer.find("fits")->if_bool()) points.push_back(&point);
  }
  std::stable_sort(points.begin(), points.end(), [](const Point* a, const Point* b) {
    return number(*a, "throughput_samples_per_s") > number(*b, "throughput_samples_per_s");
  });
  return points;
}

Row row_of(const Result& result, const Point& point, size_t place) {
  Row row = {std::to_string(place)};
  for (size_t a = 0; a < result.axes.size(); ++a) row.push_back(label(result.axes[a], point.choice[a]));
  const std::string link = word(*point.answer.find("busiest_link"));
  row.push_back(link.empty() ? "" : fmt::format("{} {:.1f} %", link, 100 * number(point, "busiest_link_utilization")));
  row.push_back(format(Seconds(number(point, "iteration_time_s"))));
  row.push_back(fmt::format("{:.5g}", number(point, "throughput_samples_per_s")));
  row.push_back(format(Bytes(number(point, "peak_memory_bytes"))));
  return row;
}

// Why there is no best point: memory is to blame for points that have an answer only.
std::string why_none(const Result& result) {
  const auto is_done = [](const Point& point) { return point.status == Status::done; };
  if (std::none_of(result.points.begin(), result.points.end(), is_done)) return "No point works";
  const bool all = std::all_of(result.points.begin(), result.points.end(), is_done);
  return all ? "No point works in the memory that there is" : "No point that could be predicted fits in memory";
}

std::string best_table(const Result& result, size_t top) {
  const std::vector<const Point*> points = ranked(result);
  if (points.empty()) return "\n" + why_none(result) + "\n";
  Row head = {""};
  for (const scenario::Axis& axis : result.axes) head.push_back(axis.path());
  head.insert(head.end(), {"busiest link", "time", "samples/s", "memory"});
  std::vector<Row> rows = {head};
  for (size_t i = 0; i < std::min(top, points.size()); ++i) rows.push_back(row_of(result, *points[i], i + 1));
  return "\nBest by throughput\n" + aligned(rows, std::string(head.size() - 3, '<') + ">>>");
}

std::string counts_line(const Result& result) {
  size_t failed = 0, crashed = 0, large = 0;
  for (const Point& point : result.points) {
    failed += point.status == Status::failed ? 1 : 0;
    crashed += point.status == Status::crashed ? 1 : 0;
    large += point.status == Status::done && !*point.answer.find("fits")->if_bool() ? 1 : 0;
  }
  return fmt::format("{} point{}: {} done ({} do not fit in memory), {} failed, {} crashed\n", result.points.size(),
                     result.points.size() == 1 ? "" : "s", result.points.size() - failed - crashed, large, failed,
                     crashed);
}

std::string reasons(const Result& result) {
  std::map<std::string, size_t> all;
  for (const Point& point : result.points) {
    if (point.status != Status::done) ++all[point.why];
  }
  return tally(all);
}

}  // namespace

std::string to_text(const Result& result, size_t top) {
  std::string text = counts_line(result) + reasons(result);
  if (!result.axes.empty()) text += effects_table(result);
  return text + best_table(result, top);
}

}  // namespace foreflow::sweep
