// The keys of a strategy as rows of a table: how a key is read and written, which values are legal beside those of
// other keys, which values a search tries, and when the key changes nothing. A new key is a new file in
// src/scenario/strategy_keys.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "foreflow/base/key.h"
#include "foreflow/base/refusal.h"
#include "foreflow/base/registry.h"
#include "foreflow/scenario/scenario.h"

namespace foreflow::report {
struct Summary;
}

namespace foreflow::scenario {

// The context in which a key is read.
struct StrategySource {
  const JsonView& json;  // the strategy's own object
  const Workload& workload;

  bool has(std::string_view key) const { return json.has(key); }
  bool infers() const { return !workload.trains(); }
  // The place for a refusal of the key: the key itself, or the strategy when the key is absent.
  std::string where(std::string_view key) const { return has(key) ? json.at(key).where() : json.where(); }
  Refusal refused(std::string_view key, const std::string& why) const {
    return {Cause::value, where(key), why, std::string(has(key) ? key : "")};
  }
};

// Facts that are the same for every strategy of a search.
struct SpaceFacts {
  int64_t devices = 1, nodes = 1;  // of the platform
  bool equal_devices = true;       // of one node, so that it makes no difference which of them a rank has
  bool training      = false;
  bool transformer   = false;  // a family with attention
  bool flash         = false;  // whose attention is one op unless a strategy says otherwise
  bool experts       = false;  // a family with a mixture of experts
  bool sequences     = false;  // a family whose samples have positions that ranks can share
  // As stated by the workload; 0: not stated.
  int64_t layers       = 0;
  int64_t expert_count = 0;  // of a layer
  int64_t sequence     = 0;
  int64_t vocabulary   = 0;
  int64_t routing      = 1;  // routing groups of each sample
};

enum class Searched : uint8_t {
  never,      // only where the scenario lists values
  always,     // also where the scenario leaves the key out
  on_demand,  // also where the scenario says "any"
};

// The values that bounds assume for a key that a search has not decided yet.
enum class Open : uint8_t {
  never,  // none: the key is decided before any bound is computed
  first,  // the first legal one: no other value gives a lower bound
  last,   // the last legal one, likewise
  all     // every legal one: the bound is the lowest of all
};

struct SearchRule {
  Searched searched = Searched::never;
  // Keys are decided in ascending order of `turn`, so a rule may depend on the keys with lower turns.
  int turn = 0;
  // The legal values of the key, the usual value first. `point` is an object of the keys decided so far. An empty list:
  // the key has no meaning at this point and is left out.
  std::vector<Json> (*legal)(const SpaceFacts& facts, const Json& point) = nullptr;
  // The value that a search assumes until it decides this key; null: the first legal one.
  Json (*assumed)(const SpaceFacts& facts, const Json& point) = nullptr;
  // For bounds of the time and of the memory. Where they are not `never`, `legal` must not depend on other such keys,
  // and the first legal value must not be refused where others are accepted.
  Open fastest = Open::never, leanest = Open::never;
  // True where the key may be open in refined bounds, too: it does not change where a model is cut into stages.
  bool refines = false;
  // True where the key moves the ends of stages, but does not change the program that is cut: bounds that assume one of
  // its values are the lowest of those with the stages of each value.
  bool moves_cuts = false;
  // True for degrees of parallelism (dp, tp, pp, ...). Their product is the number of devices, so they are decided
  // together.
  bool is_degree = false;
};

struct StrategyKeyDef {
  std::string_view name;
  std::string_view doc;
  ValueType type;
  Json fallback              = {};  // value read where the key is absent; null: none
  std::string_view otherwise = {};  // with a null fallback: the default in words
  // A strategy is read in three phases, each over all keys in the order of the table.
  //   1. `read` stores the key's own value, independent of other keys. Null: phase 2 reads the key. Throws Error at
  //      `value`.
  //   2. `settle` checks and completes what depends on other keys and on the workload. Stops at the first refusal.
  //   3. `adapt` sets what the cost model decides where the key is absent.
  // Phase 1, which also tells whether a value is of the right kind (check_values):
  void (*read)(const JsonView& value, Strategy& strategy) = nullptr;
  // Phase 2:
  std::optional<Refusal> (*settle)(const StrategySource& source, Strategy& strategy) = nullptr;
  // The keys that `settle` reads, including its own and those that they depend on. Strategies that agree in these keys
  // get the same refusal, so a search need not read each of them.
  std::vector<std::string_view> depends_on = {};
  // Phase 3:
  void (*adapt)(const cost::CostModel& cost, Strategy& strategy) = nullptr;
  // The JSON value that reads back as the same strategy; null where the key can be absent.
  Json (*write)(const Strategy& strategy) = nullptr;
  // True where the key changes the program of a single unpipelined replica. All other keys only decide how that program
  // is split, scheduled and replicated.
  bool of_one_replica = false;
  // True where the key only decides what is done with the finished program of a replica, so that all its values share
  // that program, pipelined or not.
  bool of_replicas  = false;
  SearchRule search = {};
  // Why the key, which the scenario has, changes nothing in it, as a clause ("tp is 1"); "": it does, or has its
  // default or another value that asks for nothing. Null: it always does something.
  std::string (*idle)(const Scenario& scenario) = nullptr;
  // The same for what only the program shows, which `summary` describes; asked where `idle` gives no reason.
  std::string (*idle_in_run)(const Scenario& scenario, const report::Summary& summary) = nullptr;
};

const Registry<StrategyKeyDef>& strategy_keys();

// The rows that can be read while only some of the keys are known.
struct KnownKeys {
  std::vector<const StrategyKeyDef*> read, settle;  // in phases 1 and 2, in the order of the table
  bool degrees         = false;                     // whether all degrees are among them
  bool settles_degrees = false;                     // whether each of them that is settled is, too
};
// `known` tells whether the key with this name is known, with its value or as absent.
KnownKeys known_keys(const std::function<bool(std::string_view name)>& known);

// Throws Error at the first value in `strategy`, an object, that the reader of its key refuses, whatever the other keys
// are: at dp[1] of {"dp": [1, "x"]}. A list holds several values of its key. With `searches`, a key that a search can
// vary may have the value "any". Keys that are not known are left to others.
void check_values(const JsonView& strategy, bool searches);

// A key in the form of reference tables and of the JSON Schema.
KeyDef described(const StrategyKeyDef& key);

// JSON that reads back as the same strategy, with a value for every key. Values are in canonical form: a microbatch
// size becomes a number of microbatches, a file its patterns, a quantity its bytes.
Json to_json(const Strategy& strategy);

// The integer, or the word, at `key` of a point.
int64_t whole_or(const Json& point, std::string_view key, int64_t fallback);
std::string_view word_or(const Json& point, std::string_view key, std::string_view fallback);
// The number of devices that the degrees of a point ask for; at most INT64_MAX.
int64_t devices_of(const Json& point);
// has_unequal_stages returns true if a point states unequal numbers of shards for its stages. suits_stages returns true
// if the point's tp, cp and pp agree with the numbers that it states: pp is their count, and tp (or cp) is the largest
// of them.
bool has_unequal_stages(const Json& point);
bool suits_stages(const Json& point);

// Returns true if attention keeps no scores at a point, so that selective recomputation has nothing to repeat.
bool is_fused(const SpaceFacts& facts, const Json& point);

}  // namespace foreflow::scenario
