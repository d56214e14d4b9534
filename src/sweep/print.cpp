#include "foreflow/base/nth.h"
#include "foreflow/base/table.h"
#include "foreflow/sweep/sweep.h"
#include "sweep/words.h"

namespace foreflow::sweep {
namespace {

Json axis_json(const scenario::Axis& axis, const Effect& effect) {
  Json json;
  json.set("path", axis.path()).set("values", Json(axis.values)).set("lines", effect.lines);
  json.set("mean_ratio", effect.mean).set("most_ratio", effect.most);
  return json;
}

Json point_json(const Result& result, size_t number) {
  const Point& point = result.points[number];
  Json values        = Json::object();
  for (size_t a = 0; a < result.axes.size(); ++a)
    values.set(result.axes[a].path(), result.axes[a].values[point.choice[a]]);
  Json json;
  json.set("point", number + 1).set("values", std::move(values)).set("status", name(point.status));
  if (point.status != Status::done) return json.set("why", point.why);
  for (const std::string& column : answer_columns()) json.set(column, *point.answer.find(column));
  return json;
}

std::string csv_line(const Result& result, size_t number) {
  const Point& point = result.points[number];
  Row cells          = {std::to_string(number + 1)};
  for (size_t a = 0; a < result.axes.size(); ++a) cells.push_back(word(result.axes[a].values[point.choice[a]]));
  cells.emplace_back(name(point.status));
  for (const std::string& column : answer_columns()) {
    const Json* value = point.answer.find(column);
    cells.push_back(value == nullptr ? "" : word(*value));
  }
  cells.push_back(point.why);
  return foreflow::csv_line(cells);
}

}  // namespace

Json to_json(const Result& result) {
  std::vector<size_t> counts(3);
  for (const Point& point : result.points) ++nth(counts, point.status);
  const std::vector<Effect> ranked = effects(result);
  Json::Array axes(result.axes.size());
  for (const Effect& effect : ranked) axes[effect.axis] = axis_json(result.axes[effect.axis], effect);
  const bool moved = !ranked.empty() && ranked.front().lines > 0;
  Json points      = Json::array();
  for (size_t number = 0; number < result.points.size(); ++number) points.push(point_json(result, number));
  Json json;
  json.set("scenario", result.source).set("scenario_hash", result.hash).set("version", result.version);
  json.set("done", counts[0]).set("failed", counts[1]).set("crashed", counts[2]);
  json.set("axes", std::move(axes));
  json.set("moved_most", moved ? Json(result.axes[ranked.front().axis].path()) : Json());
  return json.set("points", std::move(points));
}

std::string to_csv(const Result& result) {
  Row head = {"point"};
  for (const scenario::Axis& axis : result.axes) head.push_back(axis.path());
  head.emplace_back("status");
  head.insert(head.end(), answer_columns().begin(), answer_columns().end());
  head.emplace_back("why");
  std::string text = foreflow::csv_line(head);
  for (size_t number = 0; number < result.points.size(); ++number) text += csv_line(result, number);
  return text;
}

}  // namespace foreflow::sweep
