#include <fmt/core.h>

#include <algorithm>

#include "cost/bounds.h"
#include "cost/errors.h"
#include "cost/parameters.h"
#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/cost/cost.h"
#include "foreflow/ir/fp8.h"
#include "foreflow/ir/unchosen.h"

namespace foreflow::cost::definitions::roofline {
namespace {

// Attainable shares of the data-sheet peaks. Compute: 271.2 of 312 TFLOP/s, the best bf16 product measured on an A100
// SXM (stas00/ml-engineering, MAMF finder). Memory: 739 of 900 GB/s, the bandwidth that Habitat measured on a V100.
constexpr double kComputeEfficiency = 271.2 / 312;
constexpr double kMemoryEfficiency  = 739.0 / 900;

const Keys& keys() {
  static const Keys all = {
      {"compute_efficiency", "share of the peak arithmetic that is reached", types::positive(1),
       fmt::format("{:.3g}", kComputeEfficiency)},
      {"memory_efficiency", "share of the memory bandwidth that is reached", types::positive(1),
       fmt::format("{:.3g}", kMemoryEfficiency)},
      {"kernel_floor", "no kernel takes less on the device", types::time(), "\"0s\""},
      {"tf32",
       "products in f32 run on the units of TF32, where a device has them (torch.backends.cuda.matmul.allow_tf32)",
       types::flag(), "false"},
      {"unaligned",
       "products with rows that are no multiple of 16 bytes take the time of this many times their arithmetic",
       types::number(1), "1"},
      {"optimizer_bytes", "read and written for each parameter by the optimizer", types::bytes(),
       "what its operands and results have"}};
  return all;
}

double efficiency(const JsonView& parameters, const char* key, double fallback) {
  if (!parameters.has(key)) return fallback;
  const double value = parameters.at(key).as_number();
  if (!(value > 0 && value <= 1)) parameters.at(key).fail("must be above 0 and at most 1");
  constexpr double kLeast = 1e-12;  // times stay finite numbers
  if (value < kLeast) parameters.at(key).fail("is too small for a share of a peak; write one such as 0.5");
  return value;
}

std::string_view compute_dtype(const Application& application) {
  for (const ir::Type& input : application.call.inputs) {
    if (!input.is_tensor() || !ir::is_float(input.dtype)) continue;
    // Units take all floats of 8 bits at one rate.
    return ir::bits_of(input.dtype) == 8 ? ir::short_name(ir::DType::f8) : ir::short_name(input.dtype);
  }
  return "f32";
}

struct RooflineTerms {
  double compute = kComputeEfficiency, memory = kMemoryEfficiency;
  Seconds kernel_floor;
  double unaligned = 1;
  bool tf32        = false;  // products of Float32 run on the units of TF32
  Bytes optimizer_bytes;     // for each parameter; 0: those of the operands and results
};

// True for a tensor whose rows do not all begin at a multiple of 16 bytes, as loads and matrix units want them.
bool has_odd_rows(const ir::Type& type) {
  constexpr int64_t kAlignment = 16;
  return type.is_tensor() && type.dims.size() > 1 &&
         type.dims[type.dims.size() - 1] * ir::bits_of(type.dtype) % (8 * kAlignment) != 0;
}

// Work that does at least this many flop for each byte is done by matrix units.
constexpr double kFlopPerByteOfProducts = 8;

bool is_product(const ir::Work& work) {
  return work.flops.value() >= kFlopPerByteOfProducts * (work.read + work.written).value();
}

bool is_odd_product(const Application& application, const ir::Work& work) {
  if (!is_product(work)) return false;
  return std::any_of(application.call.inputs.begin(), application.call.inputs.end(), has_odd_rows) ||
         std::any_of(application.outputs.begin(), application.outputs.end(), has_odd_rows);
}

double parameters_in(const ir::Type& type) {
  if (!type.is_tuple()) return 8 * ir::bytes_of(type).value() / ir::bits_of(type.dtype);
  double sum = 0;
  for (const ir::Type& element : type.elements) sum += parameters_in(element);
  return sum;
}

// The element type of the units that do the arithmetic.
std::string_view unit_dtype(const Application& application, const platform::Device& device, const ir::Work& work,
                            const RooflineTerms& terms) {
  if (application.call.attributes.find(ir::kFp8) == nullptr) {
    const std::string_view own = compute_dtype(application);
    return terms.tf32 && own == "f32" && is_product(work) && device.peaks.contains("tf32") ? "tf32" : own;
  }
  if (!device.peaks.contains("f8"))
    throw Error("device " + device.kind, "has no units of fp8, in which the program has products; use bf16");
  return "f8";
}

// A product in fp8 reads one byte for each number. `converted` is moved by a kernel of its own (NVIDIA, Transformer
// Engine: cast_transpose), which reads an operand and writes it twice, as it is and transposed for the other product.
struct Fp8Traffic {
  Bytes product, converted;
};
Fp8Traffic fp8_traffic(const Application& application, const ir::Work& work) {
  const ir::OpCall& call = application.call;
  const int64_t operand  = call.attributes.get_int(ir::kFp8);
  const ir::Type& type   = nth(call.inputs, std::max<int64_t>(operand, 0));
  // Operands that are in fp8 already have a byte for each number.
  Bytes in_fp8;
  int wide = 1;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const ir::Type& input = call.inputs[i];
    wide                  = std::max(wide, ir::size_of(input.dtype));
    if (ir::size_of(input.dtype) == 1) in_fp8 += (i == 1 ? ir::used_share(call) : 1) * ir::bytes_of(input);
  }
  const Bytes product = (work.read - in_fp8) / wide + in_fp8 + work.written;
  return {product, operand < 0 ? Bytes(0) : (1 + 2. / ir::size_of(type.dtype)) * ir::bytes_of(type)};
}

// Williams, Waterman, Patterson 2009: an op takes the longer of its arithmetic at peak and its traffic at full memory
// bandwidth, plus a launch for each kernel.
Seconds roofline_time(const Application& application, const platform::Device& device, const RooflineTerms& terms) {
  const ir::Work work = application.call.def.work(application.call, application.outputs);
  if (work.kernels == 0) return Seconds(0);
  Seconds arithmetic = work.flops / (device.peak(unit_dtype(application, device, work, terms)) * terms.compute);
  if (terms.unaligned > 1 && is_odd_product(application, work)) arithmetic = terms.unaligned * arithmetic;
  const BytesPerSecond memory = device.memory_bandwidth * terms.memory;
  if (application.call.attributes.find(ir::kFp8) != nullptr) {
    const Fp8Traffic bytes = fp8_traffic(application, work);
    const Seconds product  = std::max({arithmetic, bytes.product / memory, work.kernels * terms.kernel_floor}) +
                            work.kernels * device.launch;
    const auto updates     = static_cast<double>(application.call.attributes.int_or(ir::kFp8Updates, 0));
    const Seconds updating = updates * (terms.kernel_floor + device.launch);
    if (bytes.converted == Bytes(0)) return product + updating;
    return product + updating + std::max(bytes.converted / memory, terms.kernel_floor) + device.launch;
  }
  const bool updates = application.call.def.role == ir::Role::optimizer && terms.optimizer_bytes > Bytes(0);
  Bytes moved = updates ? parameters_in(application.outputs[0]) * terms.optimizer_bytes : work.read + work.written;
  moved -= std::min(moved, application.kept);
  if (application.joined) return std::max(arithmetic, moved / memory);
  return std::max({arithmetic, moved / memory, work.kernels * terms.kernel_floor}) + work.kernels * device.launch;
}

RooflineTerms read_terms(const JsonView& parameters) {
  RooflineTerms terms;
  terms.tf32    = parameters.bool_or("tf32", false);
  terms.compute = efficiency(parameters, "compute_efficiency", kComputeEfficiency);
  terms.memory  = efficiency(parameters, "memory_efficiency", kMemoryEfficiency);
  if (parameters.has("kernel_floor")) terms.kernel_floor = bounded_time(parameters.at("kernel_floor"));
  if (parameters.has("optimizer_bytes")) terms.optimizer_bytes = parameters.at("optimizer_bytes").as_bytes();
  if (!parameters.has("unaligned")) return terms;
  terms.unaligned        = parameters.at("unaligned").as_number();
  constexpr double kMost = 1000;
  if (!(terms.unaligned >= 1 && terms.unaligned <= kMost))
    parameters.at("unaligned").fail("must be at least 1 and at most 1000");
  return terms;
}

CostModel make(const JsonView& parameters) {
  allow_only(parameters, keys());
  const RooflineTerms terms = read_terms(parameters);
  CostModel model;
  model.name    = "roofline";
  model.compute = [=](const Application& application, const platform::Device& device) {
    return Price{application.on_host ? Seconds(0) : roofline_time(application, device, terms), Provenance::roofline};
  };
  model.communication = [](const Application&, int) { return MessagePrice(); };
  model.error         = [](Provenance, const platform::Device&) { return kRooflineError; };
  return model;
}

}  // namespace

CostModelDef row() {
  return {
      .name = "roofline",
      .doc =
          "max(flops / peak, bytes / memory bandwidth) + launch, from the device's data sheet; messages are simulated",
      .keys           = keys(),
      .make           = make,
      .may_be_unnamed = true};
}

}  // namespace foreflow::cost::definitions::roofline
