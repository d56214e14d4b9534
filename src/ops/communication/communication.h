// Shared by the communication ops, which run on several devices and state the devices of their results.
#pragma once

#include "ops/common/letters.h"
#include "ops/common/tuples.h"
#include "ops/common/work.h"

namespace foreflow::ops {

using ir::Device;

// Fails if two operands are on the same stream of a device or differ in type.
void check_group(const OpCall& call);

// The number of participants: one per operand, unless the program stands for more of them (ir/replicas.h).
size_t ranks_of(const OpCall& call);

// The common type of the operands, without device: the one about which most is known.
Type common_type(const OpCall& call);

// The attribute `to`: one device, or a list of the numbers of different devices.
Device destination(const OpCall& call);
std::vector<Device> destinations(const OpCall& call);

// One result on the device of each operand, or on each of `devices`.
std::vector<Type> on_each_operand(const OpCall& call, const Type& result);
std::vector<Type> on_each(const OpCall& call, const std::vector<Device>& devices, const Type& result);

// A type with the dimension named by attribute `axis_name` multiplied by n (joined) or divided by n (parted). For a
// tuple, element by element.
Type joined(const OpCall& call, const Type& part, std::string_view axis_name, size_t n);
Type parted(const OpCall& call, const Type& whole, std::string_view axis_name, size_t n);

// The same for arrays: concatenates the parts, or takes part `index` of n equal parts.
Array join(const OpCall& call, const std::vector<Array>& parts, std::string_view axis_name);
Array part(const OpCall& call, const Array& whole, std::string_view axis_name, size_t n, size_t index);

// The operand of every participant, and their sum; for tuples, element by element.
std::vector<Array> operands_of(const OpCall& call);
Array total(const OpCall& call);

// Factors in which all operands and results have the same letters. Along `joined_axis` a result is the concatenation of
// all operands; along `parted_axis` an operand is that of all results. Empty: there is no such axis.
Factors same_letters(const OpCall& call, std::string_view joined_axis = "", std::string_view parted_axis = "");

// A transfer has no arithmetic and no memory traffic; the network decides how long it takes.
inline Work transfer(const OpCall&, std::span<const Type>) { return {}; }

// The device of an operand, for the attribute `to` of the op that sends its gradient back. Fails if it is on none.
Device placed_device(const OpCall& call, size_t operand);

// The numbers of the operands' devices, for the same attribute. Fails if an operand is on no device, or not on the main
// stream.
std::vector<int64_t> devices_of_operands(const OpCall& call);

// Emits `op` on the gradients of all results; its results are the gradients of the operands.
void exchange_gradients(GradBuilder& builder, std::string_view op, Attributes attributes);

// `type` on devices 1, 2, .. n.
std::vector<Type> on_devices(const Type& type, int n);

}  // namespace foreflow::ops
