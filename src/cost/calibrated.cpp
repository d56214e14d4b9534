#include <memory>

#include "cost/bounds.h"
#include "cost/errors.h"
#include "cost/flat_times.h"
#include "cost/law_prices.h"
#include "cost/measured_on.h"
#include "cost/parameters.h"
#include "cost/shipped.h"
#include "foreflow/base/text.h"
#include "foreflow/cost/calibration.h"
#include "foreflow/cost/signature.h"

namespace foreflow::cost::definitions::calibrated {
namespace {

std::vector<std::string> kernel_names() {
  std::vector<std::string> names;
  for (const AttentionKernels& row : attention_kernels()) names.emplace_back(row.name);
  return names;
}

std::string kernels_text() {
  std::string text;
  for (const AttentionKernels& row : attention_kernels())
    text += (text.empty() ? "`" : "; `") + std::string(row.name) + "`: " + std::string(row.doc);
  return text;
}

const AttentionKernels* kernels_named(const JsonView& json) {
  for (const AttentionKernels& row : attention_kernels()) {
    if (row.name == json.as_string()) return &row;
  }
  json.fail("is \"" + json.as_string() + "\"; write " + list_or(kernel_names()));
}

const Keys& keys() {
  // As `foreflow calibrate` writes them.
  ValueType family{"an object", Schema().with("type", "object")};
  static const Keys all = {
      {"messages", "whether messages take what was measured", types::one_of({"measured", "simulated"}), "`measured`"},
      {"families", "measured times by op and data type, as `foreflow calibrate` writes them",
       types::list_of(family, "a list of objects"), "none"},
      {"kernel_overhead",
       "of laws: of each kernel, beside its arithmetic and traffic, where kernels are launched one by one",
       types::time(), "\"0s\""},
      {"optimizer_bytes", "of laws: read and written for each parameter by the optimizer", types::bytes(),
       "what its operands and results have"},
      {"gradient_bytes",
       "of laws: read and written once an iteration for each gradient that a device holds, before the optimizer: "
       "checks, scaling, zeros for the next iteration. Where ZeRO splits the optimizer, a device holds more gradients "
       "than it updates",
       types::bytes(), "\"0B\""},
      {"reduced_bytes",
       "of laws: read and written on the device for each gradient, each time before a bucket of them is summed over "
       "replicas: conversions, scaling, copies into the bucket",
       types::bytes(), "\"0B\""},
      {"gathered_bytes",
       "of laws: read and written on the device for each weight, each time when a unit of them has been gathered from "
       "the replicas: conversions of autocast, copies out of the buffer",
       types::bytes(), "\"0B\""},
      {"loss_bytes", "of laws: read and written for each logit by the loss and its gradient", types::bytes(),
       "what their operands and results have"},
      {"norm_bytes",
       "of laws: read and written for each element in 16 bits by an RMSNorm that is a chain of kernels, where a "
       "framework runs it op by op",
       types::bytes(), "what its operands and results have"},
      {"norm_gradient_bytes", "of laws: the same by the gradient of an RMSNorm", types::bytes(),
       "what its operands and results have"},
      {"rotary_bytes",
       "of laws: the same for each element of queries or keys that a rotary embedding turns, and again for each of the "
       "gradient that it turns back",
       types::bytes(), "what its operands and results have"},
      {"score_bytes",
       "of laws: read and written for each score by the backward pass of unfused attention, by what is no op of the "
       "program, such as dropout",
       types::bytes(), "\"0B\""},
      {"tf32",
       "of laws: products in f32 run on the units of TF32, where a device has them "
       "(torch.backends.cuda.matmul.allow_tf32, "
       "the default of NVIDIA's containers)",
       types::flag(), "false"},
      {"attention", "of laws: the kernels of flash attention: " + kernels_text(), types::one_of(kernel_names()),
       "`tuned`"},
      {"device", "the device that was measured", types::text("the name of a device")},
      {"files", "the published measurements that they were fitted to", types::list_of(types::text("a path"), "a list")},
      {"laws", "laws of kernels and collectives with their constants, as `foreflow calibrate --device` writes them",
       types::list_of(family, "a list of objects"), "those that come with Foreflow for the device of the platform"}};
  return all;
}

bool measured_messages(const JsonView& parameters) {
  const std::string choice = parameters.string_or("messages", "measured");
  if (choice != "measured" && choice != "simulated")
    parameters.at("messages").fail("is \"" + choice + "\"; write measured or simulated");
  return choice == "measured";
}

// The tables from which a model was made.
struct Tables {
  Calibration families;                  // measured times
  std::string device;                    // that was measured, as the file calls it; "": not known
  std::optional<DeviceCalibration> own;  // the laws of the file, which all devices take
  LawTerms terms;
};

Calibrations laws_for(const Tables& tables, const platform::Device& device) {
  if (tables.own) return {&*tables.own};
  Calibrations chosen;
  for (const std::string_view name : stand_ins(device.kind)) {
    for (const DeviceCalibration& shipped : shipped_calibrations()) {
      if (shipped.device == name) chosen.push_back(&shipped);
    }
  }
  return chosen;
}

Query query_of(const Application& application, const ir::Work& work, const platform::Device& device) {
  const ir::OpCall& call = application.call;
  return {std::string(call.def.name),
          std::string(dtype_of(call.inputs, application.outputs)),
          signature(call, application.outputs),
          1,
          work.flops,
          work.read + work.written,
          1,
          device.kind};
}

// Returns the price that was measured of the op. The times of others say nothing of one that launches no kernel, such
// as a cast that the next kernel does as it reads. Where the measurements show no rate, work outside of them takes the
// time that they and the device's data sheet give it.
std::optional<Price> measured_price(const Calibration& calibration, const Application& application,
                                    const platform::Device& device) {
  if (calibration.families.empty()) return std::nullopt;
  const ir::Work work = application.call.def.work(application.call, application.outputs);
  const Query query   = query_of(application, work, device);
  const auto measured = price(calibration, query);
  if (work.kernels == 0 && measured && measured->provenance != Provenance::table) return std::nullopt;
  const bool is_extended = measured && measured->provenance == Provenance::regression;
  const Family* flat     = is_extended ? flat_family(calibration, query) : nullptr;
  if (flat == nullptr) return measured;
  return Price{time_beside(*flat, query, work.kernels, device), Provenance::regression};
}

// The prices that follow from the data sheet of a device.
struct Sheet {
  std::function<Price(const Application&, const platform::Device&)> price, at_peak;  // at_peak: no time is shorter
};

// A line that is faster than the peaks of a device shows no rate of it: what was measured is too small, or stays in a
// cache. Then the data sheet decides, and is what the price says. Launches are part of the line, and are not held
// against it.
Price along_line(Price line, const Application& application, const platform::Device& device, const Sheet& sheet) {
  platform::Device without_launch = device;
  without_launch.launch           = Seconds(0);
  if (line.time >= sheet.at_peak(application, without_launch).time) return line;
  return sheet.price(application, device);
}

// More work takes no less time than was measured of less.
Price beside_less_work(const Price& price, const Tables& tables, const Application& application,
                       const platform::Device& device) {
  const ir::Work work = application.call.def.work(application.call, application.outputs);
  const Seconds least = least_time(tables.families, query_of(application, work, device));
  return least > price.time ? Price{least, Provenance::regression} : price;
}

// Measured, or between two measurements; by the law of its family; along the line of its family; by the data sheet.
Price chained_price(const Tables& tables, bool has_laws, const Application& application, const platform::Device& device,
                    const Sheet& sheet) {
  const auto measured = measured_price(tables.families, application, device);
  // Shape arithmetic runs ahead of a device, unless its time was measured there.
  if (measured && measured->provenance == Provenance::table) return *measured;
  if (application.on_host) return sheet.price(application, device);
  if (measured && measured->provenance == Provenance::interpolated) return *measured;
  if (has_laws) {
    if (const auto time = price_by_laws(application, device, laws_for(tables, device), tables.terms)) {
      const Price law{*time, Provenance::regression};
      return measured ? beside_less_work(law, tables, application, device) : law;
    }
  }
  if (!measured) return sheet.price(application, device);
  return beside_less_work(along_line(*measured, application, device, sheet), tables, application, device);
}

// Measurements are of kernels that run alone. For an op that is one kernel with another, the law of its family, or the
// data sheet, says what part of that time is left.
Price price_of_op(const Tables& tables, bool has_laws, const Application& application, const platform::Device& device,
                  const Sheet& sheet) {
  const bool is_fused = application.joined || application.kept > Bytes(0);
  if (!is_fused || tables.families.families.empty()) return chained_price(tables, has_laws, application, device, sheet);
  const auto modelled = [&](const Application& one) {
    const auto by_laws = has_laws ? price_by_laws(one, device, laws_for(tables, device), tables.terms) : std::nullopt;
    return by_laws.value_or(sheet.price(one, device).time);
  };
  Application alone   = application;
  alone.kept          = Bytes(0);
  alone.joined        = false;
  Price price         = chained_price(tables, has_laws, alone, device, sheet);
  const Seconds whole = modelled(alone);
  if (whole > Seconds(0)) price.time = (modelled(application) / whole) * price.time;
  return price;
}

MessagePrice message_price(const Calibration& calibration, const Application& application, int ranks) {
  MessagePrice all;
  if (calibration.families.empty()) return all;
  const ir::OpCall& call       = application.call;
  const Bytes bytes            = message_bytes(call.def, call.inputs[0], application.outputs[0]);
  const std::string_view dtype = dtype_of(call.inputs, application.outputs);
  for (const int nodes : measured_nodes(calibration, call.def.name, dtype, ranks)) {
    const Query query{std::string(call.def.name),
                      std::string(dtype),
                      message_signature(call.def.name, bytes, ranks),
                      ranks,
                      Flops(0),
                      bytes,
                      nodes};
    all.measured.push_back({nodes, price(calibration, query)});
  }
  return all;
}

// The mean held-out error of the laws that a device takes; of lines and data sheets where it has none.
double error_of(Provenance provenance, const Calibrations& calibrations) {
  if (provenance == Provenance::table) return kTableError;
  if (provenance == Provenance::interpolated) return kInterpolatedError;
  if (provenance == Provenance::roofline) return kRooflineError;
  double sum = 0, number = 0;
  for (const DeviceCalibration* calibration : calibrations) {
    for (const FittedLaw& law : calibration->laws) {
      if (law.law != "collective") sum += law.held_out, ++number;
    }
  }
  return number > 0 ? sum / number : kLineError;
}

// "" for a device that was measured itself, or that nothing like it was.
std::string stand_in_for(const platform::Device& device) {
  const auto measured = stand_ins(device.kind);
  if (measured.empty() || measured.front() == device.kind) return "";
  return "times of kernels on " + device.kind + " follow those measured on " + std::string(measured.front()) +
         ", scaled by the data sheets";
}

constexpr std::pair<const char*, Bytes LawTerms::*> kLawBytes[] = {
    {"optimizer_bytes", &LawTerms::optimizer_bytes}, {"gradient_bytes", &LawTerms::gradient_bytes},
    {"reduced_bytes", &LawTerms::reduced_bytes},     {"gathered_bytes", &LawTerms::gathered_bytes},
    {"loss_bytes", &LawTerms::loss_bytes},           {"score_bytes", &LawTerms::score_bytes},
    {"norm_bytes", &LawTerms::norm_bytes},           {"norm_gradient_bytes", &LawTerms::norm_gradient_bytes},
    {"rotary_bytes", &LawTerms::rotary_bytes}};

// The keys of laws that are stated where there are none; "" where none is.
std::string keys_without_laws(const JsonView& parameters) {
  std::vector<std::string> names;
  for (const char* key : {"attention", "kernel_overhead"}) {
    if (parameters.has(key)) names.emplace_back(key);
  }
  for (const auto& [key, member] : kLawBytes) {
    if (parameters.has(key)) names.emplace_back(key);
  }
  if (names.empty()) return "";
  return "cost." + join(names, ", cost.") + (names.size() == 1 ? " changes" : " change") +
         " nothing: the calibration has measured times and no laws";
}

std::string both(const std::string& a, const std::string& b) { return a + (a.empty() || b.empty() ? "" : "; ") + b; }

CostModel make(const JsonView& parameters) {
  allow_only(parameters, keys());
  Tables tables;
  if (parameters.has("families")) tables.families = from_json(parameters.at("families"));
  tables.device = parameters.string_or("device", "");
  if (parameters.has("laws")) tables.own = device_calibration(parameters);
  if (parameters.has("kernel_overhead")) tables.terms.kernel_overhead = bounded_time(parameters.at("kernel_overhead"));
  for (const auto& [key, member] : kLawBytes) {
    if (parameters.has(key)) tables.terms.*member = parameters.at(key).as_bytes();
  }
  const bool tf32   = parameters.bool_or("tf32", false);
  tables.terms.tf32 = tf32;
  if (parameters.has("attention")) tables.terms.attention = kernels_named(parameters.at("attention"));
  const bool has_laws = tables.own || !parameters.has("families");
  const auto shared   = std::make_shared<const Tables>(std::move(tables));
  const auto roofline = [&](const Json& terms) {
    return cost_models().get("roofline", parameters.where()).make(JsonView(terms, parameters.file()));
  };
  const Json terms = Json::object().set("tf32", tf32);
  CostModel model  = roofline(terms);
  const Sheet sheet{model.compute,
                    roofline(Json(terms).set("compute_efficiency", 1).set("memory_efficiency", 1)).compute};
  const bool measured        = measured_messages(parameters);
  model.name                 = "calibrated";
  model.measures_collectives = has_laws && !shared->own;
  model.compute = [shared, has_laws, sheet](const Application& application, const platform::Device& device) {
    return price_of_op(*shared, has_laws, application, device, sheet);
  };
  if (has_laws && !shared->own) {
    model.assumption = stand_in_for;
    model.measures   = [](const platform::Device& device) { return !stand_ins(device.kind).empty(); };
  }
  if (!shared->families.families.empty()) {
    model.assumption = [shared,
                        without_laws = has_laws ? "" : keys_without_laws(parameters)](const platform::Device& device) {
      return both(assumption_of_times(shared->families, shared->device, device), without_laws);
    };
  }
  model.error = [shared](Provenance provenance, const platform::Device& device) {
    return error_of(provenance, laws_for(*shared, device));
  };
  model.communication = [shared, measured](const Application& application, int ranks) {
    return measured ? message_price(shared->families, application, ranks) : MessagePrice();
  };
  return model;
}

}  // namespace

CostModelDef row() {
  return {.name = "calibrated",
          .doc =
              "measured times of a file: table, interpolation; then laws of kernels, fitted to published measurements "
              "of the device or of the nearest that was measured; roofline for the rest",
          .keys           = keys(),
          .make           = make,
          .may_be_unnamed = true};
}

}  // namespace foreflow::cost::definitions::calibrated
