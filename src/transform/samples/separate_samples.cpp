#include <algorithm>
#include <map>

#include "foreflow/ir/builder.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/samples.h"
#include "transform/rewrite/copy.h"
#include "transform/rewrite/elementwise.h"
#include "transform/rewrite/op_types.h"
#include "transform/samples/sample_gathers.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;
using Ints = std::vector<int64_t>;

// In which form an op takes an operand.
enum class SampleForm : uint8_t {
  whole,    // as it is
  one,      // the part of one sample
  repeated  // the part of one sample, repeated for the samples of another operand
};

// How an op of the data is written.
struct SamplePlan {
  std::vector<SampleForm> forms;  // per operand
  SampleGather gather = SampleGather::none;
  ValueId like        = ValueId::none;  // the operand or parameter that tells the number of samples
};

class SampleSeparator {
 public:
  SampleSeparator(const ir::Module& module, const ir::OpTable& ops, const SampleValues& values)
      : module_(module),
        function_(module.entry()),
        values_(values),
        builder_(function_.name, ops),
        whole_(function_.values.size()),
        one_(function_.values.size()),
        needs_whole_(function_.values.size()),
        needs_one_(function_.values.size()),
        maker_(function_.values.size(), nullptr) {}

  std::optional<ir::Module> run() {
    bool changes = false;
    for (const ir::Op& op : function_.ops) {
      for (uint32_t i = 0; i < op.result_count; ++i) maker_[op.first_result + i] = &op;
      plans_.push_back(plan(op));
      const SamplePlan& made = plans_.back();
      changes =
          changes || made.gather != SampleGather::none ||
          std::any_of(made.forms.begin(), made.forms.end(), [](SampleForm form) { return form != SampleForm::whole; });
    }
    if (!changes || !find_needs()) return std::nullopt;
    copy_parameters(builder_, function_, whole_);
    for (size_t o = 0; o < function_.ops.size(); ++o) write(o);
    std::vector<ValueId> results;
    for (const ValueId id : function_.results) results.push_back(whole_(id));
    ir::Module result       = module_;
    result.functions.back() = builder_.finish(std::move(results));
    ir::verify(result);
    return result;
  }

 private:
  bool is_data(ValueId id) const { return values_.content(id) == Content::data; }
  bool is_of_data(const ir::Op& op) const { return op.result_count == 0 || is_data(function_.output(op, 0)); }

  // --- what is wanted

  SamplePlan plan(const ir::Op& op) const {
    const auto inputs = function_.inputs(op);
    SamplePlan plan{std::vector<SampleForm>(inputs.size(), SampleForm::whole)};
    if (op.is_call() || !is_of_data(op)) return plan;
    plan.like = counting_operand(inputs);
    plan.gather =
        plan.like == ValueId::none ? SampleGather::none : find_sample_gather(function_, op, maker_of(inputs), values_);
    if (plan.gather != SampleGather::none) return plan;
    std::vector<size_t> same;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (values_.content(inputs[i]) == Content::same) same.push_back(i);
    }
    if (same.empty()) return plan;
    const bool broadcasts = takes_one(op, same);
    for (const size_t i : same) {
      if (broadcasts || plan.like != ValueId::none) plan.forms[i] = broadcasts ? SampleForm::one : SampleForm::repeated;
    }
    return plan;
  }

  const ir::Op* maker_of(std::span<const ValueId> inputs) const {
    return inputs.size() < 2 || inputs[1] == ValueId::none ? nullptr : maker_[ir::index(inputs[1])];
  }

  // A value with a dimension that has one element for each sample: one of the operands, or else a parameter.
  ValueId counting_operand(std::span<const ValueId> inputs) const {
    const auto counts = [&](ValueId id) {
      const auto dim = id != ValueId::none && is_data(id) ? values_.dim_of(id) : std::nullopt;
      return dim && dim->per == 1;
    };
    for (const ValueId id : inputs) {
      if (counts(id)) return id;
    }
    for (size_t i = 0; i < function_.parameters.size(); ++i) {
      if (counts(static_cast<ValueId>(i))) return static_cast<ValueId>(i);
    }
    return ValueId::none;
  }

  // True if the op gives the same results when the operands `same` are replaced by their parts of one sample, which it
  // broadcasts.
  bool takes_one(const ir::Op& op, const std::vector<size_t>& same) const {
    OpTypes types(function_, op, values_.whole.entry().values);
    if (!is_elementwise(types.call())) return false;
    for (const size_t i : same) {
      if (values_.dim_of(function_.inputs(op)[i])->per != 1) return false;
      types.inputs[i] = values_.one_of(function_.inputs(op)[i]).type;
      types.known[i]  = nullptr;
    }
    try {
      return op.def->infer(types.call()) == types.outputs;
    } catch (const Error&) {
      return false;
    }
  }

  // Marks the values that are needed as a whole, and the values of which the part of one sample is needed. False if the
  // part of a sample depends on a shape that is not known.
  bool find_needs() {
    for (const ValueId id : function_.results) need_whole(id);
    for (size_t o = function_.ops.size(); o-- > 0;) {
      const ir::Op& op  = function_.ops[o];
      const auto inputs = function_.inputs(op);
      if (op.is_call() || is_of_data(op)) {
        need_operands(op, plans_[o]);
        continue;
      }
      bool whole = false, one = false;
      for (uint32_t i = 0; i < op.result_count; ++i) {
        whole = whole || needs_whole_[op.first_result + i];
        one   = one || needs_one_[op.first_result + i];
      }
      for (const ValueId id : inputs) {
        if (whole) need_whole(id);
        if (one && op.def->role != ir::Role::shape) need_one(id);
      }
      if (one && op.def->role == ir::Role::shape && !values_.one_of(function_.output(op, 0)).known) return false;
    }
    return true;
  }

  void need_whole(ValueId id) {
    if (id != ValueId::none) needs_whole_[ir::index(id)] = true;
  }
  void need_one(ValueId id) {
    if (id == ValueId::none) return;
    (values_.same_for_all_b[ir::index(id)] ? needs_whole_ : needs_one_)[ir::index(id)] = true;
  }

  void need_operands(const ir::Op& op, const SamplePlan& plan) {
    const auto inputs = function_.inputs(op);
    if (plan.gather == SampleGather::none) {
      for (size_t i = 0; i < inputs.size(); ++i)
        plan.forms[i] == SampleForm::whole ? need_whole(inputs[i]) : need_one(inputs[i]);
      return;
    }
    need_whole(inputs[0]);
    if (plan.gather == SampleGather::joined) {
      const ValueId rest = function_.inputs(*maker_of(inputs))[1];
      is_data(rest) ? need_whole(rest) : need_one(rest);
    } else if (plan.gather == SampleGather::merged_row) {
      need_whole(row_of_sample(function_, op, maker_of(inputs), values_));
    } else {
      need_one(inputs[1]);
    }
  }

  // --- how it is written

  void write(size_t o) {
    const ir::Op& op = function_.ops[o];
    if (op.is_call() || is_of_data(op)) return write_of_data(op, plans_[o]);
    bool whole = false, one = false;
    for (uint32_t i = 0; i < op.result_count; ++i) {
      whole = whole || needs_whole_[op.first_result + i];
      one   = one || needs_one_[op.first_result + i];
    }
    if (whole) copy_op(builder_, function_, op, whole_);
    if (one) write_one(op);
  }

  ValueId one(ValueId id) const {
    if (id == ValueId::none) return id;
    return values_.same_for_all_b[ir::index(id)] ? whole_(id) : one_(id);
  }

  void write_one(const ir::Op& op) {
    if (op.def->role == ir::Role::shape) {
      const ValueId id = function_.output(op, 0);
      one_.set(id, builder_.emit("Constant", {}, {{"value", *values_.one_of(id).known}})[0]);
      return;
    }
    std::vector<ValueId> operands;
    for (const ValueId id : function_.inputs(op)) operands.push_back(one(id));
    const size_t first = ir::index(builder_.append(op.def, op.callee, op.attributes, operands, op.result_count));
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const auto made         = static_cast<ValueId>(first + i);
      const std::string& name = function_.values[op.first_result + i].name;
      builder_.set_name(made, name.empty() ? name : name + "_sample");
      one_.set(function_.output(op, i), made);
    }
  }

  // The part of one sample, repeated along `dim` for the samples of `like`.
  ValueId repeated(ValueId part, size_t dim, ValueId like) {
    ValueId& made = repeated_.try_emplace({part, like}, ValueId::none).first->second;
    if (made == ValueId::none) {
      const auto like_dim = static_cast<int64_t>(values_.dim_of(like)->dim);
      made =
          builder_.op("RepeatLike", {part, whole_(like)}, {{"dim", static_cast<int64_t>(dim)}, {"like_dim", like_dim}});
    }
    return made;
  }

  void write_of_data(const ir::Op& op, const SamplePlan& plan) {
    if (plan.gather != SampleGather::none) return write_gather(op, plan);
    const auto inputs = function_.inputs(op);
    std::vector<ValueId> operands;
    for (size_t i = 0; i < inputs.size(); ++i) {
      switch (plan.forms[i]) {
        case SampleForm::whole: operands.push_back(whole_(inputs[i])); break;
        case SampleForm::one: operands.push_back(one(inputs[i])); break;
        case SampleForm::repeated:
          operands.push_back(repeated(one(inputs[i]), values_.dim_of(inputs[i])->dim, plan.like));
          break;
      }
    }
    const size_t first = ir::index(builder_.append(op.def, op.callee, op.attributes, operands, op.result_count));
    for (uint32_t i = 0; i < op.result_count; ++i) name(function_.output(op, i), static_cast<ValueId>(first + i));
  }

  void name(ValueId old, ValueId made) {
    builder_.set_name(made, function_.value(old).name);
    builder_.annotate(made, function_.value(old).annotation);
    whole_.set(old, made);
  }

  void write_gather(const ir::Op& op, const SamplePlan& plan) {
    const ValueId result = function_.output(op, 0);
    switch (plan.gather) {
      case SampleGather::merged_rows: return name(result, rows(op));
      case SampleGather::merged_row: return name(result, row(op));
      default: return name(result, tuples(function_.inputs(op), plan));
    }
  }

  // x[b,..] and the indices that follow b.
  ValueId tuples(std::span<const ValueId> inputs, const SamplePlan& plan) {
    ValueId indices = ValueId::none;
    if (plan.gather == SampleGather::joined) {
      const ValueId rest = function_.inputs(*maker_of(inputs))[1];
      indices            = is_data(rest) ? whole_(rest) : repeated(one(rest), 0, inputs[0]);
    } else {
      const int64_t depth = values_.whole_of(inputs[1]).type.dims.back();
      const ValueId part =
          builder_.op("Slice", {one(inputs[1])}, {{"starts", Ints{1}}, {"ends", Ints{depth}}, {"axes", Ints{-1}}});
      indices = repeated(part, 0, inputs[0]);
    }
    return builder_.op("GatherND", {whole_(inputs[0]), indices}, {{"batch_dims", int64_t{1}}});
  }

  // x[b*c,..] as x[b,c,..].
  ValueId rows_apart(ValueId x) {
    const ir::Dims& from = values_.whole_of(x).type.dims;
    Ints split{-1, values_.dim_of(x)->per};
    split.insert(split.end(), from.begin() + 1, from.end());
    return builder_.op("Reshape", {whole_(x)}, {{"shape", split}});
  }

  // Row row[b] of x[b,c,..].
  ValueId row(const ir::Op& op) {
    const auto inputs   = function_.inputs(op);
    const ValueId row   = row_of_sample(function_, op, maker_of(inputs), values_);
    const ValueId index = builder_.op("Unsqueeze", {whole_(row)}, {{"axes", Ints{1}}});
    return builder_.op("GatherND", {rows_apart(inputs[0]), index}, {{"batch_dims", int64_t{1}}});
  }

  // x[b*c,..] as x[b,c,..], gathered along c.
  ValueId rows(const ir::Op& op) {
    const auto inputs  = function_.inputs(op);
    const ir::Dims& to = values_.whole_of(function_.output(op, 0)).type.dims;
    Ints result(to.begin(), to.end());
    result[0]          = -1;
    const ValueId view = rows_apart(inputs[0]);
    const ValueId made = builder_.op("Gather", {view, one(inputs[1])}, {{"axis", int64_t{1}}});
    return builder_.op("Reshape", {made}, {{"shape", result}});
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const SampleValues& values_;
  ir::FunctionBuilder builder_;
  ValueMap whole_, one_;
  std::vector<bool> needs_whole_, needs_one_;
  std::vector<const ir::Op*> maker_;
  std::vector<SamplePlan> plans_;  // per op
  std::map<std::pair<ValueId, ValueId>, ValueId> repeated_;
};

}  // namespace

ir::Module separate_samples(const ir::Module& module, const ir::OpTable& ops, const OtherBatches& others) {
  const auto values = find_sample_values(module, others);
  if (!values) return module;
  return SampleSeparator(module, ops, *values).run().value_or(module);
}

}  // namespace foreflow::transform
