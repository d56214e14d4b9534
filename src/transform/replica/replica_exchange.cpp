#include "transform/replica/replica_exchange.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

constexpr std::string_view kExchangeStream = "comm";

int64_t row_size(const ir::Type& type, int64_t rows) { return (ir::element_count(type.dims) + rows - 1) / rows; }

std::vector<int64_t> list(const ir::Dims& dims) { return {dims.begin(), dims.end()}; }

// A program without devices runs on D1: its parameters are placed there.
ir::Device place_of(const ir::Device& device) { return device.placed() ? device : ir::Device(1); }

}  // namespace

ValueId ReplicaExchange::depart(ValueId value, const ir::Device& device) {
  if (!how_.overlap) return value;
  return builder_.op("Send", {value}, {{"to", ir::Device(place_of(device).index, kExchangeStream)}});
}

ValueId ReplicaExchange::arrive(ValueId value, const ir::Device& device) {
  if (!how_.overlap) return value;
  return builder_.op("Send", {value}, {{"to", place_of(device)}});
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

ReplicaExchange::Values ReplicaExchange::unpack_gathered(const Values& packed, const std::vector<std::string>& names) {
  const size_t each = names.size() / packed.size();
  Values all;
  for (const ValueId of_member : packed) {
    for (const ValueId value : unpack(of_member, each)) {
      if (each > 1) builder_.set_name(value, "gathered." + names[all.size()]);
      all.push_back(value);
    }
  }
  return all;
}

ValueId ReplicaExchange::rows(ValueId value, const ir::Type& type, size_t ranks) {
  const int64_t count = rows_for(ranks), elements = ir::element_count(type.dims), row = row_size(type, count),
                missing = row * count - elements;
  if (missing > 0) {
    value = builder_.op("Reshape", {value}, {{"shape", std::vector<int64_t>{elements}}});
    value = builder_.op("Pad", {value}, {{"pads", std::vector<int64_t>{0, missing}}});
  }
  return builder_.op("Reshape", {value}, {{"shape", std::vector<int64_t>{count, row}}});
}

ValueId ReplicaExchange::own_row(ValueId value, const ir::Type& type, size_t rank, size_t ranks) {
  const auto row = static_cast<int64_t>(rank);
  return builder_.op("Slice", {rows(value, type, ranks)},
                     {{"axes", std::vector<int64_t>{0}},
                      {"starts", std::vector<int64_t>{row}},
                      {"ends", std::vector<int64_t>{row + 1}},
                      {std::string(ir::kOwnRow), static_cast<int64_t>(how_.all_ranks(ranks))}});
}

ValueId ReplicaExchange::from_rows(ValueId matrix, const ir::Type& type, size_t ranks) {
  const int64_t elements = ir::element_count(type.dims), padded = row_size(type, rows_for(ranks)) * rows_for(ranks);
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

ValueId ReplicaExchange::from_gathered(ValueId matrix, const ir::Type& type, size_t ranks) {
  const ValueId weight = from_rows(matrix, type, ranks);
  return widens(type) ? cast(weight, type.dtype) : weight;
}

ReplicaExchange::Values ReplicaExchange::collective(const char* op, Values values, ir::Attributes attributes) {
  attributes.set(std::string(ir::kReplicas), int64_t{how_.ways});
  const size_t count = values.size();
  if (how_.all_ranks(count) > count) attributes.set(std::string(ir::kRanks), int64_t{how_.ranks});
  return builder_.emit(op, std::move(values), std::move(attributes), count);
}

ValueId ReplicaExchange::begun(const ir::Device& device) const {
  const auto found = begun_.find(device);
  return found == begun_.end() ? ValueId::none : found->second;
}

void ReplicaExchange::set_begun(const ir::Device& device, ValueId sum) {
  if (how_.limits_scatters()) begun_[device] = sum;
}

ReplicaExchange::Values ReplicaExchange::sum(const std::vector<Member>& members) {
  // The devices need nothing of those sums; they only wait for them.
  for (const Member& member : members) {
    if (const ValueId before = begun(member.device); before != ValueId::none) arrive(before, member.device);
  }
  Values packed;
  for (const Member& member : members) {
    Values own = member.values;
    for (size_t i = 0; i < own.size(); ++i) {
      if (converts(member.types[i])) own[i] = cast(own[i], *how_.reduce_dtype);
    }
    for (size_t i = 0; how_.zero > 0 && i < own.size(); ++i) own[i] = rows(own[i], member.types[i], members.size());
    packed.push_back(depart(pack(own), member.device));
  }
  if (how_.zero == 0) return collective("MPIAllreduce", std::move(packed), {});
  ir::Attributes scatter{{"axis", int64_t{0}}};
  if (how_.zero == 1) scatter.set("in_place", int64_t{1});  // the whole gradients are kept until the update
  Values sums = collective("MPIReduceScatter", std::move(packed), std::move(scatter));
  for (size_t i = 0; i < sums.size(); ++i) set_begun(members[i].device, sums[i]);
  return sums;
}

ReplicaExchange::Values ReplicaExchange::gather(const std::vector<Member>& members,
                                                const std::vector<std::string>& names) {
  const size_t each = names.size() / members.size(), more = each - 1;
  const auto what = [&](size_t rank) {
    return names[rank * each] + (more == 0 ? "" : ".and_" + std::to_string(more) + "_more");
  };
  Values rows;
  for (size_t rank = 0; rank < members.size(); ++rank) {
    const ValueId packed = pack(members[rank].values);
    if (more > 0) builder_.set_name(packed, "rows." + what(rank));
    rows.push_back(depart(packed, members[rank].device));
  }
  Values whole = collective("MPIAllgather", std::move(rows), {{"axis", int64_t{0}}});
  for (size_t rank = 0; rank < whole.size(); ++rank) builder_.set_name(whole[rank], "gathered." + what(rank));
  return whole;
}

}  // namespace foreflow::transform
