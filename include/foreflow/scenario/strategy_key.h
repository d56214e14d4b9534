// A key of a strategy, one row each: how it is read and written, what is legal beside other keys, and what a search may
// try. A new key is a new file in src/scenario/strategy_keys.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "foreflow/base/key.h"
#include "foreflow/base/refusal.h"
#include "foreflow/base/registry.h"
#include "foreflow/scenario/scenario.h"

namespace foreflow::scenario {

// What a key is read beside.
struct StrategySource {
  const JsonView& json;  // the strategy's own object
  const Workload& workload;

  bool has(std::string_view key) const { return json.has(key); }
  bool infers() const { return workload.mode == workload::Mode::inference; }
  // Where a complaint about the key belongs: at the key, or at the strategy where it is left out.
  std::string where(std::string_view key) const { return has(key) ? json.at(key).where() : json.where(); }
  Refusal refused(std::string_view key, std::string why) const {
    return {Cause::value, where(key), std::move(why), std::string(has(key) ? key : "")};
  }
};

// What is the same for every strategy that a search looks at.
struct SpaceFacts {
  int64_t devices = 1, nodes = 1;  // of the platform
  bool training    = false;
  bool transformer = false;  // a family with attention
  bool experts     = false;  // a family with a mixture of experts
  // As the workload states them; 0: it does not.
  int64_t layers       = 0;
  int64_t expert_count = 0;  // of a layer
  int64_t sequence     = 0;
  int64_t routing      = 1;  // groups that each sample is routed in
};

enum class Searched : uint8_t {
  never,      // varies only where the scenario lists values
  always,     // also where the scenario leaves the key out
  on_demand,  // also where the scenario says "any"
};

struct SearchRule {
  Searched searched = Searched::never;
  // Keys are decided in ascending order of their turns, so that rules may depend on keys with lower ones.
  int turn = 0;
  // The legal values of the key at `point`, an object of the keys that are decided, the usual value first. None: the
  // key means nothing there.
  std::vector<Json> (*legal)(const SpaceFacts& facts, const Json& point) = nullptr;
  // Which value a search that decides key by key assumes until it comes to this one; null: the first.
  Json (*assumed)(const SpaceFacts& facts, const Json& point) = nullptr;
  // Its value is a number of ranks; the product of all of these is the number of devices, so they are decided together.
  bool is_degree = false;
};

struct StrategyKeyDef {
  std::string_view name;
  std::string_view doc;
  ValueType type;
  Json fallback              = {};  // what is read where the key is left out; null: nothing is read
  std::string_view otherwise = {};  // with a null fallback: what holds then, in words
  // The key's own value, whatever the other keys are. Null: `settle` reads it. Throws Error at `value`.
  void (*read)(const JsonView& value, Strategy& strategy) = nullptr;
  // Once every key is read, in the order of the table: what depends on others and on the workload. Refuses a strategy
  // that is not legal; then the rest of it is not settled.
  std::optional<Refusal> (*settle)(const StrategySource& source, Strategy& strategy) = nullptr;
  // Where the key is left out: what the cost model makes of it.
  void (*adapt)(const cost::CostModel& cost, Strategy& strategy) = nullptr;
  // What `read` and `settle` make the same of; null where leaving the key out does.
  Json (*write)(const Strategy& strategy) = nullptr;
  // Says what one replica does without a pipeline. All other keys say how that is cut, ordered and copied.
  bool of_one_replica = false;
  SearchRule search   = {};
};

const Registry<StrategyKeyDef>& strategy_keys();

// The keys as reference tables and the JSON Schema show them.
KeyDef described(const StrategyKeyDef& key);

// A strategy that reads back as the same, every key with its value. What was given as a number of samples, a file or a
// quantity is written as a number of microbatches, as patterns, in bytes.
Json to_json(const Strategy& strategy);

// The whole number, or the word, that a point has at `key`.
int64_t whole_or(const Json& point, std::string_view key, int64_t fallback);
std::string_view word_or(const Json& point, std::string_view key, std::string_view fallback);

}  // namespace foreflow::scenario
