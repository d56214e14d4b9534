// Functions with which several keys of a strategy are read, written and searched.
#pragma once

#include <functional>

#include "foreflow/scenario/strategy_key.h"

namespace foreflow::scenario {

constexpr int64_t kMostRanks = 1 << 20;

// A number of ranks, stages or microbatches.
ValueType degree_type();
int degree(const JsonView& value);

// A key that is true or false, and the member of the strategy that holds it.
template <bool Strategy::*Member>
void read_flag(const JsonView& value, Strategy& strategy) {
  strategy.*Member = value.as_bool();
}

template <int Strategy::*Member>
void read_degree(const JsonView& value, Strategy& strategy) {
  strategy.*Member = degree(value);
}

template <auto Member>
Json write_member(const Strategy& strategy) {
  return strategy.*Member;
}

// Refuses at the key unless `value` divides `number`, which is `what`.
std::optional<Refusal> check_divides(const StrategySource& source, std::string_view key, int64_t value, int64_t number,
                                     const std::string& what);
// Refuses at the key unless `tp` shards divide the heads and the hidden size that the workload states.
std::optional<Refusal> check_shards(const StrategySource& source, std::string_view key, int tp);
// Refuses at the key unless tp divides `number`, which the workload states as `size`; 0: it does not.
std::optional<Refusal> check_padded(const StrategySource& source, std::string_view key, std::string_view size, int tp);
// Refuses at the key of an inference, which has no backward pass.
std::optional<Refusal> check_trains(const StrategySource& source, std::string_view key, const std::string& value,
                                    const std::string& otherwise);

// Layers of the whole model; 0: it states none.
int64_t layers_of(const Workload& workload);
// With the embedding and the head, where the strategy counts them as layers; 0 as above.
int64_t layers_counted(const Workload& workload, const Strategy& strategy);
// Returns the advice that a refusal of too many stages adds: that counting more as layers would allow them. Empty if it
// would not.
std::string or_count_more(const Workload& workload, const Strategy& strategy, int stages);
bool is_mixture_of_experts(const Workload& workload);

// Numbers for each device of the pipeline, such as "4:2"; none for "equal". `what` names one: "number of shards".
std::vector<int> read_degrees(const JsonView& value, std::string_view what);
Json write_degrees(const std::vector<int>& degrees);
// Refuses at the key unless there is a degree for each device of the pipeline, and at `one_key`, which states `one`
// where it is present, unless that is the largest.
std::optional<Refusal> check_degrees(const StrategySource& source, std::string_view key,
                                     const std::vector<int>& degrees, int pp, std::string_view one_key);
// Refuses at the key unless the stages, which are sharded in different ways, can each be sharded so.
std::optional<Refusal> check_stages(const StrategySource& source, std::string_view key, const Strategy& strategy);

// Values for search rules.
// `one` for the first stages and `other` for the rest, and the other way round, cut at every place: "4:4:2", "4:2:2",
// "2:2:4", ..
std::vector<std::string> in_two_runs(int64_t stages, const std::string& one, const std::string& other);
// "equal", and the values of `key` with which one run of stages has `most` and the other a smaller divisor of it, where
// `fits` is true of the point with that value. Empty: there are no two stages.
std::vector<Json> degrees_of_stages(const Json& point, std::string_view key, int64_t most,
                                    const std::function<bool(const Json&)>& fits);
std::vector<Json> yes_or_no();
std::vector<Json> whole_values(const std::vector<int64_t>& numbers);
std::vector<Json> words(const std::vector<std::string>& words);
bool is_pipelined(const Json& point);
// counted_as_layers returns how many things besides the layers count as a layer at `point`. cuts_at_layers returns true
// if its stages end between layers.
int64_t counted_as_layers(const Json& point);
bool cuts_at_layers(const Json& point);
// How many replicas share experts at `point`: they are no copies of each other.
int64_t replicas_sharing(const Json& point);
// True when replicas keep copies of the same training state.
bool has_copies(const SpaceFacts& facts, const Json& point);

}  // namespace foreflow::scenario
