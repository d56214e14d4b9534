// The parts of a scenario, one reader each. `json` is the part's own object.
#pragma once

#include <array>
#include <string_view>

#include "foreflow/base/expected.h"
#include "foreflow/scenario/run.h"

namespace foreflow::scenario {

// The parts of a scenario that its jobs may have instead of it.
constexpr std::array<std::string_view, 6> kPartsOfJobs = {"workload", "strategy",   "cost",
                                                          "host",     "collective", "placement"};

// `path` as the scenario file means it: relative to the folder of `file`.
std::string beside(const std::string& file, const std::string& path);
// The file that a value names, as its own file means it.
std::string file_named(const JsonView& value);

constexpr int64_t kLargestNumber = 1'000'000'000;  // products of two fit in 63 bits
constexpr int64_t kMostChannels  = 1024;           // of a collective
constexpr int64_t kMostLayers    = 100'000;        // each is written out

// The value, which is at least 1 and at most `largest`.
int64_t positive(const JsonView& value, int64_t largest = kLargestNumber);
// The same for a number that has been read from the place `where`.
int64_t positive(int64_t number, const std::string& where, int64_t largest = kLargestNumber);
// The member; `fallback` when absent.
int64_t positive_or(const JsonView& json, std::string_view key, int64_t fallback, int64_t largest = kLargestNumber);

// The object in the scenario's `source` that it is read from.
JsonView root_of(const Scenario& scenario);
StatedKeys read_stated_keys(const JsonView& root);

Workload read_workload(const JsonView& json);
// The key `inputs` of a workload: a number, a list of numbers (Int64 if all are whole, else Float64), or a TensorProto
// file for each input. None where it is absent.
std::map<std::string, InputNumbers> read_inputs(const JsonView& workload);
Placement read_placement(const JsonView& json);
// With dtype "tf32", products are priced on the units of TF32; the scenario's `cost.tf32` may not say otherwise.
cost::CostModel read_cost(const JsonView& json, const Strategy& strategy, const Workload& workload);
// Returns true if products of Float32 run on the units of TF32, by `cost.tf32`.
bool asks_for_tf32(const JsonView& cost, const Workload& workload);
// The member, a time from 0 to 10^6 s, so that sums of many stay exact enough; 0 when absent.
Seconds short_time_or_none(const JsonView& json, std::string_view key);
Host read_host(const JsonView& json);
// For the groups of devices that `strategy` makes.
int read_channels(const JsonView& json);  // of "collective"
lower::Options read_collectives(const JsonView& json, const Strategy& strategy, const cost::CostModel& cost);

// Workload, strategy, placement, cost, hosts and collectives of the object `root` into `scenario`.
void read_work(const JsonView& root, Scenario& scenario);

// The scenario of several jobs, whose `jobs` are still to be read.
Scenario with_jobs(Scenario scenario);

simulate::Coupling read_coupling(const JsonView& json);

// Reads a scenario's "memory": "exact" or "caching".
std::string read_allocator(const JsonView& json);

// Reads a scenario's "strategy". Refused at a key whose value is illegal, by itself or for `workload`. Requires: all
// keys exist.
Expected<Strategy> try_read_strategy(const JsonView& json, const Workload& workload);
// Likewise with a part of the keys only: members that belong to others keep the values of `Strategy`.
Expected<Strategy> try_read_strategy(const JsonView& json, const Workload& workload, const KnownKeys& keys);
// Applies the cost model's defaults for keys that the scenario leaves out.
void adapt_to(const cost::CostModel& cost, const JsonView& json, Strategy& strategy);

// As read_placement; returns its errors as a refusal of the placement as a whole.
Expected<Placement> try_read_placement(const JsonView& json);
// The devices of the platform that a list of names, numbers and ranges at the place `where` has, in its order. Refused
// at an item that names none, names one again, or names one that another job holds.
Expected<std::vector<int>> try_devices(const std::vector<std::string>& texts, const std::string& where,
                                       const platform::Platform& platform, const Held& held = {});
// As try_places, for a scenario whose object is at `root`.
Expected<std::vector<int>> try_places(const std::string& root, const Strategy& strategy, const Placement& placement,
                                      const platform::Platform& platform, const Held& held = {});

}  // namespace foreflow::scenario
