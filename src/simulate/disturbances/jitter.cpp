#include "simulate/disturbances/drawn_kind.h"

namespace foreflow::simulate::definitions::jitter {
namespace {

const Keys& jitter_keys() {
  static const Keys keys = {{"amplitude",
                             "computes take their time times a number drawn from 1 - amplitude to 1 + amplitude",
                             {"a number from 0, below 1", types::number().schema.with("exclusiveMaximum", 1)}},
                            {"seed", "the same seed, the same numbers", types::whole(0), "0"}};
  return keys;
}

void check_amplitude(const Jitter& jitter, const std::string& where) {
  if (!(jitter.amplitude >= 0 && jitter.amplitude < 1)) throw Error(where, "is not in [0, 1); 0.05 means 5 %");
}

void read(const JsonView& json, ComponentNames&, Disturbances& disturbances) {
  json.allow_only(names_of(jitter_keys()));
  Jitter& jitter   = disturbances.jitter;
  jitter.amplitude = json.at("amplitude").as_number();
  check_amplitude(jitter, json.at("amplitude").where());
  jitter.seed = read_seed(json);
}

void check(const Disturbances& disturbances, const platform::Platform&) {
  check_amplitude(disturbances.jitter, "disturbances.jitter.amplitude");
}

}  // namespace

DisturbanceDef row() {
  return {.name = "jitter",
          .doc  = "noise on every compute",
          .meaning =
              "every compute takes its time times a number drawn uniformly from 1 - `amplitude` to 1 + "
              "`amplitude`; the same seed, the same numbers",
          .affects      = Affected::computes,
          .type         = types::object_of(jitter_keys(), "an object", {"amplitude"}),
          .objects      = {{"jitter", jitter_keys()}},
          .read         = read,
          .check        = check,
          .is_given     = [](const Disturbances& disturbances) { return disturbances.jitter.amplitude > 0; },
          .reseed       = [](uint64_t seed, Disturbances& disturbances) { disturbances.jitter.seed = seed; },
          .least_factor = [](const Disturbances& disturbances) { return 1 - disturbances.jitter.amplitude; }};
}

}  // namespace foreflow::simulate::definitions::jitter
