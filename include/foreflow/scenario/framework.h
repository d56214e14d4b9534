// Profiles of training frameworks: what a framework does by itself where a scenario says nothing. A profile is a JSON
// file (frameworks/*.json) whose settings are keys of a scenario, so it can say nothing that a scenario cannot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foreflow/base/json.h"

namespace foreflow::scenario {

struct FrameworkSetting {
  std::string key;  // "strategy.tensor_plan"
  Json value;
  std::string when;      // a condition of framework_conditions(); "always"
  std::string why;       // what the framework does
  bool assumed = false;  // true: not verified in the framework's documents or source
};

struct Framework {
  std::string name;     // "megatron-lm", "nemo@23.09"
  std::string version;  // the releases that it describes
  std::string doc;
  std::vector<FrameworkSetting> settings;
  std::vector<std::string> missing;  // what the framework does and the profile cannot say
};

// The profiles that come with Foreflow, by name.
const std::vector<Framework>& frameworks();

// The profile that a scenario names, built in or in a file; nothing without "framework". Throws Error as
// with_framework() does.
std::optional<Framework> framework_of(const Json& scenario, const std::string& file);

// Reads a profile. Throws Error at an unknown key, condition or kind of value.
Framework read_framework(const JsonView& json);

// The conditions under which a setting applies, each with its meaning.
struct FrameworkCondition {
  std::string_view name, doc;
  bool (*holds)(const Json& scenario);
  // False if the condition asks of a strategy only what its tp divides, and which of its other degrees are above 1.
  bool needs_more_than_degrees = false;
};
const std::vector<FrameworkCondition>& framework_conditions();

// A scenario with the settings of its "framework" in place of the keys that it leaves out. Without "framework" nothing
// changes. Conditions of keys that are axes do not hold; conditions see the keys that settings before them have
// set, so that a scenario which states the settings gets no others.
struct Completed {
  Json json;
  std::vector<FrameworkSetting> applied;  // those in force: of several for one key, the last
  // Per job: those in the parts that the job has for itself and does not inherit, with the keys that they have there.
  std::vector<std::vector<FrameworkSetting>> of_jobs = {};
};
// Each job of a scenario is completed by itself, after its parts have replaced those of the scenario; `applied` are the
// settings of what stands around the jobs.
// A path at cost.model is the model of its file, and the keys of that file are stated. Throws Error at an unknown
// framework, and where its file cannot be read; paths are relative to `file`.
Completed with_framework(const Json& scenario, const std::string& file);
// The same with a profile that has been read, whatever the scenario names. No calibration file is looked at.
Completed with_framework(const Json& scenario, const Framework& framework);
// Returns true if the framework of a scenario would give the key "strategy.zero" the value that the scenario states for
// it. False without "framework". Requires: the scenario has no jobs and states the key. Throws Error as
// with_framework() does.
bool is_of_framework(const Json& scenario, const std::string& file, const std::string& key);

}  // namespace foreflow::scenario
