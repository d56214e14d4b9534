#include <algorithm>
#include <cmath>
#include <map>

#include "simulate/disturbances/list_kind.h"

namespace foreflow::simulate::definitions::slowdowns {
namespace {

Slowdown read(const JsonView& json) {
  return {0, json.at("factor").as_number(), seconds_or(json, "from", Seconds(0)), seconds_or(json, "until", kForever)};
}

void check(const Slowdown& slowdown, const Location& where) {
  where.require(slowdown.factor > 0 && std::isfinite(slowdown.factor), "factor",
                "is not above 0; 2 means half the speed");
  where.require(slowdown.from >= Seconds(0), "from", "is below 0s");
  where.require(slowdown.until > slowdown.from, "until", "is not after \"from\"");
}

// Overlapping ones multiply.
double least_factor(const Disturbances& disturbances) {
  std::map<int, double> of_device;
  double least = 1;
  for (const Slowdown& slowdown : disturbances.slowdowns) {
    double& factor = of_device.emplace(slowdown.device, 1).first->second;
    factor *= std::min(slowdown.factor, 1.0);
    least = std::min(least, factor);
  }
  return least;
}

}  // namespace

DisturbanceDef row() {
  return row_of<Slowdown>(
      {.list       = &Disturbances::slowdowns,
       .keys       = {{"device", "which device", types::text("the name of a device")},
                      {"factor", "computes take this many times as long (2: half the speed)", types::positive()},
                      {"from", "when it begins", types::time(), "\"0s\""},
                      {"until", "when it ends", types::time(), "never"}},
       .required   = {"device", "factor"},
       .references = {{"device", Component::device, &Slowdown::device}},
       .read       = read,
       .check      = check},
      {.name    = "slowdowns",
       .doc     = "devices that compute more slowly for a while",
       .meaning = "computes of the device take `factor` times as long while it lasts (2: half the speed); overlapping "
                  "ones multiply",
       .affects = Affected::computes,
       .least_factor = least_factor});
}

}  // namespace foreflow::simulate::definitions::slowdowns
