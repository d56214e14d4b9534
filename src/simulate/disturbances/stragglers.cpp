#include <cmath>

#include "simulate/disturbances/drawn_kind.h"

namespace foreflow::simulate::definitions::stragglers {
namespace {

const Keys& straggler_keys() {
  static const Keys keys = {{"share", "the chance of every device to be one", share_type()},
                            {"factor", "their computes take this many times as long", types::number(1)},
                            {"seed", "the same seed, the same devices", types::whole(0), "0"}};
  return keys;
}

void check_values(const Stragglers& stragglers, const Location& where) {
  where.require(stragglers.share >= 0 && stragglers.share <= 1, "share", kNoShare);
  where.require(stragglers.factor >= 1 && std::isfinite(stragglers.factor), "factor",
                "is below 1; 1.1 means a tenth slower");
}

void read(const JsonView& json, ComponentNames&, Disturbances& disturbances) {
  json.allow_only(names_of(straggler_keys()));
  disturbances.stragglers = {json.at("share").as_number(), json.at("factor").as_number(), read_seed(json)};
  check_values(disturbances.stragglers, Location(json.where()));
}

void check(const Disturbances& disturbances, const platform::Platform&) {
  const Location where("disturbances.stragglers");
  check_values(disturbances.stragglers, where);
  where.require(disturbances.stragglers.share == 0 || disturbances.stragglers.drawn, kNotDrawn);
}

void draw(const platform::Platform& platform, Disturbances& disturbances) {
  Stragglers& stragglers = disturbances.stragglers;
  if (stragglers.drawn) return;
  for (const int device : chosen(stragglers.share, stragglers.seed, 1, platform.devices().size()))
    disturbances.slowdowns.push_back({device, stragglers.factor});
  stragglers.drawn = true;
}

}  // namespace

DisturbanceDef row() {
  return {.name = "stragglers",
          .doc  = "devices drawn at random that compute more slowly",
          .meaning =
              "each device is one with the chance `share`, drawn from the seed; its computes take `factor` times "
              "as long in the whole run; the same seed, the same devices",
          .affects  = Affected::computes,
          .type     = types::object_of(straggler_keys(), "an object", {"share", "factor"}),
          .objects  = {{"stragglers", straggler_keys()}},
          .read     = read,
          .check    = check,
          .is_given = [](const Disturbances& disturbances) { return disturbances.stragglers.share > 0; },
          .draw     = draw,
          .reseed   = [](uint64_t seed, Disturbances& disturbances) { disturbances.stragglers.seed = seed; }};
}

}  // namespace foreflow::simulate::definitions::stragglers
