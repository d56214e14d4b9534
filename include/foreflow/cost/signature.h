// Signatures: applications of an op with equal signatures are the same work. Times are measured and looked up by
// signature.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "foreflow/ir/op_def.h"

namespace foreflow::cost {

// "Gemm{transB=1}(f32[64x512] f32[8x512]) -> f32[64x8]": the op, its attributes and the types, without devices. Of an
// array attribute only the type is included, and nothing of attributes that do not change the work.
std::string signature(const ir::OpCall& call, std::span<const ir::Type> outputs);

// The signature of a file as signature() writes it today: those of files may hold attributes that say nothing of the
// work, such as `count` of losses. Other text is returned as it is.
std::string current_signature(std::string_view written);

// "MPIAllreduce 4096 B over 2".
std::string message_signature(std::string_view op, Bytes bytes, int ranks);

// The data type that the op computes in: that of its first float operand, else of its first operand or result.
std::string_view dtype_of(std::span<const ir::Type> inputs, std::span<const ir::Type> outputs);

// The bytes of a communication op, as collective::Kind defines them.
Bytes message_bytes(const ir::OpDef& op, const ir::Type& operand, const ir::Type& result);

}  // namespace foreflow::cost
