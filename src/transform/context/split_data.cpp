// Splits the data over ways, which exchange those parts that an op needs from other ways. With two ways and experts:
//
//   func @f(%w, %x) {              func @f(%w.s1, %w.s2, %x.s1, %x.s2) {
//     %y = MatMul(%x, %w)    ->      %a, %b = MPIAlltoall([%x.s1, %x.s2])   // %a: all tokens of half of the experts
//     ..                             %y.s1 = MatMul(%a, %w.s1)              // %w.s1: these experts
//                                    %y.s2 = MatMul(%b, %w.s2)
//                                    ..
#include "foreflow/transform/split_data.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "foreflow/base/refusal.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ir/call_devices.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/pieces.h"
#include "transform/context/attention_layouts.h"
#include "transform/context/data_split_plan.h"
#include "transform/context/ring_attention.h"
#include "transform/layout/reshard_row.h"
#include "transform/pass_arguments.h"
#include "transform/rewrite/op_types.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

class DataSplitter {
 public:
  DataSplitter(const ir::Module& module, const ir::OpTable& ops, int ways, const DataSplit& split)
      : module_(module),
        function_(module.entry()),
        interpretation_(interpret::interpret_mixed(module, module.functions.size() - 1)),
        values_(interpretation_.entry().values),
        plan_(plan_data_split(module, values_, ways, split)),
        ways_(ways),
        shrinks_(split.dim == 0 ? Shrinks::rest : Shrinks::blocks),
        builder_(function_.name, ops),
        copies_(function_.values.size()) {}

  Distributed run() {
    for (const interpret::Mixed& value : values_) group_ = std::max(group_, ir::device_of(value.type).index);
    for (size_t i = 0; i < function_.parameters.size(); ++i) parameter(i);
    for (size_t begin = 0; begin < function_.ops.size();) {
      const size_t end = end_of_row(begin);
      write(begin, end);
      begin = end;
    }
    std::vector<ValueId> results;
    for (size_t i = 0; i < function_.results.size(); ++i) result(i, results);
    distributed_.module.source = module_.source;
    distributed_.module.functions.push_back(builder_.finish(std::move(results)));
    ir::verify(distributed_.module);
    return std::move(distributed_);
  }

 private:
  std::string name(const std::string& of, int way) const {
    return of.empty() ? of : of + ".s" + std::to_string(way + 1);
  }

  ir::Device on_way(ir::Device device, int way) const {
    if (device.placed()) device.index += way * group_;
    return device;
  }

  void parameter(size_t i) {
    const Layout& layout = plan_.layouts[i];
    for (int way = 0; way < ways_; ++way) {
      const ir::Type local = local_type(values_[i].type, layout, ways_);
      ir::Device device    = ir::device_of(local);
      if (!device.placed()) device = ir::Device(1);
      copies_[i][layout].push_back(builder_.parameter(name(function_.values[i].name, way), function_.parameters[i],
                                                      ir::moved(local, on_way(device, way))));
      distributed_.parameters.push_back({static_cast<int32_t>(i), layout, ways_, way});
    }
  }

  // A row is one op on all devices of a tensor-parallel group: its copies stand next to each other in the program, and
  // are written next to each other for every way. Returns the end of the row that begins at op `begin`.
  size_t end_of_row(size_t begin) const {
    const auto device = [&](size_t o) { return ir::device_of(values_[function_.ops[o].first_result].type); };
    const auto reads  = [&](const ir::Op& op, uint32_t from) {
      const auto inputs = function_.inputs(op);
      return std::any_of(inputs.begin(), inputs.end(),
                          [&](ValueId id) { return id != ValueId::none && ir::index(id) >= from; });
    };
    size_t end = begin + 1;
    for (; end < function_.ops.size(); ++end) {
      const ir::Op &op = function_.ops[end], &before = function_.ops[end - 1];
      if (op.def != before.def || op.operand_count != before.operand_count || op.result_count == 0 ||
          before.result_count == 0)
        break;
      if (!(device(end - 1) < device(end)) || reads(op, function_.ops[begin].first_result)) break;
    }
    return end;
  }

  void write(size_t begin, size_t end) {
    const size_t arity = function_.ops[begin].operand_count;
    for (size_t i = 0; i < arity; ++i) bring(begin, end, i);
    if (plan_.rings.contains(begin)) {
      write_ring(begin, end);
      return;
    }
    for (int way = 0; way < ways_; ++way) {
      for (size_t o = begin; o < end; ++o) write(o, way);
    }
    for (uint32_t i = 0; i < function_.ops[begin].result_count; ++i) turn(begin, end, i);
  }

  // Writes a row of attention ops, whose members are all handled in the same way.
  void write_ring(size_t begin, size_t end) {
    const ir::Op& first = function_.ops[begin];
    std::vector<Row> inputs(first.operand_count);
    for (size_t i = 0; i < inputs.size(); ++i) {
      for (size_t o = begin; o < end; ++o) {
        const ValueId id = function_.inputs(function_.ops[o])[i];
        if (id != ValueId::none) inputs[i].push_back(copies_[ir::index(id)].at(plan_.decisions[o].inputs[i]));
      }
    }
    const OpTypes types(function_, first, values_);
    const ir::OpCall call = types.call();
    const bool forward    = first.def->name == "BlockAttention";
    const RingSite site{call, inputs, plan_.decisions[begin].inputs[1].blocks};
    std::vector<Row> results =
        forward ? ring_attention(builder_, site, ways_) : ring_attention_grad(builder_, site, ways_);
    for (size_t o = begin; o < end; ++o) {
      for (uint32_t i = 0; i < first.result_count; ++i) {
        const size_t value = function_.ops[o].first_result + i;
        Copies& copies     = results[i][o - begin];
        for (size_t way = 0; way < copies.size(); ++way)
          builder_.set_name(copies[way], name(function_.values[value].name, static_cast<int>(way)));
        copies_[value][plan_.layouts[value]] = std::move(copies);
      }
    }
  }

  // Converts result `i` of a row from the layout in which its ops compute it to the one that the plan wants at once.
  void turn(size_t begin, size_t end, uint32_t i) {
    const size_t value = function_.ops[begin].first_result + i;
    const Layout &made = plan_.made(value), &wanted = plan_.layouts[value];
    if (made == wanted) return;
    Row row;
    for (size_t o = begin; o < end; ++o) row.push_back(copies_[function_.ops[o].first_result + i].at(made));
    row = convert(builder_, row, made, wanted, values_[value].type, ways_, shrinks_);
    for (size_t o = begin; o < end; ++o) copies_[function_.ops[o].first_result + i][wanted] = std::move(row[o - begin]);
  }

  // Provides operand `i` of a row in the layouts that its ops need, unless an earlier op needed it so. Values with the
  // same layouts are converted together.
  void bring(size_t begin, size_t end, size_t i) {
    std::map<std::tuple<Layout, Layout, size_t>, std::vector<ValueId>> together;  // by layout, wanted layout, copies
    for (size_t o = begin; o < end; ++o) {
      const ValueId id = function_.inputs(function_.ops[o])[i];
      if (id == ValueId::none) continue;
      const auto& known    = copies_[ir::index(id)];
      const Layout& wanted = plan_.decisions[o].inputs[i];
      if (known.contains(wanted)) continue;
      const Layout made = known.contains(Layout::whole()) ? Layout::whole() : plan_.layouts[ir::index(id)];
      auto& ids         = together[{made, wanted, known.at(made).size()}];
      if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    }
    for (const auto& [key, ids] : together) {
      const auto& [made, wanted, count] = key;
      Row row;
      for (const ValueId id : ids) row.push_back(copies_[ir::index(id)].at(made));
      row = convert(builder_, row, made, wanted, values_[ir::index(ids[0])].type, ways_, shrinks_);
      for (size_t member = 0; member < ids.size(); ++member)
        copies_[ir::index(ids[member])][wanted] = std::move(row[member]);
    }
  }

  // Writes op `o` for one way. Constants, and values computed from constants alone, live on no device: one copy serves
  // all ways.
  void write(size_t o, int way) {
    const auto inputs = function_.inputs(function_.ops[o]);
    std::vector<const Copies*> operands;
    for (size_t i = 0; i < inputs.size(); ++i)
      operands.push_back(inputs[i] == ValueId::none ? nullptr
                                                    : &copies_[ir::index(inputs[i])].at(plan_.decisions[o].inputs[i]));
    const bool placed = std::any_of(operands.begin(), operands.end(),
                                    [](const Copies* copies) { return copies != nullptr && copies->size() > 1; });
    if (way > 0 && !placed) return;
    const ir::Op& op         = function_.ops[o];
    const Decision& decision = plan_.decisions[o];
    std::vector<ValueId> chosen(operands.size());
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool left_out = operands[i] == nullptr || (decision.once == static_cast<int32_t>(i) && way > 0);
      chosen[i] = left_out ? ValueId::none : (*operands[i])[operands[i]->size() == 1 ? 0 : static_cast<size_t>(way)];
    }
    const size_t first =
        ir::index(builder_.append(op.def, op.callee, attributes(op, decision, way), chosen, op.result_count));
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const auto id          = static_cast<ValueId>(first + i);
      const std::string& own = function_.values[op.first_result + i].name;
      builder_.set_name(id, placed ? name(own, way) : own);
      copies_[op.first_result + i][plan_.made(op.first_result + i)].push_back(id);
    }
  }

  ir::AttributesRef attributes(const ir::Op& op, const Decision& decision, int way) {
    if (ir::names_devices(op))
      return builder_.share(ir::with_devices(op, [&](const ir::Device& device) { return on_way(device, way); }));
    const OpTypes types(function_, op, values_);
    if (auto rows = attributes_of_rows(types.call(), decision, ways_, way)) return builder_.share(*std::move(rows));
    return builder_.share(local_attributes(types.call(), decision, types.outputs, ways_));
  }

  void result(size_t i, std::vector<ValueId>& results) {
    const ValueId id    = function_.results[i];
    const Layout made   = plan_.layouts[ir::index(id)];
    const Layout layout = made.is_partial() ? Layout::whole() : made;
    auto& known         = copies_[ir::index(id)];
    if (!known.contains(layout))
      known[layout] =
          convert(builder_, {known.at(made)}, made, layout, values_[ir::index(id)].type, ways_, shrinks_)[0];
    add_result(results, distributed_.results, i, layout, known.at(layout), ways_);
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const interpret::MixedInterpretation interpretation_;
  const interpret::Values<interpret::Mixed>& values_;
  const DataSplitPlan plan_;
  const int ways_;
  const Shrinks shrinks_;
  ir::FunctionBuilder builder_;
  int32_t group_ = 1;                             // devices of one way
  std::vector<std::map<Layout, Copies>> copies_;  // per value
  Distributed distributed_;
};

}  // namespace

Distributed split_data(const ir::Module& module, const ir::OpTable& ops, int ways, const DataSplit& split) {
  const ir::Function& function = module.entry();
  for (const ir::Op& op : function.ops) {
    if (op.is_call())
      throw RefusalError(Cause::program, ir::describe(module, function, op),
                         "split_data works on a program without calls");
  }
  return DataSplitter(module, ops, ways, split).run();
}

namespace {
constexpr std::array<std::string_view, 4> kContextAttention = {"all_gather", "ring", "striped_ring", "all_to_all"};
}  // namespace

std::vector<std::string> context_attention_names() { return {kContextAttention.begin(), kContextAttention.end()}; }

std::string_view name(ContextAttention attention) { return kContextAttention[static_cast<size_t>(attention)]; }

ContextAttention context_attention_named(std::string_view name, const std::string& place) {
  const auto found = std::find(kContextAttention.begin(), kContextAttention.end(), name);
  if (found != kContextAttention.end()) return static_cast<ContextAttention>(found - kContextAttention.begin());
  throw Error(place,
              "\"" + std::string(name) + "\" is no way to share attention; use " + list_or(context_attention_names()));
}

std::vector<DataSplitStep> data_split_steps(int cp, int ep, int64_t blocks, ContextAttention attention) {
  constexpr int32_t kSamples = 0, kPositions = 1;
  const int shared = std::gcd(ep, cp);
  std::vector<DataSplitStep> steps;
  for (const DataSplitStep& step : {DataSplitStep{shared, {kPositions, true, blocks, attention}},
                                    DataSplitStep{cp / shared, {kPositions, false, blocks, attention}},
                                    DataSplitStep{replicas_in_group(cp, ep), {kSamples, true}}}) {
    if (step.ways > 1) steps.push_back(step);
  }
  return steps;
}

namespace definitions::split_data {
PassDef row() {
  return {
      "split_data",
      "split the data along a dimension (0: samples, 1: positions) over ways that exchange what they need of each "
      "other: context parallelism; experts=true splits experts too; blocks=n where sequence parallelism cuts positions "
      "in n parts; attention=ring, striped_ring or all_to_all instead of all_gather, for attention made one op by "
      "fuse_attention",
      {"ways", "dimension", "experts", "blocks", "attention"},
      [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
        const DataSplit how{static_cast<int32_t>(integer_argument(arguments, "dimension", 1)),
                            flag_argument(arguments, "experts"), degree_argument(arguments, "blocks", 1),
                            context_attention_named(word_argument(arguments, "attention", "all_gather"),
                                                    "--pass split_data: attention")};
        return transform::split_data(module, ops, degree_argument(arguments, "ways", 1), how).module;
      }};
}
}  // namespace definitions::split_data

}  // namespace foreflow::transform
