// What an op costs on a device, and where that number comes from. A cost model knows ops and devices; no programs, no
// network: the time of a message is simulated, unless a model has a formula of its own for it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "foreflow/base/json.h"
#include "foreflow/base/key.h"
#include "foreflow/base/registry.h"
#include "foreflow/ir/op_def.h"
#include "foreflow/platform/platform.h"

namespace foreflow::cost {

// How a time was found: measured at this very point, between measured points, by a fitted line, or from peaks alone.
enum class Provenance : uint8_t { table, interpolated, regression, roofline };
constexpr int kProvenances = 4;
std::string_view name(Provenance provenance);

struct Price {
  Seconds time;
  Provenance provenance = Provenance::roofline;
};

// One application of an op with its inferred results.
struct Application {
  ir::OpCall call;
  std::span<const ir::Type> outputs;
  // Every result was computed while compiling (shape arithmetic): a real run does it on the CPU, ahead of the device.
  bool on_host = false;
};

// How lowering accounts for memory. It says nothing about what runs: CostModel has flags for that.
enum class MemoryRule : uint8_t {
  reuse,  // views share their operand's memory; collectives, optimizers and Add(no longer needed, x) work in place;
          // unused results are freed
  distir  // as the DistIR authors' simulator: only optimizers work in place, unused results stay
};

struct CostModel {
  std::string name;
  MemoryRule memory = MemoryRule::reuse;
  // Whether the program loses the ops whose results nothing needs before it is priced.
  bool removes_dead_code = true;
  // Whether messages between pipeline stages travel beside the computation unless the strategy says otherwise.
  bool overlaps_sends = true;
  // Seconds on one device; never negative.
  std::function<Price(const Application&, const platform::Device&)> compute;
  // Seconds of a communication op over `ranks` members, never negative; nothing: simulate it on the network.
  std::function<std::optional<Seconds>(const Application&, int ranks)> communication;
};

struct CostModelDef {
  std::string_view name;
  std::string_view doc;
  Keys keys;  // its parameters: what the scenario's "cost" object may have beside "model"
  // `parameters` is that object. Refuses unknown keys.
  CostModel (*make)(const JsonView& parameters);
};

const Registry<CostModelDef>& cost_models();

}  // namespace foreflow::cost
