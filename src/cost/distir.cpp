#include <array>
#include <limits>
#include <map>

#include "cost/bounds.h"
#include "cost/errors.h"
#include "cost/parameters.h"
#include "foreflow/base/text.h"
#include "foreflow/cost/cost.h"

namespace foreflow::cost::definitions::distir {
namespace {

// The cost formulas of the DistIR authors' own simulator (microsoft/dist-ir, MIT, main @7cfa1b0), with its quirks, so
// that published results can be reproduced number for number. Gb = 1.25e8 bytes; network bandwidth is in Gb/s.
struct Parameters {
  FlopsPerSecond throughput{1.4e13};
  BytesPerSecond dram{9.0e11};
  Seconds launch{1e-5};
  double network_gbps = 25.0;
  std::map<int, std::array<double, 3>> all_reduce;  // ranks -> a, b, c: a * Gb + b * ranks + c
  // Ours, not theirs: collectives simulated on the platform instead, and what a Send takes whatever its size.
  bool simulated_collectives = false;
  Seconds send_overhead{0};
  // Messages as their PyTorch backend receives them, simulated on the platform: `send_overhead` is then work of the
  // receiver's host.
  std::optional<BytesPerSecond> staging;
};

constexpr double kBytesPerGb = 1.25e8;

double count(const ir::Type& type) { return static_cast<double>(std::max<int64_t>(ir::element_count(type.dims), 0)); }
double width(const ir::Type& type) { return ir::bits_of(type.dtype) / 8.0; }
double gb(const ir::Type& type) { return ir::bytes_of(type).value() / kBytesPerGb; }

// One pass over the first input, `reads` operands of its size; the output is not counted.
Seconds elementwise(const Parameters& p, const ir::Type& x, int reads) {
  return p.launch + Bytes(reads * width(x) * count(x)) / p.dram + Flops(count(x)) / p.throughput;
}

double dim(const ir::Type& type, size_t axis) {
  return axis < type.dims.size() ? static_cast<double>(type.dims[axis]) : 1;
}

// Only the first two dimensions are looked at, also of batched operands.
Seconds product(const Parameters& p, double x0, double x1, double y0, double y1, double bytes) {
  return p.launch + Bytes(bytes * (x0 * x1 + y0 * y1)) / p.dram + Flops(2 * x0 * x1 * y1) / p.throughput;
}

Seconds matmul(const Parameters& p, const ir::OpCall& call) {
  const ir::Type &x = call.inputs[0], &y = call.inputs[1];
  return product(p, dim(x, 0), dim(x, 1), dim(y, 0), dim(y, 1), width(x));
}

Seconds gemm(const Parameters& p, const ir::OpCall& call) {
  const ir::Type &x = call.inputs[0], &y = call.inputs[1];
  ir::Type z = x;
  z.dims     = {x.dims[0], y.dims[y.dims.size() - 1]};
  return matmul(p, call) + elementwise(p, z, 2);
}

// dz . y^T and x^T . dz
Seconds matmul_grad(const Parameters& p, const ir::OpCall& call) {
  const ir::Type &x = call.inputs[0], &y = call.inputs[1], &dz = call.inputs[2];
  return product(p, dim(dz, 0), dim(dz, 1), dim(y, 1), dim(y, 0), width(x)) +
         product(p, dim(x, 1), dim(x, 0), dim(dz, 0), dim(dz, 1), width(x));
}

// Only the last weight of the device is charged.
Seconds optimizer(const Parameters& p, const ir::OpCall& call) {
  return elementwise(p, call.inputs[call.inputs.size() / 2 - 1], 2);
}

bool integers(const ir::OpCall& call) { return !call.inputs.empty() && !ir::is_float(call.inputs[0].dtype); }

enum class Form : uint8_t { free, launch, unary, binary, matmul, gemm, matmul_grad, optimizer };

// How the original charges an op.
struct Charge {
  Form form;
  bool host_has_integers = false;  // arithmetic of integers is the host's, which costs nothing
};

// By the name of the op.
const std::map<std::string_view, Charge>& charges() {
  static const std::map<std::string_view, Charge> rows = {{"Relu", {Form::unary}},
                                                          {"Cast", {Form::unary, true}},
                                                          {"Sqrt", {Form::unary}},
                                                          {"Tanh", {Form::unary}},
                                                          {"ReduceMean", {Form::unary}},
                                                          {"Softmax", {Form::unary}},
                                                          {"Transpose", {Form::unary}},
                                                          {"Loss", {Form::unary}},
                                                          {"LossGrad", {Form::unary}},
                                                          {"Add", {Form::binary, true}},
                                                          {"Sub", {Form::binary, true}},
                                                          {"Mul", {Form::binary, true}},
                                                          {"Div", {Form::binary, true}},
                                                          {"Pow", {Form::binary}},
                                                          {"ReluGrad", {Form::binary}},
                                                          {"MatMul", {Form::matmul}},
                                                          {"MatMulGrad", {Form::matmul_grad}},
                                                          {"Gemm", {Form::gemm}},
                                                          {"SGDOptimizer", {Form::optimizer}},
                                                          {"Concat", {Form::launch}},
                                                          {"ConstantOfShape", {Form::launch}},
                                                          {"Gather", {Form::launch}},
                                                          {"NonZero", {Form::launch}},
                                                          {"Reshape", {Form::launch}},
                                                          {"Shape", {Form::launch}},
                                                          {"Slice", {Form::launch}},
                                                          {"Split", {Form::launch}},
                                                          {"Squeeze", {Form::launch}},
                                                          {"Unsqueeze", {Form::launch}},
                                                          {"Identity", {Form::free}},
                                                          {"Constant", {Form::free}},
                                                          {"Select", {Form::free}}};
  return rows;
}

Form form_of(const ir::OpCall& call) {
  const auto found = charges().find(call.def.name);
  // An op that the original has no entry for is charged like an elementwise one.
  if (found == charges().end()) return Form::unary;
  return found->second.host_has_integers && integers(call) ? Form::free : found->second.form;
}

Seconds compute(const Parameters& p, const ir::OpCall& call) {
  switch (form_of(call)) {
    case Form::free: return Seconds(0);
    case Form::launch: return p.launch;
    case Form::unary: return elementwise(p, call.inputs[0], 1);
    case Form::binary: return call.inputs[0].dims.empty() ? Seconds(0) : elementwise(p, call.inputs[0], 2);
    case Form::matmul: return matmul(p, call);
    case Form::gemm: return gemm(p, call);
    case Form::matmul_grad: return matmul_grad(p, call);
    case Form::optimizer: return optimizer(p, call);
  }
  return Seconds(0);
}

// A fit that falls below zero says nothing.
std::optional<Seconds> reduction(const Parameters& p, double gigabits, int ranks) {
  const auto fitted = p.all_reduce.find(ranks);
  if (fitted != p.all_reduce.end()) {
    const auto& [a, b, c] = fitted->second;
    const Seconds time(a * gigabits + b * ranks + c);
    return time < Seconds(0) ? std::nullopt : std::optional(time);
  }
  return Seconds(2.0 * (ranks - 1) / ranks * gigabits / p.network_gbps);
}

std::optional<Seconds> communication(const Parameters& p, const Application& application, int ranks) {
  using ir::Communication;
  const Communication kind = application.call.def.communication;
  const ir::Type& x        = application.call.inputs[0];
  const bool sends         = kind == Communication::send;
  if (sends ? p.staging.has_value() : p.simulated_collectives) return std::nullopt;
  const Seconds moving(gb(x) / p.network_gbps);
  switch (kind) {
    case Communication::all_reduce:
    case Communication::all_reduce_max:
    case Communication::all_gather: return reduction(p, gb(x), ranks);
    case Communication::broadcast:
    case Communication::scatter: return Seconds(0);
    case Communication::gather:
    case Communication::reduce: return Seconds(gb(x) * width(x) / p.network_gbps);
    case Communication::send: return ir::is_float(x.dtype) ? p.send_overhead + moving : Seconds(0);
    default: return moving;
  }
}

const Keys& keys() {
  static const Keys all = [] {
    const Parameters usual;
    const ValueType line = types::list_of(types::number(-std::numeric_limits<double>::infinity()), "three numbers");
    return Keys{{"throughput", "arithmetic of a device", types::flop_rate(), format(usual.throughput)},
                {"dram_bandwidth", "bandwidth of its memory", types::bandwidth(), format(usual.dram)},
                {"kernel_launch", "what each op takes besides", types::time(), format(usual.launch)},
                {"network_bandwidth", "bandwidth of a message", types::bandwidth(),
                 format(BytesPerSecond(usual.network_gbps * kBytesPerGb))},
                {"all_reduce", "fits by number of ranks: [a, b, c] for a * Gb + b * ranks + c seconds",
                 types::map_of("^[0-9]+$", line, "an object such as `{\"2\": [0.1, 0, 0]}`"), "the formula of a ring"},
                {"collectives", "whether collectives take what the formulas say",
                 types::one_of({"formulas", "simulated"}), "`formulas`"},
                {"send_overhead", "what each message takes besides, or a table of that by numbers of devices",
                 types::either(
                     {types::time(), types::map_of("^[0-9]+$", types::time(), "an object such as `{\"2\": \"1ms\"}`")}),
                 format(usual.send_overhead)},
                {"staging_bandwidth",
                 "messages are simulated, and received as by DistIR's PyTorch backend: the host of the receiver, which "
                 "runs ahead of the device, works for `send_overhead`, sharing the platform's link of the kind `cores` "
                 "with all others; waits for the device; and copies a buffer to it at this bandwidth",
                 types::bandwidth(), "messages take what the formulas say"}};
  }();
  return all;
}

bool collectives_are_simulated(const JsonView& json) {
  const std::string choice = json.string_or("collectives", "formulas");
  if (choice != "simulated" && choice != "formulas") json.at("collectives").fail("write formulas or simulated");
  if (choice == "simulated" && json.has("all_reduce"))
    json.at("all_reduce").fail("is a formula; leave it out where \"collectives\" are simulated");
  return choice == "simulated";
}

Parameters read(const JsonView& json) {
  allow_only(json, keys());
  Parameters p;
  if (json.has("throughput")) p.throughput = positive_flops_rate(json.at("throughput"));
  if (json.has("dram_bandwidth")) p.dram = positive_bandwidth(json.at("dram_bandwidth"));
  if (json.has("kernel_launch")) p.launch = bounded_time(json.at("kernel_launch"));
  if (json.has("network_bandwidth"))
    p.network_gbps = positive_bandwidth(json.at("network_bandwidth")).value() / kBytesPerGb;
  p.simulated_collectives = collectives_are_simulated(json);
  if (json.has("send_overhead")) p.send_overhead = bounded_time(json.at("send_overhead"));
  if (json.has("staging_bandwidth")) p.staging = positive_bandwidth(json.at("staging_bandwidth"));
  if (!json.has("all_reduce")) return p;
  for (const auto& [ranks, row] : json.at("all_reduce").members()) {
    const int number = parse_number<int>(ranks).value_or(0);
    if (number < 2 || row.items().size() != 3)
      row.fail("write \"RANKS\": [a, b, c] for a * Gb + b * RANKS + c seconds, RANKS >= 2");
    p.all_reduce[number] = {row.items()[0].as_number(), row.items()[1].as_number(), row.items()[2].as_number()};
  }
  return p;
}

CostModel make(const JsonView& parameters) {
  const Parameters p = read(parameters);
  CostModel model;
  model.name   = "distir";
  model.memory = MemoryRule::distir;
  // The authors' simulator runs ops whose results nothing needs, and a device waits while it sends.
  model.removes_dead_code = false;
  model.overlaps_sends    = false;
  model.fuses_attention   = false;
  // The gradient of a ReLU sets elements by a boolean mask, whose number the host of PyTorch before 1.10 reads back.
  if (p.staging) model.staged_receive = StagedReceive{p.send_overhead, *p.staging, {"ReluGrad"}};
  model.compute = [p](const Application& application, const platform::Device&) {
    return Price{compute(p, application.call), Provenance::regression};
  };
  model.communication = [p](const Application& application, int ranks) {
    MessagePrice price;
    if (const auto time = communication(p, application, ranks)) price.anywhere = Price{*time, Provenance::regression};
    return price;
  };
  model.error = [](Provenance, const platform::Device&) { return kDistirError; };
  return model;
}

}  // namespace

CostModelDef row() {
  return {
      "distir",
      "the DistIR authors' formulas with the parameters given: one throughput, one DRAM bandwidth, all-reduce by ranks",
      keys(), make};
}

}  // namespace foreflow::cost::definitions::distir
