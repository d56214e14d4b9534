#include "scenario/keys/sections.h"
#include "scenario/read.h"

namespace foreflow::scenario {

simulate::Coupling read_coupling(const JsonView& json) {
  json.allow_only(names_of(network_keys()));
  if (!json.has("coupling")) return simulate::Coupling::automatic;
  return simulate::couplings().get(json.at("coupling").as_string(), json.at("coupling").where()).coupling;
}

}  // namespace foreflow::scenario
