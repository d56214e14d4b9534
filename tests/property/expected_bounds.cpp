#include "property/expected_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>

#include "search/bounds/bounds.h"
#include "search/bounds/refine.h"
#include "search/question.h"

namespace foreflow::search {
namespace {

// The keys that may be open in a sketch, the value with which no bound is higher last.
constexpr std::array kOpenInSketches = {"zero", "overlap_gradients", "overlap_tensor", "placement.order"};

// The point without them.
std::string without_open(const Json& point) {
  Json rest = Json::object();
  for (const auto& [key, value] : *point.if_object()) {
    if (std::find(kOpenInSketches.begin(), kOpenInSketches.end(), key) == kOpenInSketches.end()) rest.set(key, value);
  }
  return rest.dump_compact();
}

// The values that points have for a key, that of the last point first; null where a point has none.
std::vector<Json> values_of(const std::vector<const ReadPoint*>& points, const std::string& key) {
  std::vector<Json> values;
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    const Json* found = (*point)->point.find(key);
    const Json value  = found == nullptr ? Json() : *found;
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  return values;
}

// The sketch of all `points` that agree with the last of them but in open keys. They are in the order of the space, so
// the last one has the last value of each.
Bound sketch_of(const Question& question, const std::vector<const ReadPoint*>& points, Refiner& refiner) {
  std::vector<std::vector<ReadPoint>> lists;
  for (const Json& zero : values_of(points, "zero")) {
    lists.emplace_back();
    for (const Json& order : values_of(points, "placement.order")) {
      Json point = points.back()->point;
      if (!zero.is_null()) point.set("zero", zero);
      if (!order.is_null()) point.set("placement.order", order);
      lists.back().push_back(question.read(point));
      if (!lists.back().back().scenario) return {};
    }
  }
  return refiner.sketch(lists);
}

}  // namespace

void expect_bounds_hold(const Json& source) {
  const Question question(source, "random.json", {});
  std::vector<ReadPoint> points;
  for (const Json& point : question.space().points()) {
    ReadPoint read = question.read(point);
    if (read.scenario) points.push_back(std::move(read));
  }
  std::vector<const ReadPoint*> legal;
  for (const ReadPoint& point : points) legal.push_back(&point);
  Bounds bounds_of_families(1);
  const std::vector<Bound> bounds = bounds_of_families.of(legal);
  Predictor predictor;
  Refiner refiner(predictor);
  std::map<std::string, std::vector<const ReadPoint*>> alike;
  for (const ReadPoint& point : points) alike[without_open(point.point)].push_back(&point);
  std::map<std::string, Bound> sketches;
  for (const auto& [rest, same] : alike) sketches[rest] = sketch_of(question, same, refiner);
  size_t known = 0, predicted = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const Prediction prediction = predictor.predict(points[i]);
    const Bound& sketch         = sketches[without_open(points[i].point)];
    EXPECT_TRUE(!prediction.predicted || sketch.time <= prediction.time)
        << points[i].point.dump_compact() << source.dump_compact();
    EXPECT_TRUE(!prediction.predicted || sketch.memory <= prediction.memory)
        << points[i].point.dump_compact() << source.dump_compact();
    if (!prediction.predicted) continue;
    ++predicted;
    EXPECT_LE(bounds[i].time.value(), prediction.time.value())
        << points[i].point.dump_compact() << source.dump_compact();
    EXPECT_LE(bounds[i].memory.value(), prediction.memory.value())
        << points[i].point.dump_compact() << source.dump_compact();
    const Bound of_microbatch = bounds_of_families.of(points[i], {}, refiner.microbatch(points[i], {}));
    EXPECT_LE(of_microbatch.time.value(), prediction.time.value())
        << points[i].point.dump_compact() << source.dump_compact();
    const Bound refined = refiner.refine(points[i]);
    EXPECT_LE(refined.time.value(), prediction.time.value()) << points[i].point.dump_compact() << source.dump_compact();
    EXPECT_LE(refined.memory.value(), prediction.memory.value())
        << points[i].point.dump_compact() << source.dump_compact();
    const bool is_timed = bounds[i].time > Seconds(0) || points[i].is_disturbed();
    known += is_timed && bounds[i].memory > Bytes(0) ? 1 : 0;
  }
  EXPECT_TRUE(predicted == 0 || known > 0) << source.dump_compact();
}

}  // namespace foreflow::search
