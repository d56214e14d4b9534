#include <fmt/core.h>

#include <climits>

#include "cost/bounds.h"
#include "cost/line.h"
#include "foreflow/cost/calibration.h"
#include "foreflow/cost/signature.h"

namespace foreflow::cost {
namespace {

Json seconds(Seconds time) { return fmt::format("{}s", time.value()); }

// A rate that is not there costs nothing.
void set_line(Json& json, const Line& line) {
  json.set("fixed", seconds(line.fixed));
  if (line.per_flop > 0) json.set("throughput", fmt::format("{}f", 1 / line.per_flop));
  if (line.per_byte > 0) json.set("bandwidth", fmt::format("{}Bps", 1 / line.per_byte));
}

Line read_line(const JsonView& json) {
  Line line;
  line.fixed = bounded_time(json.at("fixed"));
  if (json.has("throughput")) line.per_flop = 1 / positive_flops_rate(json.at("throughput")).value();
  if (json.has("bandwidth")) line.per_byte = 1 / positive_bandwidth(json.at("bandwidth")).value();
  return line;
}

// An amount of work of one op, of which no sum overflows.
double bounded(const JsonView& json, double value) {
  constexpr double kMost = 1e30;
  if (value > kMost) json.fail("is too large; write at most 1e30");
  return value;
}

double not_negative(const JsonView& json) {
  const double value = json.as_number();
  if (value < 0) json.fail("is negative; write 0 or more");
  return bounded(json, value);
}

Bytes bounded_bytes(const JsonView& json) { return Bytes(bounded(json, json.as_bytes().value())); }

// The number `key` of `what`; 1 if it is not there.
int count_of(const JsonView& json, const std::string& key, const std::string& what) {
  if (!json.has(key)) return 1;
  const int64_t count = json.at(key).as_int();
  if (count < 1 || count > INT_MAX) json.at(key).fail("is no number of " + what + "; write 1 or more");
  return static_cast<int>(count);
}

Point read_point(const JsonView& json) {
  json.allow_only({"signature", "flops", "bytes", "time"});
  return {current_signature(json.at("signature").as_string()), Flops(not_negative(json.at("flops"))),
          bounded_bytes(json.at("bytes")), positive_time(json.at("time"))};
}

}  // namespace

Json to_json(const Calibration& calibration) {
  Json families = Json::array();
  for (const Family& family : calibration.families) {
    Json json = Json::object();
    json.set("op", family.op).set("dtype", family.dtype).set("ranks", family.ranks);
    if (family.nodes > 1) json.set("nodes", family.nodes);
    if (!family.device.empty()) json.set("device", family.device);
    set_line(json, family.line);
    Json points = Json::array();
    for (const Point& point : family.points) {
      Json row = Json::object();
      row.set("signature", point.signature).set("flops", point.flops.value());
      row.set("bytes", fmt::format("{}B", point.bytes.value())).set("time", seconds(point.time));
      points.push(std::move(row));
    }
    json.set("points", std::move(points));
    families.push(std::move(json));
  }
  return families;
}

Calibration from_json(const JsonView& families) {
  Calibration calibration;
  for (const JsonView& json : families.items()) {
    json.allow_only({"op", "dtype", "ranks", "nodes", "device", "fixed", "throughput", "bandwidth", "points"});
    Family family{json.at("op").as_string(),
                  json.at("dtype").as_string(),
                  count_of(json, "ranks", "processes"),
                  read_line(json),
                  {},
                  count_of(json, "nodes", "nodes"),
                  json.string_or("device", "")};
    for (const JsonView& point : json.at("points").items()) family.points.push_back(read_point(point));
    sort_along_line(family);  // rates were rounded when they were written
    calibration.families.push_back(std::move(family));
  }
  return calibration;
}

}  // namespace foreflow::cost
