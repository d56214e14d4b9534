// The parts of a scenario, one reader each. `json` is the part's own object.
#pragma once

#include "foreflow/base/expected.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// `path` as the scenario file means it: relative to the folder of `file`.
std::string beside(const std::string& file, const std::string& path);

constexpr int64_t kLargestNumber = 1'000'000'000;  // products of two fit in 63 bits
constexpr int64_t kMostLayers    = 100'000;        // each is written out

// The member, which is at least 1 and at most `largest`; `fallback` when absent.
int64_t positive_or(const JsonView& json, std::string_view key, int64_t fallback, int64_t largest = kLargestNumber);

// Fails at the member unless `value` divides `number`, which is `what`.
void check_divides(const JsonView& json, std::string_view key, int64_t value, int64_t number, const std::string& what);

// A size that the workload states as a positive integer; 0 when it does not, or where the model will refuse it.
int64_t stated(const JsonView& sizes, std::string_view key);

Workload read_workload(const JsonView& json);
Placement read_placement(const JsonView& json);
cost::CostModel read_cost(const JsonView& json, int devices);  // of the program
// For the groups of devices that `strategy` makes.
lower::Options read_collectives(const JsonView& json, const Strategy& strategy);

// Workload, strategy, placement, cost and collectives of the object `root` into `scenario`.
void read_work(const JsonView& root, Scenario& scenario);

// The scenario of several jobs, whose `jobs` are still to be read.
Scenario with_jobs(Scenario scenario);

simulate::Coupling read_coupling(const JsonView& json);

NamedDisturbances read_disturbances(const JsonView& json);
void check_disturbance_keys(const JsonView& json);  // alone: a list below a wrong key is no axis
// With the platform's numbers of devices and links. Throws Error at a name that it does not have.
simulate::Disturbances numbered(const NamedDisturbances& named, const platform::Platform& platform);

// tensor_plan, sequence_parallel and vocabulary_parallel of a strategy whose tp is known; `sizes` as below.
void read_tensor_parallelism(const JsonView& json, const JsonView& sizes, Strategy& strategy);
// The pipeline of a strategy whose degrees and microbatches are known; `layers`: of the workload, 0 where it has none.
void read_pipeline(const JsonView& json, const Workload& workload, int64_t layers, Strategy& strategy);
// What a scenario's "memory" says: "exact" or "caching".
std::string read_allocator(const JsonView& json);

// What is done again in the backward pass: only where there is one.
transform::Recompute read_recompute(const JsonView& json, const Workload& workload);
// Whether activations wait on the host; the same.
bool read_offload(const JsonView& json, const Workload& workload);

// Refuses what read_strategy throws at a key.
Expected<Strategy> try_read_strategy(const JsonView& json, const Workload& workload, const JsonView& sizes);
// The same of a placement, which is one refusal as a whole.
Expected<Placement> try_read_placement(const JsonView& json);
// As try_places of a scenario whose object `root` says this.
Expected<std::vector<int>> try_places(const std::string& root, const Strategy& strategy, const Placement& placement,
                                      const platform::Platform& platform, const Held& held = {});

// Reads what is legal for `workload`, whose own object is `sizes`.
Strategy read_strategy(const JsonView& json, const Workload& workload, const JsonView& sizes);

// Its keys about ranks that share sequences and experts: cp, ep. The other degrees are known.
void read_sharing(const JsonView& json, const Workload& workload, const JsonView& sizes, Strategy& strategy);

// Its keys about what devices exchange: zero, overlap_gradients, bucket_size, overlap_sends, overlap_tensor.
void read_exchange(const JsonView& json, const Workload& workload, Strategy& strategy);

}  // namespace foreflow::scenario
