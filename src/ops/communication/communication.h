// What the communication ops share. They run on several devices and place their results themselves.
#pragma once

#include "ops/common/letters.h"
#include "ops/common/tuples.h"
#include "ops/common/work.h"

namespace foreflow::ops {

using ir::Device;

// Fails where two operands are on one device (streams of one device count as different) or differ in type.
void check_group(const OpCall& call);

// How many take part: one for each operand or, with the attribute `replicas`, so many times as many, of which those
// that are not operands have the same.
size_t ranks_of(const OpCall& call);

// The type that all operands share, on no device: the one that is known best.
Type common_type(const OpCall& call);

// The attribute `to`: one device, or a list of the numbers of different devices.
Device destination(const OpCall& call);
std::vector<Device> destinations(const OpCall& call);

// One result on the device of each operand, or on each of `devices`.
std::vector<Type> on_each_operand(const OpCall& call, const Type& result);
std::vector<Type> on_each(const OpCall& call, const std::vector<Device>& devices, const Type& result);

// How one dimension changes from an operand to a result: n times as long, or a part of n of it. Leaf by leaf for
// tuples.
Type joined(const OpCall& call, const Type& part, std::string_view axis_name, size_t n);
Type parted(const OpCall& call, const Type& whole, std::string_view axis_name, size_t n);

// The same for numbers; parts are equal.
Array join(const OpCall& call, const std::vector<Array>& parts, std::string_view axis_name);
Array part(const OpCall& call, const Array& whole, std::string_view axis_name, size_t n, size_t index);

// What every rank has, and their sum: leaf by leaf for tuples.
std::vector<Array> operands_of(const OpCall& call);
Array total(const OpCall& call);

// All operands and results have the same letters. Along `joined_axis` a result holds the parts of all operands, along
// `parted_axis` an operand holds those of all results; empty: there is none.
Factors same_letters(const OpCall& call, std::string_view joined_axis = "", std::string_view parted_axis = "");

// No arithmetic and no memory traffic of its own: the network decides how long it takes.
inline Work transfer(const OpCall&, std::span<const Type>) { return {}; }

// The devices of the operands by number, for the attribute `to` of what sends their gradients back; fails for streams.
std::vector<int64_t> devices_of_operands(const OpCall& call);

// Emits `op` on the gradients of all results; its results are the gradients of the operands.
void exchange_gradients(GradBuilder& builder, std::string_view op, Attributes attributes);

// `type` on devices 1, 2, .. n.
std::vector<Type> on_devices(const Type& type, int n);

}  // namespace foreflow::ops
