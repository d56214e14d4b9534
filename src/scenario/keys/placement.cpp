#include "foreflow/platform/placement.h"

#include "scenario/keys/sections.h"

namespace foreflow::scenario {

const Keys& placement_keys() {
  static const Keys keys = [] {
    const ValueType device = types::either(
        {types::whole(0), types::text("a name such as \"node0-gpu0\", or a range of numbers such as \"8-15\"")});
    ValueType order = types::text("such as \"tp-pp-dp\"");
    order.schema    = order.schema.with("pattern", "^(tp|cp|pp|dp)(-(tp|cp|pp|dp)){2,3}$");
    return Keys{
        {"policy", "in which order ranks take the devices (`foreflow list placements`)",
         types::one_of(platform::placements().names()), "`packed`; where devices are listed `explicit`"},
        {"devices", "those that ranks may take", types::list_of(device, "a list of names, numbers and ranges"), "all"},
        {"seed", "which of the random orders, with the policy `random`", types::whole(0), "0"},
        {"order", "which ranks are neighbours on the machine, the innermost first",
         types::either({order, types::any_word()}), "`tp-cp-pp-dp`"}};
  }();
  return keys;
}

ValueType placement_type() {
  ValueType type = types::either({types::one_of(platform::placements().names()),
                                  types::object_of(placement_keys(), "an object"), types::any_word()});
  type.words     = "the name of a policy, or an object";
  return type;
}

}  // namespace foreflow::scenario
