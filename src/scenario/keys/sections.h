// The keys of the parts of a scenario, for their readers, the reference and the JSON Schema. Those of the strategy are
// rows of their own (foreflow/scenario/strategy_key.h).
#pragma once

#include "foreflow/base/key.h"
#include "foreflow/scenario/schema.h"
#include "foreflow/workload/workload.h"

namespace foreflow::scenario {

const Keys& root_keys();
const Keys& job_keys();  // of one of "jobs"
const Keys& memory_keys();
const Keys& network_keys();

// The keys of a workload that is a model family, a file of ONNX, or a file of DistIR.
std::vector<std::string> family_key_names(const workload::WorkloadDef& family);
const Keys& onnx_keys();
const Keys& distir_keys();
ValueType workload_type();
Keys workload_keys();  // of all of them

const Keys& platform_file_keys();  // of a platform that is a file
ValueType platform_type();
Keys platform_keys();

ValueType cost_type();
Keys cost_keys();

const Keys& host_keys();
ValueType host_type();

const Keys& collective_keys();
const Keys& group_collective_keys();  // of one kind of groups: "collective.tp"

const Keys& placement_keys();
ValueType placement_type();

const Keys& disturbance_keys();
// "disturbances" and the objects inside.
std::vector<KeySection> disturbance_sections();

const Keys& strategy_key_rows();

// One of several forms of an object, told apart by the value of one key.
struct Variant {
  ValueType values;    // of that key
  Keys keys;           // the others
  bool usual = false;  // also the form of an object without that key
};
// When the key is an axis, the object may have the keys of all its values.
ValueType variants(const KeyDef& key, const std::vector<Variant>& all);
// The keys of all, each once.
Keys together(const std::vector<Variant>& all);

}  // namespace foreflow::scenario
