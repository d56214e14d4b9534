#include "ops/communication/communication.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "foreflow/ir/call_devices.h"
#include "foreflow/ir/countable.h"
#include "foreflow/ir/replicas.h"
#include "ops/common/axes.h"
#include "ops/common/elementwise.h"
#include "ops/common/kernel.h"
#include "ops/common/views.h"

namespace foreflow::ops {

namespace {

size_t named_axis(const OpCall& call, std::string_view name, size_t rank) {
  return normal_axis(call, call.attributes.int_or(name, 0), rank);
}

void check_part(const OpCall& call, const Dims& dims, size_t axis, size_t n) {
  if (dims[axis] != Dims::kUnknown && dims[axis] % static_cast<int64_t>(n) != 0) {
    call.fail("dimension " + std::to_string(axis) + " of " + to_string(dims) + " should be a multiple of " +
              std::to_string(n) + ", the number of devices");
  }
}

Array sum(const std::vector<Array>& terms) {
  return with_number_type(terms[0].dtype(), [&](auto zero) {
    using T   = decltype(zero);
    auto sums = values_of<T>(terms[0]);
    for (size_t term = 1; term < terms.size(); ++term) {
      const auto values = values_of<T>(terms[term]);
      for (size_t i = 0; i < sums.size(); ++i) sums[i] = wrapping(std::plus{}, sums[i], values[i]);
    }
    return array_of<T>(terms[0].dtype(), terms[0].dims(), sums);
  });
}

}  // namespace

void check_group(const OpCall& call) {
  if (call.arity() == 0) call.fail("has no operands; one for each device would be right");
  const auto written = static_cast<int64_t>(call.arity());
  int64_t each       = 1;  // operands for each group
  for (const std::string_view of : {ir::kShards, ir::kRanks}) {
    if (call.attributes.find(of) == nullptr) continue;
    const int64_t all = call.attributes.get_int(of);
    each *= 2;
    if (all >= 2 && all <= INT32_MAX && written % each == 0) continue;
    call.fail(fmt::format(
        "has {0} = {1} and {2} operands; {3} operands for each group of {0}, of which there are two or more, "
        "would be right",
        of, all, written, each == 2 ? "two" : "four"));
  }
  std::map<Device, size_t> taken;
  std::optional<size_t> known;
  for (size_t i = 0; i < call.arity(); ++i) {
    const Device device = device_of(call.inputs[i]);
    if (device.placed()) {
      const auto [other, is_new] = taken.emplace(device, i);
      if (!is_new) {
        call.fail("operands " + std::to_string(other->second) + " and " + std::to_string(i) + " are both on D" +
                  to_string(device) + "; each should be on a device of its own");
      }
    }
    const Type type = moved(call.inputs[i], {});
    if (!type.resolved()) continue;
    if (!known) known = i;
    const Type expected = moved(call.inputs[*known], {});
    if (type != expected) {
      call.fail("operand " + std::to_string(i) + " is " + to_string(type) + "; it should be " + to_string(expected) +
                " like operand " + std::to_string(*known));
    }
  }
}

size_t ranks_of(const OpCall& call) {
  const int64_t replicas = call.attributes.int_or(ir::kReplicas, 1);
  if (replicas < 1) call.fail("has replicas = " + std::to_string(replicas) + "; 1 or more would be right");
  return ir::ranks_of(call.attributes, call.arity());
}

Type common_type(const OpCall& call) {
  const auto better = [](const Type& a, const Type& b) {
    const auto knowledge = [](const Type& type) {
      return type.resolved() ? 3 : has_rank(type) ? 2 : type.kind != Type::Kind::unknown ? 1 : 0;
    };
    return knowledge(a) < knowledge(b);
  };
  return moved(*std::max_element(call.inputs.begin(), call.inputs.end(), better), {});
}

Device destination(const OpCall& call) { return call.attributes.get_device("to"); }

std::vector<Device> destinations(const OpCall& call) {
  const ir::Attribute* to = call.attributes.find("to");
  if (to != nullptr && std::holds_alternative<Device>(*to)) return {destination(call)};
  const std::string stream = call.attributes.string_or(ir::kStream, "");
  std::vector<Device> devices;
  for (const int64_t number : call.attributes.get_ints("to")) {
    if (number < 0 || number > INT32_MAX)
      call.fail("device " + std::to_string(number) + " does not exist; numbers from 0 on would be right");
    const Device device(static_cast<int32_t>(number), stream);
    if (std::find(devices.begin(), devices.end(), device) != devices.end()) {
      call.fail("D" + to_string(device) + " stands twice in `to`; each device should stand there once");
    }
    devices.push_back(device);
  }
  if (devices.empty()) call.fail("`to` is empty; the number of at least one device would be right");
  return devices;
}

std::vector<Type> on_each(const OpCall& call, const std::vector<Device>& devices, const Type& result) {
  if (call.outputs != devices.size()) {
    call.fail("gives one result on each of " + std::to_string(devices.size()) + " devices, not " +
              std::to_string(call.outputs));
  }
  std::vector<Type> types;
  for (const Device& device : devices) types.push_back(moved(result, device));
  return types;
}

std::vector<Type> on_each_operand(const OpCall& call, const Type& result) {
  std::vector<Device> devices;
  for (const Type& input : call.inputs) devices.push_back(device_of(input));
  return on_each(call, devices, result);
}

Type joined(const OpCall& call, const Type& part, std::string_view axis_name, size_t n) {
  if (part.is_tuple()) {
    std::vector<Type> elements;
    for (const Type& element : part.elements) elements.push_back(joined(call, element, axis_name, n));
    return Type::tuple(std::move(elements));
  }
  if (!has_rank(part)) return part;
  Type whole        = part;
  const size_t axis = named_axis(call, axis_name, whole.dims.size());
  if (whole.dims[axis] != Dims::kUnknown)
    whole.dims[axis] = ir::clamped_product(whole.dims[axis], static_cast<int64_t>(n));
  return whole;
}

Type parted(const OpCall& call, const Type& whole, std::string_view axis_name, size_t n) {
  if (whole.is_tuple()) {
    std::vector<Type> elements;
    for (const Type& element : whole.elements) elements.push_back(parted(call, element, axis_name, n));
    return Type::tuple(std::move(elements));
  }
  if (!has_rank(whole)) return whole;
  Type part         = whole;
  const size_t axis = named_axis(call, axis_name, part.dims.size());
  check_part(call, part.dims, axis, n);
  if (part.dims[axis] != Dims::kUnknown) part.dims[axis] /= static_cast<int64_t>(n);
  return part;
}

Array join(const OpCall& call, const std::vector<Array>& parts, std::string_view axis_name) {
  if (parts[0].is_tuple())
    return map_leaves(call, parts, [&](const std::vector<Array>& leaves) { return join(call, leaves, axis_name); });
  Dims dims         = parts[0].dims();
  const size_t axis = named_axis(call, axis_name, dims.size());
  dims[axis] *= static_cast<int64_t>(parts.size());
  Array whole(parts[0].dtype(), dims);
  const Offsets strides = strides_of(dims);
  int64_t start         = 0;
  for (const Array& part : parts) {
    put(whole, offsets_of(part.dims(), strides, start), part);
    start += part.dims()[axis] * strides[axis];
  }
  return whole;
}

Array part(const OpCall& call, const Array& whole, std::string_view axis_name, size_t n, size_t index) {
  if (whole.is_tuple()) {
    return map_leaves(call, std::vector{whole},
                      [&](const std::vector<Array>& leaves) { return part(call, leaves[0], axis_name, n, index); });
  }
  Dims dims         = whole.dims();
  const size_t axis = named_axis(call, axis_name, dims.size());
  check_part(call, dims, axis, n);
  dims[axis] /= static_cast<int64_t>(n);
  const Offsets strides = strides_of(whole.dims());
  return take(whole, dims, offsets_of(dims, strides, static_cast<int64_t>(index) * dims[axis] * strides[axis]));
}

std::vector<Array> operands_of(const OpCall& call) {
  std::vector<Array> operands;
  for (size_t i = 0; i < ranks_of(call); ++i) operands.push_back(value_of(call, i % call.arity()));
  return operands;
}

Array total(const OpCall& call) { return map_leaves(call, operands_of(call), sum); }

Factors same_letters(const OpCall& call, std::string_view joined_axis, std::string_view parted_axis) {
  if (!splittable(call)) return {};
  const size_t rank = common_type(call).dims.size();
  std::string text  = letters(rank);
  const auto letter = [&](std::string_view name) {
    return name.empty() ? char{0} : text[named_axis(call, name, rank)];
  };
  char blocked = letter(joined_axis), parted = letter(parted_axis);
  // Parts that change places within one dimension leave it whole.
  if (blocked == parted && blocked != 0) {
    text[named_axis(call, joined_axis, rank)] = '.';
    blocked = parted = 0;
  }
  const size_t written = std::max(call.arity(), call.outputs);
  const int blocks     = static_cast<int>(ir::represented_by(call.attributes, written));
  Factors factors{.text    = factor_text(call, std::vector<std::string>(call.arity(), text),
                                         std::vector<std::string>(call.outputs, text)),
                  .blocked = blocked,
                  .blocks  = blocks};
  if (parted != 0) factors.text += std::string(";") + parted;
  return factors;
}

Device placed_device(const OpCall& call, size_t operand) {
  const Device device = device_of(call.inputs[operand]);
  if (!device.placed()) {
    call.fail(
        "operand " + std::to_string(operand) +
        " is on no device, so its gradient has none to go back to; state one in the types of parameters, such as " +
        to_string(moved(call.inputs[operand], Device(1))));
  }
  return device;
}

std::vector<int64_t> devices_of_operands(const OpCall& call) {
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < call.arity(); ++i) {
    const Device device = placed_device(call, i);
    if (device != Device(device.index)) {
      call.fail("an operand is on D" + to_string(device) + "; its gradient can be sent to devices with a number only");
    }
    numbers.push_back(device.index);
  }
  return numbers;
}

void exchange_gradients(GradBuilder& builder, std::string_view op, Attributes attributes) {
  std::vector<int> arriving;
  for (size_t i = 0; i < builder.call().outputs; ++i) arriving.push_back(builder.output_gradient(i));
  const auto gradients = builder.emit(op, std::move(attributes), arriving, builder.call().arity());
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (builder.wanted(i)) builder.set_input_gradient(i, gradients[i]);
  }
}

std::vector<Type> on_devices(const Type& type, int n) {
  std::vector<Type> types;
  for (int device = 1; device <= n; ++device) types.push_back(moved(type, Device(device)));
  return types;
}

}  // namespace foreflow::ops
