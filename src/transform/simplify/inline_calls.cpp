#include "foreflow/base/nth.h"
#include "foreflow/ir/call_devices.h"
#include "foreflow/ir/text.h"
#include "foreflow/ir/written_out.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/simplify.h"
#include "transform/pass_arguments.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {
namespace {

class Inliner {
 public:
  Inliner(const ir::Module& module, std::vector<bool> inlined) : module_(module), inlined_(std::move(inlined)) {}

  // Callees stand above: what is written out has no more calls to write out.
  ir::Module run() {
    written_.source = module_.source;
    for (size_t f = 0; f < module_.functions.size(); ++f) {
      ir::Function function = rewrite(module_.functions[f]);
      place_.push_back(static_cast<int32_t>(inlined_[f] ? bodies_.size() : written_.functions.size()));
      (inlined_[f] ? bodies_ : written_.functions).push_back(std::move(function));
    }
    return std::move(written_);
  }

 private:
  ir::Function rewrite(const ir::Function& function) {
    ir::FunctionBuilder builder(function.name, no_ops());
    ValueMap map(function.values.size());
    copy_parameters(builder, function, map);
    for (const ir::Op& op : function.ops) {
      if (op.is_call() && nth(inlined_, op.callee)) {
        write_out(builder, function, op, map);
      } else {
        ir::Op kept = op;
        if (op.is_call()) kept.callee = nth(place_, op.callee);
        copy_op(builder, function, kept, map);
      }
    }
    return builder.finish(copies(function.results, map));
  }

  // Results keep the names that the caller has for them.
  void write_out(ir::FunctionBuilder& builder, const ir::Function& caller, const ir::Op& call, ValueMap& map) {
    const ir::Function& body = nth(bodies_, nth(place_, call.callee));
    const auto* stated       = ir::call_devices(call);
    const auto outside       = [&](const ir::Device& device) {
      if (stated == nullptr || !device.placed()) return device;
      if (device.index < 1 || static_cast<size_t>(device.index) > stated->size()) {
        throw Error(ir::describe(module_, caller, call),
                          "states no D" + ir::to_string(device) + " of @" + body.name + "; state a device for each");
      }
      return ir::Device(static_cast<int32_t>(nth(*stated, device.index - 1)), device.stream_name());
    };
    const auto annotation = [&](const ir::TypeRef& type) {
      if (stated == nullptr || type == nullptr) return type;
      return std::make_shared<const ir::Type>(on_devices(*type, outside));
    };
    ValueMap inside(body.values.size());
    for (size_t i = 0; i < body.parameters.size(); ++i) {
      const ir::ValueId argument = map(caller.inputs(call)[i]);
      inside.set(static_cast<ir::ValueId>(i), argument);
      if (argument != ir::ValueId::none && builder.function().value(argument).annotation == nullptr)
        builder.annotate(argument, annotation(body.values[i].annotation));
    }
    for (const ir::Op& op : body.ops) {
      const auto first = static_cast<int32_t>(builder.append(
          op.def, op.callee, stated == nullptr ? op.attributes : builder.share(ir::with_devices(op, outside)),
          copies(body.inputs(op), inside), op.result_count));
      for (uint32_t i = 0; i < op.result_count; ++i)
        inside.set(body.output(op, i), static_cast<ir::ValueId>(first + static_cast<int32_t>(i)));
    }
    for (uint32_t i = 0; i < call.result_count; ++i)
      name_result(builder, caller, call, i, inside(body.results[i]), map);
    for (size_t i = body.parameters.size(); i < body.values.size(); ++i) {
      const ir::ValueId copy = inside(static_cast<ir::ValueId>(i));
      if (builder.function().value(copy).name.empty()) builder.set_name(copy, body.values[i].name);
      if (builder.function().value(copy).annotation == nullptr)
        builder.annotate(copy, annotation(body.values[i].annotation));
    }
  }

  template <class Rename>
  static ir::Type on_devices(ir::Type type, const Rename& rename) {
    type.device = rename(type.device);
    for (ir::Type& element : type.elements) element = on_devices(std::move(element), rename);
    return type;
  }

  static void name_result(ir::FunctionBuilder& builder, const ir::Function& caller, const ir::Op& call, size_t i,
                          ir::ValueId copy, ValueMap& map) {
    const ir::Value& old = caller.value(caller.output(call, i));
    map.set(caller.output(call, i), copy);
    if (builder.function().value(copy).name.empty()) builder.set_name(copy, old.name);
    if (builder.function().value(copy).annotation == nullptr) builder.annotate(copy, old.annotation);
  }

  const ir::Module& module_;
  const std::vector<bool> inlined_;  // per function
  std::vector<int32_t> place_;       // per function: its index in bodies_ or written_
  std::vector<ir::Function> bodies_;
  ir::Module written_;
};

}  // namespace

ir::Module inline_calls(const ir::Module& module, std::string_view name) {
  std::vector<bool> inlined(module.functions.size(), name.empty());
  if (!name.empty()) inlined[ir::find_entry(module, name)] = true;
  if (inlined.back() && !name.empty())
    throw Error("--pass: function",
                "@" + std::string(name) + " is the entry, which is never called; name a function that is called");
  inlined.back() = false;
  ir::check_written_out(module, ir::kMostOpsCopied, "inlining them", inlined);
  ir::Module result = Inliner(module, std::move(inlined)).run();
  ir::verify(result);
  return result;
}

namespace definitions::inline_calls {
PassDef row() {
  return {"inline",
          "write the bodies of functions in place of their calls: function=NAME, or all",
          {"function"},
          [](const ir::Module& module, const ir::OpTable&, const PassArguments& arguments) {
            const std::string name = word_argument(arguments, "function", "all");
            return transform::inline_calls(module, name == "all" ? "" : name);
          }};
}
}  // namespace definitions::inline_calls

}  // namespace foreflow::transform
