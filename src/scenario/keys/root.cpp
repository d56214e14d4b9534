#include "foreflow/simulate/simulate.h"
#include "scenario/keys/sections.h"

namespace foreflow::scenario {
namespace {

// One of the definitions of the schema.
ValueType part(const std::string& name, std::string words = "an object") {
  return {std::move(words), Schema().with("$ref", "#/$defs/" + name)};
}

const Keys& part_keys_of_work() {
  static const Keys keys = {
      {"workload", "what is computed: a model family with its sizes, an ONNX model, or a DistIR program",
       part("workload", "an object with `model`, `onnx` or `distir`")},
      {"strategy", "how it is distributed", part("strategy"), "one device"},
      {"cost", "what computing costs", part("cost"), "`roofline`"},
      {"host", "how long the host takes to issue what devices do", part("host", "`none`, or an object of times"),
       "`none`"},
      {"collective", "the algorithms of collectives", part("collective"), "the usual ones"},
      {"placement", "which device each rank has", part("placement", "the name of a policy, or an object"), "`packed`"}};
  return keys;
}

}  // namespace

const Keys& memory_keys() {
  static const Keys keys = {{"allocator", "`caching`: memory is replayed with a model of a framework's allocator",
                             types::one_of({"exact", "caching"}), "`exact`"}};
  return keys;
}

const Keys& network_keys() {
  static const Keys keys = {{"coupling", "how closely the hops of a ring are coupled (`foreflow list couplings`)",
                             types::one_of(simulate::couplings().names()), "`auto`"}};
  return keys;
}

const Keys& job_keys() {
  static const Keys keys = [] {
    Keys all = {{"name", "of the job, for reports", types::text("a name without \"/\""), "`job1`, `job2`, .."},
                {"start", "when it begins", types::time(), "\"0s\""},
                {"iterations", "how many, one after the other", types::whole(1, 10'000), "1"}};
    for (KeyDef key : part_keys_of_work()) {
      key.otherwise = "as the scenario around it says";
      all.push_back(std::move(key));
    }
    return all;
  }();
  return keys;
}

const Keys& root_keys() {
  static const Keys keys = [] {
    Keys all = {{"name", "of the scenario, for reports", types::text("any text"), "the name of its file"},
                {"platform", "the machine", part("platform", "an object with `topology`, `parts`, `sites` or `file`")}};
    all.insert(all.begin() + 1, part_keys_of_work().begin(), part_keys_of_work().end());
    const Keys rest = {
        {"framework",
         "what trains it, which says what the scenario leaves out (`foreflow list frameworks`). A name without a "
         "version is the newest of it",
         types::text("a name, or the path of a profile"), "none"},
        {"engine", "what simulates (`foreflow list engines`)", types::one_of(simulate::engines().names()), "`simgrid`"},
        {"network", "how communications are modelled", types::object_of(network_keys(), "an object"), "as `auto`"},
        {"disturbances", "what does not go as planned", part("disturbances"), "nothing"},
        {"memory", "how memory is accounted for", types::object_of(memory_keys(), "an object"), "as `exact`"},
        {"jobs", "several workloads that share the platform",
         types::list_of(types::object_of(job_keys(), "an object"), "a list of objects"),
         "the scenario is the one job"}};
    all.insert(all.end(), rest.begin(), rest.end());
    return all;
  }();
  return keys;
}

}  // namespace foreflow::scenario
