#include "transform/context/data_splitter.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"
#include "foreflow/ir/call_devices.h"
#include "foreflow/ir/verify.h"
#include "foreflow/reshard/spec.h"
#include "foreflow/transform/pieces.h"
#include "transform/context/attention_layouts.h"
#include "transform/context/gradient_sums.h"
#include "transform/context/part_slice.h"
#include "transform/context/ring_attention.h"
#include "transform/rewrite/op_types.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

std::string name_of_part(const std::string& of, const SplitVariant& variant, int way) {
  return of.empty() ? of : of + ".s" + variant.number(way);
}

ir::Device on_way(ir::Device device, int way, int32_t group) {
  if (device.placed()) device.index += way * group;
  return device;
}

// One side of a Reshard whose devices are copied for each of `ways`: a mesh with one more dimension, the first, over
// which the parts that each device had are split as `layout` says.
void split_side(ir::Attributes& attributes, const std::string& side, const Layout& layout, int ways) {
  if (ways == 1) return;
  auto mesh = attributes.get_ints(side + "_mesh");
  mesh.insert(mesh.begin(), ways);
  reshard::Spec spec = reshard::parse_spec(attributes.string_or(side + "_spec", ""), side + "_spec");
  for (auto& axes : spec.split) {
    for (int& axis : axes) ++axis;
  }
  if (layout.is_split()) nth(spec.split, layout.dim).push_back(0);
  attributes.set(side + "_mesh", mesh).set(side + "_spec", reshard::print(spec));
}

}  // namespace

DataSplitter::DataSplitter(const ir::Module& module, const ir::OpTable& ops, const std::vector<DataSplitStep>& steps,
                           int written, SplitVariants variants)
    : module_(module),
      function_(module.entry()),
      interpretation_(interpret::interpret_mixed(module, module.functions.size() - 1)),
      values_(interpretation_.entry().values),
      variants_(std::move(variants)),
      builder_(function_.name, ops),
      of_every_way_(function_.ops.size()) {
  ways_.reserve(steps.size());
  for (size_t v = 0; v < steps.size(); ++v)
    ways_.emplace_back(plan_data_split(module, values_, steps[v].ways, steps[v].split, variants_, v), steps[v],
                       written > 0 ? written : steps[v].ways, function_.values.size());
  for (size_t value = 0; value < values_.size(); ++value) {
    int32_t& group = ways_[variant_of_value(value)].group;
    group          = std::max(group, ir::device_of(values_[value].type).index);
  }
  of_weights_ = leads_to_optimizers(
      function_, [this](size_t value) -> const Layout& { return ways_[variant_of_value(value)].plan.made(value); });
}

bool DataSplitter::has_experts() const {
  return std::any_of(ways_.begin(), ways_.end(), [](const SplitVariant& variant) { return variant.plan.has_experts; });
}

void SplitVariant::forget_gathered() {
  if (shrinks == Shrinks::rest) return;  // samples, of which only experts need those of others
  for (size_t value = 0; value < copies.size(); ++value) {
    if (plan.layouts[value].is_split()) copies[value].erase(Layout::whole());
  }
}

Distributed DataSplitter::run() {
  for (size_t i = 0; i < function_.parameters.size(); ++i) parameter(i);
  for (size_t begin = 0; begin < function_.ops.size();) {
    const ir::Op& op = function_.ops[begin];
    if (!op.is_call() && op.def->role == ir::Role::loss_gradient && !std::exchange(backward_, true)) {
      for (SplitVariant& variant : ways_) variant.forget_gathered();
    }
    const size_t end = end_of_row(begin);
    if (is_transfer(begin)) {
      write_transfer(begin);
    } else {
      write_row(ways_[variant_of_op(begin)], begin, end);
    }
    note(begin);
    begin = end;
  }
  std::vector<ValueId> results;
  for (size_t i = 0; i < function_.results.size(); ++i) result(i, results);
  distributed_.module.source = module_.source;
  distributed_.module.functions.push_back(builder_.finish(std::move(results)));
  ir::verify(distributed_.module, ir::Names::unique);
  return std::move(distributed_);
}

void DataSplitter::parameter(size_t i) {
  SplitVariant& variant = ways_[variant_of_value(i)];
  const Layout& layout  = variant.plan.layouts[i];
  for (int way = 0; way < variant.written; ++way) {
    const ir::Type local = local_type(values_[i].type, layout, variant.ways);
    ir::Device device    = ir::device_of(local);
    if (!device.placed()) device = ir::Device(1);
    const std::string& own = function_.values[i].name;
    variant.copies[i][layout].push_back(builder_.parameter(variant.ways == 1 ? own : name_of_part(own, variant, way),
                                                           function_.parameters[i],
                                                           ir::moved(local, on_way(device, way, variant.group))));
    distributed_.parameters.push_back({static_cast<int32_t>(i), layout, variant.ways, way});
  }
}

// A row is one op on all devices of a tensor-parallel group: its copies stand next to each other in the program, and
// are written next to each other for every way. Returns the end of the row that begins at op `begin`.
size_t DataSplitter::end_of_row(size_t begin) const {
  const auto device = [&](size_t o) { return ir::device_of(values_[function_.ops[o].first_result].type); };
  const auto reads  = [&](const ir::Op& op, uint32_t from) {
    const auto inputs = function_.inputs(op);
    return std::any_of(inputs.begin(), inputs.end(),
                        [&](ValueId id) { return id != ValueId::none && ir::index(id) >= from; });
  };
  const auto& slices = ways_[variant_of_op(begin)].plan.part_slices;
  size_t end         = begin + 1;
  for (; end < function_.ops.size() && !is_transfer(begin); ++end) {
    const ir::Op &op = function_.ops[end], &before = function_.ops[end - 1];
    if (op.def != before.def || op.operand_count != before.operand_count || op.result_count == 0 ||
        before.result_count == 0 || variant_of_op(end) != variant_of_op(begin) ||
        slices.contains(end) != slices.contains(begin))
      break;
    if (!(device(end - 1) < device(end)) || reads(op, function_.ops[begin].first_result)) break;
  }
  return end;
}

void DataSplitter::write_row(SplitVariant& variant, size_t begin, size_t end) {
  const size_t arity = function_.ops[begin].operand_count;
  for (size_t i = 0; i < arity; ++i) bring(variant, begin, end, i);
  if (variant.plan.rings.contains(begin)) {
    says_all_ = says_all_ && variant.written == variant.ways;
    write_ring(variant, begin, end);
    return;
  }
  if (variant.plan.part_slices.contains(begin)) {
    write_part_slices(variant, begin, end);
    return;
  }
  for (int way = 0; way < variant.written; ++way) {
    for (size_t o = begin; o < end; ++o) write(variant, o, way);
  }
  for (uint32_t i = 0; i < function_.ops[begin].result_count; ++i) turn(variant, begin, end, i);
}

// Writes a row of attention ops, whose members are all handled in the same way.
void DataSplitter::write_ring(SplitVariant& variant, size_t begin, size_t end) {
  const ir::Op& first = function_.ops[begin];
  std::vector<Row> inputs(first.operand_count);
  for (size_t i = 0; i < inputs.size(); ++i) {
    for (size_t o = begin; o < end; ++o) {
      const ValueId id = function_.inputs(function_.ops[o])[i];
      if (id != ValueId::none) inputs[i].push_back(copies_of(variant, id).at(variant.plan.decisions[o].inputs[i]));
    }
  }
  const OpTypes types(function_, first, values_);
  const ir::OpCall call = types.call();
  const bool forward    = first.def->gradient_of != ir::GradientOf::attention;
  const RingSite site{call, inputs, variant.plan.decisions[begin].inputs[1].blocks};
  std::vector<Row> results =
      forward ? ring_attention(builder_, site, variant.ways) : ring_attention_grad(builder_, site, variant.ways);
  for (size_t o = begin; o < end; ++o) {
    for (uint32_t i = 0; i < first.result_count; ++i) {
      const size_t value = function_.ops[o].first_result + i;
      Copies& copies     = results[i][o - begin];
      for (size_t way = 0; way < copies.size(); ++way)
        builder_.set_name(copies[way], name_of_part(function_.values[value].name, variant, static_cast<int>(way)));
      variant.copies[value][variant.plan.layouts[value]] = std::move(copies);
    }
  }
}

void DataSplitter::write_part_slices(SplitVariant& variant, size_t begin, size_t end) {
  for (size_t o = begin; o < end; ++o) {
    const ir::Op& op    = function_.ops[o];
    const ValueId whole = function_.inputs(op)[0];
    Copies copies       = sliced_part(builder_, copies_of(variant, whole).at(variant.plan.decisions[o].inputs[0]),
                                      values_[ir::index(whole)].type, variant.plan.part_slices.at(o), variant.all_ways(),
                                      variant.shrinks);
    for (size_t way = 0; way < copies.size(); ++way)
      builder_.set_name(copies[way],
                        name_of_part(function_.values[op.first_result].name, variant, static_cast<int>(way)));
    variant.copies[op.first_result][Layout::whole()] = std::move(copies);
  }
}

// A Reshard between two variants: from all ways of the one that makes the value to all ways of the one that reads it.
void DataSplitter::write_transfer(size_t o) {
  const ir::Op& op     = function_.ops[o];
  const auto inputs    = function_.inputs(op);
  const size_t made_by = variant_of_value(ir::index(inputs[0]));
  SplitVariant &from = ways_[made_by], &to = ways_[variant_of_op(o)];
  const Layout &sent = from.plan.decisions[o].inputs[0], &arrives = to.plan.layouts[op.first_result];
  for (size_t i = 0; i < inputs.size(); ++i) {
    FOREFLOW_CHECK(from.plan.decisions[o].inputs[i] == sent, "the shards of a value are split in the same way");
    bring(from, o, o + 1, i);
  }
  note(op_of_value(ir::index(inputs[0])));
  std::vector<ValueId> operands;
  for (int way = 0; way < from.ways; ++way) {
    for (const ValueId id : inputs) {
      const Copies& copies = copies_of(from, id).at(sent);
      operands.push_back(copies[copies.size() == 1 ? 0 : static_cast<size_t>(way)]);
    }
  }
  ir::Attributes attributes = *op.attributes;
  split_side(attributes, "source", sent, from.ways);
  split_side(attributes, "target", arrives, to.ways);
  std::vector<int64_t> devices(static_cast<size_t>(to.ways) * op.result_count);
  std::iota(devices.begin(), devices.end(), int64_t{1});
  const size_t count = devices.size();
  attributes.set("to", std::move(devices));
  const std::vector<ValueId> arrived = builder_.emit("Reshard", operands, std::move(attributes), count);
  for (size_t i = 0; i < count; ++i) {
    const size_t value = op.first_result + i % op.result_count;
    const auto way     = static_cast<int>(i / op.result_count);
    const auto& own    = function_.values[value].name;
    builder_.set_name(arrived[i], to.ways == 1 ? own : name_of_part(own, to, way));
    to.copies[value][arrives].push_back(arrived[i]);
  }
}

// Converts result `i` of a row from the layout in which its ops compute it to the one that the plan wants at once.
void DataSplitter::turn(SplitVariant& variant, size_t begin, size_t end, uint32_t i) {
  const size_t value = function_.ops[begin].first_result + i;
  const Layout &made = variant.plan.made(value), &wanted = variant.plan.layouts[value];
  if (made == wanted) return;
  Row row;
  for (size_t o = begin; o < end; ++o) row.push_back(variant.copies[function_.ops[o].first_result + i].at(made));
  row = in_layout(variant, row, made, wanted, values_[value].type);
  for (size_t o = begin; o < end; ++o)
    variant.copies[function_.ops[o].first_result + i][wanted] = std::move(row[o - begin]);
}

// A value on no device may have been made by another variant.
std::map<Layout, Copies>& DataSplitter::copies_of(SplitVariant& variant, ValueId id) {
  const size_t value             = ir::index(id);
  std::map<Layout, Copies>& here = variant.copies[value];
  SplitVariant& maker            = ways_[variant_of_value(value)];
  if (here.empty() && &maker != &variant) here.emplace(Layout::whole(), maker.copies[value].at(Layout::whole()));
  return here;
}

// Provides operand `i` of a row in the layouts that its ops need, unless an earlier op needed it so. Values with the
// same layouts are converted together.
void DataSplitter::bring(SplitVariant& variant, size_t begin, size_t end, size_t i) {
  std::map<std::tuple<Layout, Layout, size_t>, std::vector<ValueId>> together;  // by layout, wanted layout, copies
  for (size_t o = begin; o < end; ++o) {
    const ValueId id = function_.inputs(function_.ops[o])[i];
    if (id == ValueId::none) continue;
    const auto& known    = copies_of(variant, id);
    const Layout& wanted = variant.plan.decisions[o].inputs[i];
    if (known.contains(wanted)) continue;
    const Layout made = known.contains(Layout::whole()) ? Layout::whole() : variant.plan.layouts[ir::index(id)];
    auto& ids         = together[{made, wanted, known.at(made).size()}];
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  }
  for (const auto& [key, ids] : together) {
    const auto& [made, wanted, count] = key;
    Row row;
    for (const ValueId id : ids) row.push_back(variant.copies[ir::index(id)].at(made));
    row = converted(variant, std::move(row), made, wanted, ids[0]);
    for (size_t member = 0; member < ids.size(); ++member)
      variant.copies[ir::index(ids[member])][wanted] = std::move(row[member]);
  }
}

Row DataSplitter::converted(SplitVariant& variant, Row row, const Layout& from, const Layout& to, ValueId id) {
  const ir::Type& type = values_[ir::index(id)].type;
  const bool sums      = from.is_partial() && !to.is_partial() && of_weights_[ir::index(id)];
  const bool casts = sums && variant.reduce_dtype && ir::is_float(type.dtype) && type.dtype != *variant.reduce_dtype;
  if (casts) cast(row, *variant.reduce_dtype);
  row = sums && to.is_whole() ? summed(variant, std::move(row)) : in_layout(variant, row, from, to, type);
  if (casts) cast(row, type.dtype);
  return row;
}

// A value on no device is cut by each way, which takes a part that no other way has.
Row DataSplitter::in_layout(const SplitVariant& variant, const Row& row, const Layout& from, const Layout& to,
                            const ir::Type& type) {
  if (to.is_split() && row.front().size() == 1) says_all_ = says_all_ && variant.written == variant.ways;
  return convert(builder_, row, from, to, type, variant.all_ways(), variant.shrinks);
}

Row DataSplitter::summed(const SplitVariant& variant, Row row) {
  const ir::Attributes attributes = of_ways({{std::string(kOfCopies), int64_t{1}}}, variant.all_ways());
  for (Copies& copies : row) {
    const size_t written = copies.size();
    copies               = builder_.emit("MPIAllreduce", copies, attributes, written);
  }
  return row;
}

void DataSplitter::cast(Row& row, ir::DType dtype) {
  for (Copies& copies : row) {
    for (ValueId& copy : copies)
      copy = builder_.op("Cast", {copy}, {{"to", std::string(ir::name(dtype))}, {std::string(kOfSum), int64_t{1}}});
  }
}

// Writes op `o` for one way. Constants, and values computed from constants alone, live on no device: one copy serves
// all ways.
void DataSplitter::write(SplitVariant& variant, size_t o, int way) {
  const auto inputs        = function_.inputs(function_.ops[o]);
  const Decision& decision = variant.plan.decisions[o];
  std::vector<const Copies*> operands;
  for (size_t i = 0; i < inputs.size(); ++i)
    operands.push_back(inputs[i] == ValueId::none ? nullptr : &copies_of(variant, inputs[i]).at(decision.inputs[i]));
  const bool placed = std::any_of(operands.begin(), operands.end(),
                                  [](const Copies* copies) { return copies != nullptr && copies->size() > 1; });
  if (way > 0 && !placed) return;
  const ir::Op& op = function_.ops[o];
  std::vector<ValueId> chosen(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    const bool left_out = operands[i] == nullptr || (decision.once == static_cast<int32_t>(i) && way > 0);
    chosen[i] = left_out ? ValueId::none : (*operands[i])[operands[i]->size() == 1 ? 0 : static_cast<size_t>(way)];
  }
  const size_t first =
      ir::index(builder_.append(op.def, op.callee, attributes(variant, o, way), chosen, op.result_count));
  for (uint32_t i = 0; i < op.result_count; ++i) {
    const auto id          = static_cast<ValueId>(first + i);
    const std::string& own = function_.values[op.first_result + i].name;
    builder_.set_name(id, placed ? name_of_part(own, variant, way) : own);
    variant.copies[op.first_result + i][variant.plan.made(op.first_result + i)].push_back(id);
  }
}

ir::AttributesRef DataSplitter::attributes(const SplitVariant& variant, size_t o, int way) {
  if (of_every_way_[o] != nullptr) return of_every_way_[o];
  const ir::Op& op         = function_.ops[o];
  const Decision& decision = variant.plan.decisions[o];
  if (ir::names_devices(op))
    return builder_.share(
        ir::with_devices(op, [&](const ir::Device& device) { return on_way(device, way, variant.group); }));
  const OpTypes types(function_, op, values_);
  if (auto rows = attributes_of_rows(types.call(), decision, variant.ways, way)) {
    says_all_ = says_all_ && variant.written == variant.ways;
    return builder_.share(*std::move(rows));
  }
  of_every_way_[o] = builder_.share(local_attributes(types.call(), decision, types.outputs, variant.ways));
  return of_every_way_[o];
}

size_t DataSplitter::op_of_value(size_t value) const {
  for (size_t o = 0; o < function_.ops.size(); ++o) {
    const ir::Op& op = function_.ops[o];
    if (value >= function_.parameters.size()) {
      if (value - op.first_result < op.result_count) return o;
      continue;
    }
    const auto inputs = function_.inputs(op);
    const bool reads  = std::find(inputs.begin(), inputs.end(), static_cast<ValueId>(value)) != inputs.end();
    if (reads && !is_transfer(o)) return o;
  }
  return 0;
}

void DataSplitter::result(size_t i, std::vector<ValueId>& results) {
  const ValueId id      = function_.results[i];
  SplitVariant& variant = ways_[variant_of_value(ir::index(id))];
  const Layout made     = variant.plan.layouts[ir::index(id)];
  const Layout layout   = made.is_partial() ? Layout::whole() : made;
  auto& known           = variant.copies[ir::index(id)];
  if (!known.contains(layout)) {
    known[layout] = in_layout(variant, {known.at(made)}, made, layout, values_[ir::index(id)].type)[0];
    note(op_of_value(ir::index(id)));
  }
  add_result(results, distributed_.results, i, layout, known.at(layout), variant.written);
}

}  // namespace foreflow::transform
