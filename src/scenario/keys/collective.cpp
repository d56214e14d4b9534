#include "foreflow/collective/collective.h"

#include "scenario/keys/sections.h"

namespace foreflow::scenario {
namespace {

ValueType algorithms_of(collective::Kind kind) {
  std::vector<std::string> names;
  for (const collective::AlgorithmDef& algorithm : collective::algorithms()) {
    if (algorithm.does(kind)) names.emplace_back(algorithm.name);
  }
  return types::one_of(names);
}

}  // namespace

const Keys& group_collective_keys() {
  static const Keys keys = [] {
    Keys all;
    for (int i = 0; i < collective::kKinds; ++i) {
      const auto kind = static_cast<collective::Kind>(i);
      const std::string name(collective::name(kind));
      all.push_back({name, "the algorithm of every " + name, algorithms_of(kind), "the usual one"});
    }
    return all;
  }();
  return keys;
}

const Keys& collective_keys() {
  static const Keys keys = [] {
    Keys all              = group_collective_keys();
    const ValueType group = types::object_of(group_collective_keys(), "an object of algorithms by kind");
    for (const std::string name : {"tp", "cp", "ep", "pp", "dp"})
      all.push_back({name, "other algorithms among devices that differ in their place in " + name + " alone", group,
                     "as for all"});
    return all;
  }();
  return keys;
}

}  // namespace foreflow::scenario
