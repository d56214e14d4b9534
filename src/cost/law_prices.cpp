#include "cost/law_prices.h"

#include <algorithm>
#include <cmath>

#include "cost/tf32_products.h"
#include "foreflow/base/nth.h"
#include "foreflow/cost/signature.h"
#include "foreflow/ir/fp8.h"
#include "foreflow/ir/replicas.h"
#include "foreflow/ir/unchosen.h"

namespace foreflow::cost {
namespace {

// Dao 2023, figures 4 to 6: on an A100 with heads of 128, causal, the backward pass reaches 165 to 175 TFLOP/s where
// the forward pass reaches 190 to 200.
constexpr double kBackward = 0.87;

struct Found {
  const FittedLaw* law;
  const Processors* processors;  // of the device that it was fitted to
};

// The kinds of a law that a device takes, the best first.
using Kinds = std::vector<std::string>;

// The first law of one of the kinds, of the nearest device that has one.
template <typename KindsOf>
std::optional<Found> find_law(const Calibrations& calibrations, std::string_view law, const KindsOf& kinds_of) {
  for (const DeviceCalibration* calibration : calibrations) {
    const Processors& processors = processors_of(calibration->device, "calibration");
    for (const std::string& of : kinds_of(processors)) {
      for (const FittedLaw& fitted : calibration->laws) {
        if (fitted.law == law && fitted.of == of) return Found{&fitted, &processors};
      }
    }
  }
  return std::nullopt;
}

std::optional<Found> find_law(const Calibrations& calibrations, std::string_view law, const char* of) {
  return find_law(calibrations, law, [&](const Processors&) { return Kinds{of}; });
}

// As kernels of training were measured, where they were.
Kinds in_training(std::string_view dtype) { return {std::string(dtype) + " in training", std::string(dtype)}; }

// A device with less than half of the arithmetic of the one that was measured, such as an H20 beside an H100, stays
// below its power limit, so its clock does not fall in training.
bool stays_cool(const platform::Device& device, const Processors& measured) {
  const auto own = device.peaks.find("bf16");
  return own != device.peaks.end() && own->second < 0.5 * peak_of(measured, "bf16");
}

std::optional<Found> find_product(const Calibrations& calibrations, const platform::Device& device,
                                  std::string_view dtype) {
  const auto kinds_of = [&](const Processors& measured) -> Kinds {
    if (stays_cool(device, measured)) return {std::string(dtype)};
    Kinds kinds = in_training(dtype);
    // The kernels of serving that were measured on Blackwell scale blocks; training takes those of 16 bits, at the rate
    // of bytes.
    if (dtype == "f8" && measured.units == Units::blackwell) kinds.insert(kinds.begin() + 1, "bf16 in training");
    return kinds;
  };
  return find_law(calibrations, "product", kinds_of);
}

// The same units multiply both types of 16 bits.
std::optional<Found> find_any_product(const Calibrations& calibrations, const platform::Device& device,
                                      std::string_view dtype) {
  const auto own = find_product(calibrations, device, dtype);
  if (own || (dtype != "f16" && dtype != "bf16")) return own;
  return find_product(calibrations, device, dtype == "f16" ? "bf16" : "f16");
}

FittedLaw for_training(FittedLaw law) {
  const auto& constants = laws().get(law.law, "calibration").constants;
  for (size_t i = 0; i < constants.size(); ++i) {
    if (constants[i].use == Use::serving) law.constants[i] = 0;
  }
  return law;
}

// The clock of a device that stays cool does not fall during long calls either.
FittedLaw at_full_clock(FittedLaw law) {
  const auto& constants = laws().get(law.law, "calibration").constants;
  for (size_t i = 0; i < constants.size(); ++i) {
    if (constants[i].name == "throttle") law.constants[i] = 0;
  }
  return law;
}

Seconds time_on(const Hardware& hardware, const FittedLaw& fitted, const Sizes& sizes) {
  return Seconds(laws().get(fitted.law, "calibration").seconds(fitted.constants, sizes, hardware));
}

Seconds time_by(const Found& found, const platform::Device& device, std::string_view dtype, const Sizes& sizes) {
  return time_on(hardware_of(device, dtype, *found.processors), *found.law, sizes);
}

double elements(const ir::Type& type) { return static_cast<double>(ir::element_count(type.dims)); }
double element_bytes(const ir::Type& type) { return ir::bytes_of(type).value() / std::max(elements(type), 1.0); }

// `batch` products of which one operand has k * n elements and the result m * n. Whether k runs along the rows of the
// operands as frameworks keep them, a weight with a row for each output (cost/tf32_products.h).
struct ProductSizes {
  double m, n, k, batch = 1;
  bool first_along_k = false, second_along_k = false;
};

// How many products of matrices an op computes, each with a second operand of its own: those of attention, one for each
// sample and head, and those of experts. Kernels leave out experts that no token uses (ir::kUnchosen).
double batch_of(const ir::OpCall& call) {
  const ir::Type& second = call.inputs[1];
  const size_t rank      = second.dims.size();
  const bool matrices    = call.def.product == ir::Product::matrices || call.def.product == ir::Product::turned;
  if (!matrices || rank < 3) return 1;
  return elements(second) / static_cast<double>(second.dims[rank - 2] * second.dims[rank - 1]);
}

// The products of an op: a forward one is found by its arithmetic, 2 m n k, its second operand and its result; the two
// of a gradient, dy[m,n] w'[n,k] and x'[k,m] dy[m,n], by the operand w. Sums run along the rows of both operands
// forward, of dy alone in the first gradient and of none in the second.
std::vector<ProductSizes> products_of(const Application& application, const ir::Work& work) {
  const ir::OpCall& call = application.call;
  if (call.inputs.size() < 2 || application.outputs.empty()) return {};
  if (call.def.gradient_of == ir::GradientOf::product) {
    const ir::Type &x = call.inputs[0], &w = call.inputs[1], &dy = call.inputs[2];
    const double k = static_cast<double>(x.dims.back()), n = elements(w) / k, m = elements(dy) / n;
    return {{m, k, n, 1, true, false}, {k, n, m}};
  }
  const bool multiplies = call.def.kernels == ir::Kernels::product;
  const double results  = elements(application.outputs[0]);
  if (!multiplies || results < 1 || elements(call.inputs[1]) < 1) return {};
  // A bias adds less than one to k.
  const double k = std::max(1.0, std::floor(work.flops.value() / 2 / results + 1e-6));
  const double n = std::max(1.0, elements(call.inputs[1]) / k), batch = batch_of(call);
  // Operands of attention lie in several orders.
  const bool along_k = batch == 1;
  return {{results / n, n / batch, k, batch * ir::used_share(call), along_k, along_k}};
}

// True for a tensor whose rows do not all begin at a multiple of 16 bytes, as loads and matrix units want them.
bool rows_are_odd(const ir::Type& type) {
  return type.is_tensor() && type.dims.size() > 1 &&
         type.dims[type.dims.size() - 1] * ir::bits_of(type.dtype) % 128 != 0;
}

bool is_unaligned(const Application& application) {
  const auto odd = [](std::span<const ir::Type> types) {
    return std::any_of(types.begin(), types.end(), rows_are_odd);
  };
  return odd(application.call.inputs) || odd(application.outputs);
}

// The time of `bytes` in `kernels` kernels, each with the overhead of the framework; nothing: there is no law.
std::optional<Seconds> price_traffic(const platform::Device& device, const Calibrations& calibrations,
                                     const char* family, Bytes bytes, double kernels, const LawTerms& terms) {
  const auto found = find_law(calibrations, "traffic", family);
  if (!found) return std::nullopt;
  return time_by(*found, device, "f32", {bytes.value(), kernels}) + kernels * terms.kernel_overhead;
}

// Without the launches of the kernels that convert an operand of bytes, which are part of the measured calls (so are
// the bytes that these kernels move: `quantise`). A product in 16 bits of the same device has its own launch alone.
FittedLaw without_conversion(FittedLaw law, const Calibrations& calibrations, const Found& bytes) {
  const auto wide = find_law(calibrations, "product", "bf16");
  if (!wide || wide->processors != bytes.processors) return law;
  law.constants[0] = std::min(law.constants[0], wide->law->constants[0]);  // `launch`
  return law;
}

std::optional<Seconds> price_products(const Application& application, const platform::Device& device,
                                      const Calibrations& calibrations, const std::vector<ProductSizes>& products,
                                      const LawTerms& terms) {
  const ir::OpCall& call      = application.call;
  const bool fp8              = call.attributes.find(ir::kFp8) != nullptr;
  const std::string_view type = fp8 ? "f8" : dtype_of(call.inputs, application.outputs);
  // The same units, at the rate of TF32, which the data sheet has.
  const bool tf32  = terms.tf32 && type == "f32" && device.peaks.contains("tf32");
  const auto found = find_any_product(calibrations, device, tf32 ? "bf16" : type);
  if (!found) return std::nullopt;
  Hardware hardware = hardware_of(device, tf32 ? "tf32" : type, *found->processors);
  if (tf32) hardware.peak *= tf32_share(found->processors->units, call.def);
  const double in = fp8 ? 1 : element_bytes(call.inputs[0]), out = element_bytes(application.outputs[0]);
  FittedLaw law = for_training(*found->law);
  if (call.attributes.find(ir::kFp8Inference) != nullptr)
    law = without_conversion(std::move(law), calibrations, *found);
  const double unaligned = is_unaligned(application) ? 1 : 0;
  Seconds sum(0);
  for (const ProductSizes& product : products) {
    const double library = 0, first = product.first_along_k ? 1 : 0, second = product.second_along_k ? 1 : 0;
    sum += time_on(hardware, law,
                   {product.m, product.n, product.k, in, out, unaligned, product.batch, library, first, second}) +
           terms.kernel_overhead;
  }
  const auto updates = static_cast<double>(call.attributes.int_or(ir::kFp8Updates, 0));
  if (updates > 0) {
    const auto update = price_traffic(device, calibrations, "element-wise", Bytes(0), updates, terms);
    if (!update) return std::nullopt;
    sum += *update;
  }
  if (!fp8 || call.attributes.get_int(ir::kFp8) < 0) return sum;
  // It reads the operand and writes its bytes twice, the second time transposed (NVIDIA, Transformer Engine).
  const ir::Type& operand = nth(call.inputs, call.attributes.get_int(ir::kFp8));
  const double bytes      = (element_bytes(operand) + 2) * elements(operand);
  const auto conversion   = price_traffic(device, calibrations, "element-wise", Bytes(bytes), 1, terms);
  return conversion ? std::optional(sum + *conversion) : std::nullopt;
}

double slowdown(const AttentionKernels& kernels, const Processors& measured, bool backward) {
  if (measured.hopper_or_later()) return backward ? kernels.hopper_backward : kernels.hopper_forward;
  return backward ? kernels.backward : kernels.forward;
}

// Dropout inside of flash attention: its random numbers and the choice, which tensor cores cannot do and which the rest
// of the kernel hides little (Ma et al., 2024, arXiv 2410.07531). FlashAttention 2 gets 16 numbers of 8 bits from a
// Philox4x32 of 7 rounds (Salmon et al., 2011), each of two wide products, two of three-way logic and four that move
// and add keys: 3.5 instructions a score, and two that compare and select. A processor issues as many as multiply-adds
// in Float32. q[..,s,d], k[b,n,t,d].
Seconds time_to_drop(const Application& application, const platform::Device& device, const ir::Work& work) {
  constexpr double kInstructions = 3.5 + 2;
  if (application.call.attributes.float_or("dropout", 0) == 0 || work.flops == Flops(0)) return Seconds(0);
  const ir::Type& q    = application.call.inputs[0];
  const double keys    = static_cast<double>(application.call.inputs[1].dims[2]);
  const double scores  = elements(q) / static_cast<double>(q.dims.back()) * keys;
  const double visible = work.flops.value() / (work.flops + work.masked).value();
  return Seconds(scores * visible * kInstructions * 2 / device.peak("f32").value());
}

// q[b,n,s,d] or [b,n,g,s,d], k[b,n,t,d].
std::optional<Seconds> price_attention(const Application& application, const platform::Device& device,
                                       const Calibrations& calibrations, const ir::Work& work, const LawTerms& terms) {
  const ir::Type &q = application.call.inputs[0], &k = application.call.inputs[1];
  if (q.dims.size() < 4 || k.dims.size() < 4 || element_bytes(q) != 2) return std::nullopt;
  const auto size = [](const ir::Type& type, size_t from_end) {
    return static_cast<double>(type.dims[type.dims.size() - from_end]);
  };
  const double samples = static_cast<double>(q.dims[0]), rows = size(q, 2), width = size(q, 1);
  const double heads = elements(q) / (samples * rows * width), key_heads = elements(k) / (samples * size(k, 2) * width);
  // A few queries, as decoding has, wait for all keys and values, which are read by all processors at once
  // (Flash-Decoding: Dao et al., 2023): the traffic decides.
  constexpr double kTile = 64;  // rows that share a block of keys at least
  if (rows < kTile && rows < size(k, 2) && application.outputs.size() <= 2)
    return price_traffic(device, calibrations, "element-wise", work.read + work.written, work.kernels, terms);
  // The laws do 2 s^2 d flops for a head forward: half of the square.
  const double ratio  = work.flops.value() / (2 * samples * heads * rows * rows * width);
  const bool backward = application.outputs.size() > 2;
  const auto forward  = find_law(calibrations, "attention", [](const Processors&) { return in_training("bf16"); });
  if (!forward) return std::nullopt;
  const auto measured = backward ? find_law(calibrations, "attention", "bf16 backward") : std::nullopt;
  // Unless it is of the same device, the forward pass of the nearer one says more.
  const bool own               = measured && measured->processors == forward->processors;
  const Found& found           = own ? *measured : *forward;
  FittedLaw law                = for_training(*found.law);
  const std::string_view dtype = dtype_of(application.call.inputs, application.outputs);
  // The nearest device that was measured has the same chip; a farther one says nothing about the limit of this one.
  const bool same_chip = found.processors->device == calibrations.front()->device;
  if (same_chip && stays_cool(device, *found.processors)) law = at_full_clock(std::move(law));
  const Seconds causal =
      time_by({&law, found.processors}, device, dtype, {samples, rows, heads, key_heads, width, 2, own ? 1.0 : 0.0});
  const double slower   = terms.attention == nullptr ? 1 : slowdown(*terms.attention, *found.processors, backward);
  const Seconds dropped = time_to_drop(application, device, work);
  if (own) return causal * slower * std::max(1.0, ratio / kBackwardOfAttention) + dropped;
  return causal * slower * (backward ? ratio / kBackward : std::max(1.0, ratio)) + dropped;
}

// The loss is computed in fp32 by a chain of kernels, of whose traffic this much is forward.
constexpr double kForwardOfLoss = 0.6;

// Returns the bytes that a framework moves in addition to the operands and results of an op. Only the backward pass of
// a softmax has such bytes: the law of normalisations, which was fitted to kernels in 16 bits, already gives the
// forward pass half of the memory's bandwidth.
Bytes beside(const Application& application, const LawTerms& terms) {
  if (application.call.def.gradient_of != ir::GradientOf::softmax) return Bytes(0);
  return elements(application.call.inputs[0]) * terms.score_bytes;
}

// Returns the least bytes that a framework moves. The operands and results of an op may be fewer.
Bytes least_traffic(const Application& application, const LawTerms& terms) {
  const ir::OpCall& call = application.call;
  if (!call.def.loss || call.inputs[0].dims.size() < 2) return Bytes(0);
  const bool backward = application.outputs[0].dims.size() == call.inputs[0].dims.size();
  return elements(call.inputs[0]) * (backward ? 1 - kForwardOfLoss : kForwardOfLoss) * terms.loss_bytes;
}

// Returns the bytes that the chain of kernels reads and writes which a framework runs for an op; 0 if it runs one
// kernel.
Bytes chain_traffic(const ir::OpCall& call, const LawTerms& terms) {
  if (call.def.chain == ir::Chain::none || element_bytes(call.inputs[0]) != 2) return Bytes(0);
  const auto each = [&] {
    if (call.def.chain == ir::Chain::rms_norm) return terms.norm_bytes;
    return call.def.chain == ir::Chain::rotation ? terms.rotary_bytes : terms.norm_gradient_bytes;
  };
  return elements(call.inputs[0]) * each();
}

double parameters_of(const ir::Type& type) {
  if (!type.is_tuple()) return elements(type);
  double sum = 0;
  for (const ir::Type& element : type.elements) sum += parameters_of(element);
  return sum;
}

// Parts of ZeRO are rows of one replica, (1, n).
bool is_part(const ir::Type& type) { return type.is_tensor() && type.dims.size() == 2 && type.dims[0] == 1; }

double whole_elements(const ir::Type& tuple) {
  double sum = 0;
  for (const ir::Type& element : tuple.elements) sum += is_part(element) ? 0 : parameters_of(element);
  return sum;
}

// Returns the bytes that a framework moves on the device for a collective: it packs a bucket of gradients before it,
// and unpacks the weights of a unit after it.
Bytes beside_collective(const Application& application, const LawTerms& terms) {
  const ir::OpCall& call = application.call;
  if (call.def.tuple == ir::Tuple::packs) return whole_elements(application.outputs[0]) * terms.reduced_bytes;
  if (call.def.tuple == ir::Tuple::unpacks) return whole_elements(call.inputs[0]) * terms.gathered_bytes;
  return Bytes(0);
}

}  // namespace

std::optional<Seconds> price_by_laws(const Application& application, const platform::Device& device,
                                     const Calibrations& calibrations, const LawTerms& terms) {
  const ir::OpCall& call = application.call;
  const ir::Work work    = call.def.work(call, application.outputs);
  if (work.kernels == 0) {
    const Bytes moved = beside_collective(application, terms);
    return moved > Bytes(0) ? price_traffic(device, calibrations, "element-wise", moved, 0, terms)
                            : std::optional(Seconds(0));
  }
  const std::vector<ProductSizes> products = products_of(application, work);
  if (!products.empty()) return price_products(application, device, calibrations, products, terms);
  if (call.def.kernels == ir::Kernels::attention)
    return price_attention(application, device, calibrations, work, terms);
  if (const Bytes chain = chain_traffic(call, terms); chain > Bytes(0))
    return price_traffic(device, calibrations, "element-wise", chain, work.kernels, terms);
  Bytes moved = work.read + work.written;
  if (call.def.role == ir::Role::optimizer) {
    const double updated = parameters_of(application.outputs[0]);
    if (terms.optimizer_bytes > Bytes(0)) moved = updated * terms.optimizer_bytes;
    moved += static_cast<double>(call.attributes.int_or(ir::kSharers, 1)) * updated * terms.gradient_bytes;
  }
  moved -= std::min(moved, application.kept);
  moved = std::max(moved, least_traffic(application, terms)) + beside(application, terms);
  return price_traffic(device, calibrations, call.def.normalises ? "normalisation" : "element-wise", moved,
                       application.joined ? 0 : work.kernels, terms);
}

}  // namespace foreflow::cost
