#include <algorithm>
#include <cmath>

#include "simulate/disturbances/list_kind.h"

namespace foreflow::simulate::definitions::links {
namespace {

const Keys& step_keys() {
  static const Keys keys = {{"at", "from when on", types::time(), "\"0s\""},
                            {"factor", "share of the planned bandwidth; 0: the link is down", types::number(), "1"},
                            {"latency", "of a message that begins from then on", types::time(), "as planned"}};
  return keys;
}

LinkTrace read(const JsonView& json) {
  LinkTrace trace{0, {}};
  for (const JsonView& step : json.at("changes").items()) {
    step.allow_only(names_of(step_keys()));
    LinkStep change{seconds_or(step, "at", Seconds(0))};
    if (step.has("factor")) change.factor = step.at("factor").as_number();
    if (step.has("latency")) change.latency = step.at("latency").as_seconds();
    trace.changes.push_back(change);
  }
  return trace;
}

void check(const LinkTrace& trace, const Location& where) {
  where.require(!trace.changes.empty(), "changes", "is empty; give at least one");
  Seconds latest(-1);
  for (size_t i = 0; i < trace.changes.size(); ++i) {
    const LinkStep& step = trace.changes[i];
    const Location here  = where.item("changes", i);
    here.require(step.factor >= 0 && std::isfinite(step.factor), "factor", "is below 0; 0 means down, 1 as planned");
    here.require(step.at >= Seconds(0) && step.at < kForever, "at", "is not a time from 0s on");
    here.require(!step.latency || (*step.latency >= Seconds(0) && *step.latency < kForever), "latency",
                 "is not a time from 0s on");
    here.require(step.at > latest, "is not after the change before it; sort them by \"at\"");
    latest = step.at;
  }
}

double least_factor(const Disturbances& disturbances) {
  double most = 1;
  for (const LinkTrace& trace : disturbances.links) {
    for (const LinkStep& step : trace.changes) most = std::max(most, step.factor);
  }
  return 1 / most;
}

}  // namespace

DisturbanceDef row() {
  return row_of<LinkTrace>(
      {.list       = &Disturbances::links,
       .keys       = {{"link", "which link", types::text("the name of a link")},
                      {"changes", "how it changes over time, in ascending order", list_of_objects(step_keys(), {})}},
       .required   = {"link", "changes"},
       .references = {{"link", Component::link, &LinkTrace::link, "has a trace already; give all its changes in one"}},
       .read       = read,
       .check      = check},
      {.name    = "links",
       .doc     = "links that degrade, fail and recover",
       .meaning = "the bandwidth is `factor` times the planned one from `at` on, and the latency `latency`; 0 is down: "
                  "flows wait until it is "
                  "repaired; a scenario in which they would wait for ever is refused",
       .affects = Affected::links,
       .objects = {{"links[].changes[]", step_keys()}},
       .least_factor = least_factor});
}

}  // namespace foreflow::simulate::definitions::links
