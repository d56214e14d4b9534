#include <algorithm>

#include "simulate/disturbances/drawn_kind.h"

namespace foreflow::simulate::definitions::link_loss {
namespace {

const Keys& loss_keys() {
  static const Keys keys = {{"share", "the chance of every link, each direction on its own, to be hit", share_type()},
                            {"factor", "what is left of its bandwidth", types::positive(1)},
                            {"seed", "the same seed, the same links", types::whole(0), "0"}};
  return keys;
}

void check_values(const LinkLoss& loss, const Location& where) {
  where.require(loss.share >= 0 && loss.share <= 1, "share", kNoShare);
  where.require(loss.factor > 0 && loss.factor <= 1, "factor",
                "is not in (0, 1]; 0.5 means half the bandwidth is left");
}

void read(const JsonView& json, ComponentNames&, Disturbances& disturbances) {
  json.allow_only(names_of(loss_keys()));
  disturbances.link_loss = {json.at("share").as_number(), json.at("factor").as_number(), read_seed(json)};
  check_values(disturbances.link_loss, Location(json.where()));
}

void check(const Disturbances& disturbances, const platform::Platform&) {
  const Location where("disturbances.link_loss");
  check_values(disturbances.link_loss, where);
  where.require(disturbances.link_loss.share == 0 || disturbances.link_loss.drawn, kNotDrawn);
}

// A link that has a trace keeps it.
void draw(const platform::Platform& platform, Disturbances& disturbances) {
  LinkLoss& loss = disturbances.link_loss;
  if (loss.drawn) return;
  auto& traces    = disturbances.links;
  const auto said = traces;
  for (const int link : chosen(loss.share, loss.seed, 2, platform.links().size())) {
    if (std::none_of(said.begin(), said.end(), [link](const LinkTrace& trace) { return trace.link == link; }))
      traces.push_back({link, {{Seconds(0), loss.factor}}});
  }
  loss.drawn = true;
}

}  // namespace

DisturbanceDef row() {
  return {.name = "link_loss",
          .doc  = "links drawn at random that lose bandwidth",
          .meaning =
              "each link, each direction on its own, is hit with the chance `share`, drawn from the seed; it has "
              "`factor` of its bandwidth in the whole run; the same seed, the same links",
          .affects  = Affected::links,
          .type     = types::object_of(loss_keys(), "an object", {"share", "factor"}),
          .objects  = {{"link_loss", loss_keys()}},
          .read     = read,
          .check    = check,
          .is_given = [](const Disturbances& disturbances) { return disturbances.link_loss.share > 0; },
          .draw     = draw,
          .reseed   = [](uint64_t seed, Disturbances& disturbances) { disturbances.link_loss.seed = seed; }};
}

}  // namespace foreflow::simulate::definitions::link_loss
