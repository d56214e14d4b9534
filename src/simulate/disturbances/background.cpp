#include <fmt/format.h>

#include <algorithm>

#include "simulate/disturbances/list_kind.h"
#include "simulate/streams/stuck.h"

namespace foreflow::simulate::definitions::background {
namespace {

Background read(const JsonView& json) {
  Background flows;
  flows.bytes = json.at("bytes").as_bytes();
  if (json.has("limit")) {
    flows.limit = json.at("limit").as_bandwidth();
    if (!(flows.limit > BytesPerSecond(0))) json.at("limit").fail("is not above 0; leave it out for no limit");
  }
  flows.first  = seconds_or(json, "first", Seconds(0));
  flows.period = seconds_or(json, "period", Seconds(0));
  if (json.has("period") && !(flows.period > Seconds(0)))
    json.at("period").fail("is not above 0; leave it out for one flow");
  flows.until = seconds_or(json, "until", kForever);
  return flows;
}

void check(const Background& flows, const Location& where) {
  where.require(flows.from != flows.to, "to", "is the device that sends; name another one");
  where.require(flows.bytes > Bytes(0), "bytes", "is not above 0");
  where.require(flows.limit >= BytesPerSecond(0), "limit", "is below 0; 0 means no limit");
  where.require(flows.first >= Seconds(0) && flows.first < kForever, "first", "is not a time from 0s on");
  where.require(flows.period >= Seconds(0), "period", "is below 0s; 0s means one flow only");
  where.require(flows.until > flows.first, "until", "is not after \"first\"");
}

void check_on(const platform::Platform& platform, const Background& flows, const Location& where) {
  where.require(!platform.route(flows.from, flows.to).links.empty(), "to", "has no route from the device that sends");
}

// Flows that begin later may be under way together, too, which the simulation finds out.
void check_all(const std::vector<Background>& flows, const Location& where) {
  const auto at_once = static_cast<size_t>(
      std::count_if(flows.begin(), flows.end(), [](const Background& one) { return one.first == Seconds(0); }));
  where.require(at_once <= kMostForeign,
                fmt::format("{} flows begin at 0s, and no more than {} may be under way at once; let some begin later "
                            "(\"first\"), or add their bytes up",
                            at_once, kMostForeign));
}

}  // namespace

DisturbanceDef row() {
  const ValueType device = types::text("the name of a device");
  return row_of<Background>(
      {.list       = &Disturbances::background,
       .keys       = {{"from", "the device that sends", device},
                      {"to", "the device that receives", device},
                      {"bytes", "of each flow", types::bytes()},
                      {"limit", "the most that one flow takes", types::bandwidth(), "as much as it can get"},
                      {"first", "when the first flow begins", types::time(), "\"0s\""},
                      {"period", "from one flow to the next", types::time(), "one flow only"},
                      {"until", "when the last one may begin", types::time(), "never"}},
       .required   = {"from", "to", "bytes"},
       .references = {{"from", Component::device, &Background::from}, {"to", Component::device, &Background::to}},
       .read       = read,
       .check      = check,
       .check_on   = check_on,
       .check_all  = check_all},
      {.name    = "background",
       .doc     = "flows of others from device to device",
       .meaning = "flows of others from device to device, one every `period`, each as fast as it can be or at most "
                  "`limit`; no more than 2000 at once",
       .affects = Affected::links});
}

}  // namespace foreflow::simulate::definitions::background
