#include "foreflow/base/text.h"
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

// As RFC 4180 has it.
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

std::string csv_line(const Result& result, size_t number) {
  const Point& point = result.points[number];
  std::string line   = std::to_string(number + 1);
  for (size_t a = 0; a < result.axes.size(); ++a) line += "," + cell(word(result.axes[a].values[point.choice[a]]));
  line += "," + std::string(name(point.status));
  for (const std::string& column : answer_columns()) {
    const Json* value = point.answer.find(column);
    line += "," + (value == nullptr ? "" : cell(word(*value)));
  }
  return line + "," + cell(point.why) + "\n";
}

}  // namespace

Json to_json(const Result& result) {
  std::vector<size_t> counts(3);
  for (const Point& point : result.points) ++counts[static_cast<size_t>(point.status)];
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
  std::string text = "point";
  for (const scenario::Axis& axis : result.axes) text += "," + cell(axis.path());
  text += ",status";
  for (const std::string& column : answer_columns()) text += "," + column;
  text += ",why\n";
  for (size_t number = 0; number < result.points.size(); ++number) text += csv_line(result, number);
  return text;
}

}  // namespace foreflow::sweep
