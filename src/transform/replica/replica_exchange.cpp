#include "transform/replica/replica_exchange.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

constexpr std::string_view kExchangeStream = "comm";

int64_t row_size(const ir::Type& type, int ways) { return (ir::element_count(type.dims) + ways - 1) / ways; }

std::vector<int64_t> list(const ir::Dims& dims) { return {dims.begin(), dims.end()}; }

}  // namespace

ValueId ReplicaExchange::depart(ValueId value, const ir::Device& device) {
  if (!how_.overlap) return value;
  return builder_.op("Send", {value}, {{"to", ir::Device(device.index, kExchangeStream)}});
}

ValueId ReplicaExchange::arrive(ValueId value, const ir::Device& device) {
  if (!how_.overlap) return value;
  return builder_.op("Send", {value}, {{"to", device}});
}

ValueId ReplicaExchange::pack(const Values& values) {
  return values.size() == 1 ? values[0] : builder_.op("PackTuple", values);
}

ReplicaExchange::Values ReplicaExchange::unpack(ValueId packed, size_t count) {
  if (count == 1) return {packed};
  return builder_.emit("UnpackTuple", {packed}, {}, count);
}

ReplicaExchange::Values ReplicaExchange::unpack_sums(ValueId packed, const std::vector<ir::Type>& types) {
  Values sums = unpack(packed, types.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    if (converts(types[i])) sums[i] = cast(sums[i], types[i].dtype);
  }
  return sums;
}

ReplicaExchange::Values ReplicaExchange::unpack_gathered(ValueId packed, const std::vector<std::string>& names) {
  Values values = unpack(packed, names.size());
  for (size_t i = 0; names.size() > 1 && i < names.size(); ++i) builder_.set_name(values[i], "gathered." + names[i]);
  return values;
}

ValueId ReplicaExchange::rows(ValueId value, const ir::Type& type) {
  const int64_t elements = ir::element_count(type.dims), row = row_size(type, how_.ways),
                missing = row * how_.ways - elements;
  if (missing > 0) {
    value = builder_.op("Reshape", {value}, {{"shape", std::vector<int64_t>{elements}}});
    value = builder_.op("Pad", {value}, {{"pads", std::vector<int64_t>{0, missing}}});
  }
  return builder_.op("Reshape", {value}, {{"shape", std::vector<int64_t>{how_.ways, row}}});
}

ValueId ReplicaExchange::own_row(ValueId value, const ir::Type& type) {
  return builder_.op("Slice", {rows(value, type)},
                     {{"axes", std::vector<int64_t>{0}},
                      {"starts", std::vector<int64_t>{0}},
                      {"ends", std::vector<int64_t>{1}},
                      {std::string(ir::kOwnRow), int64_t{1}}});
}

ValueId ReplicaExchange::from_rows(ValueId matrix, const ir::Type& type) {
  const int64_t elements = ir::element_count(type.dims), padded = row_size(type, how_.ways) * how_.ways;
  if (padded > elements) {
    matrix = builder_.op("Reshape", {matrix}, {{"shape", std::vector<int64_t>{padded}}});
    matrix = builder_.op("Slice", {matrix},
                         {{"axes", std::vector<int64_t>{0}},
                          {"starts", std::vector<int64_t>{0}},
                          {"ends", std::vector<int64_t>{elements}}});
  }
  return builder_.op("Reshape", {matrix}, {{"shape", list(type.dims)}});
}

ValueId ReplicaExchange::cast(ValueId value, ir::DType dtype) {
  return builder_.op("Cast", {value}, {{"to", std::string(ir::name(dtype))}});
}

bool ReplicaExchange::converts(const ir::Type& type) const {
  return how_.reduce_dtype && type.is_tensor() && ir::is_float(type.dtype) && type.dtype != *how_.reduce_dtype;
}

bool ReplicaExchange::widens(const ir::Type& type) const {
  return how_.float_gathers && how_.zero == 3 && (type.dtype == ir::DType::f16 || type.dtype == ir::DType::bf16);
}

ValueId ReplicaExchange::to_gather(ValueId row, const ir::Type& type) {
  return widens(type) ? cast(row, ir::DType::f32) : row;
}

ValueId ReplicaExchange::from_gathered(ValueId matrix, const ir::Type& type) {
  const ValueId weight = from_rows(matrix, type);
  return widens(type) ? cast(weight, type.dtype) : weight;
}

ValueId ReplicaExchange::collective(const char* op, ValueId value, ir::Attributes attributes) {
  attributes.set(std::string(ir::kReplicas), int64_t{how_.ways});
  return builder_.op(op, {value}, std::move(attributes));
}

ValueId ReplicaExchange::begun(const ir::Device& device) const {
  const auto found = begun_.find(device);
  return found == begun_.end() ? ValueId::none : found->second;
}

void ReplicaExchange::set_begun(const ir::Device& device, ValueId sum) {
  if (how_.limits_scatters()) begun_[device] = sum;
}

ValueId ReplicaExchange::sum(const Values& gradients, const std::vector<ir::Type>& types, const ir::Device& device) {
  // The device needs nothing of that sum; it only waits for it.
  if (const ValueId before = begun(device); before != ValueId::none) arrive(before, device);
  Values own = gradients;
  for (size_t i = 0; i < own.size(); ++i) {
    if (converts(types[i])) own[i] = cast(own[i], *how_.reduce_dtype);
  }
  if (how_.zero == 0) return collective("MPIAllreduce", depart(pack(own), device), {});
  for (size_t i = 0; i < own.size(); ++i) own[i] = rows(own[i], types[i]);
  ir::Attributes scatter{{"axis", int64_t{0}}};
  if (how_.zero == 1) scatter.set("in_place", int64_t{1});  // the whole gradients are kept until the update
  const ValueId sum = collective("MPIReduceScatter", depart(pack(own), device), std::move(scatter));
  set_begun(device, sum);
  return sum;
}

ValueId ReplicaExchange::gather(const Values& rows, const std::vector<std::string>& names, const ir::Device& device) {
  const size_t more      = names.size() - 1;
  const std::string what = names[0] + (more == 0 ? "" : ".and_" + std::to_string(more) + "_more");
  const ValueId packed   = pack(rows);
  if (more > 0) builder_.set_name(packed, "rows." + what);
  const ValueId whole = collective("MPIAllgather", depart(packed, device), {{"axis", int64_t{0}}});
  builder_.set_name(whole, "gathered." + what);
  return whole;
}

}  // namespace foreflow::transform
