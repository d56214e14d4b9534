#include "foreflow/collective/library.h"
#include "scenario/collective_groups.h"
#include "scenario/keys/sections.h"
#include "scenario/read.h"

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
    for (const collective::KindDef& kind : collective::kinds()) {
      const std::string name(kind.name);
      all.push_back({name, "the algorithm of every " + name, algorithms_of(kind.kind), "the usual one"});
    }
    return all;
  }();
  return keys;
}

const Keys& collective_keys() {
  static const Keys keys = [] {
    Keys all = {{"library",
                 "the communication library, which chooses among the algorithms and protocols that it has; an "
                 "algorithm that is named for a kind goes before it. A name without a version is the newest of it",
                 types::one_of(collective::library_names()), "none: the usual algorithms, as fast as the wires"}};
    all.insert(all.end(), group_collective_keys().begin(), group_collective_keys().end());
    const ValueType group = types::object_of(group_collective_keys(), "an object of algorithms by kind");
    all.push_back({"start", "passes before a collective begins, once all members are there", types::time(), "\"0s\""});
    all.push_back({"message_start", "as much before a message between stages", types::time(), "\"0s\""});
    all.push_back(
        {"channels",
         "processors (streaming multiprocessors) of a device that each collective on a stream of its own takes "
         "from the computes beside it, as NCCL's channels do: they get along at the share that is left",
         types::whole(0, kMostChannels), "0"});
    for (const CollectiveGroup& row : collective_groups()) {
      const std::string name(row.name);
      all.push_back({name, "other algorithms among devices that differ in their place in " + name + " alone", group,
                     "as for all"});
    }
    return all;
  }();
  return keys;
}

}  // namespace foreflow::scenario
