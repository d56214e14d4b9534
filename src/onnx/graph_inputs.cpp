#include "onnx/graph_inputs.h"

#include <map>
#include <optional>

#include "foreflow/interpret/types.h"
#include "foreflow/ir/text.h"
#include "onnx/message.h"
#include "onnx/names.h"
#include "onnx/port.h"
#include "onnx/subgraphs.h"

namespace foreflow::onnx {
namespace {

using ir::Array;
using ir::ValueId;
using onnx_proto::ValueInfoProto;

// The entry of an input in a map, under its name in the file or in the program.
template <class T>
const T* given_for(const std::map<std::string, T>& given, const std::string& name) {
  const auto found = given.find(name);
  if (found != given.end()) return &found->second;
  const auto text = given.find(text_name(name));
  return text == given.end() ? nullptr : &text->second;
}

// Every symbol of the inputs whose size is given, if the program is written out for some sizes.
std::map<std::string, int64_t> sizes_of_symbols(const Scope& main, const std::string& file, const Given& given) {
  if (!has_subgraphs(main.graph) || (given.dims.empty() && given.shapes.empty())) return {};
  std::vector<Port> inputs;
  for (const auto& input : main.graph.input()) {
    if (!main.initializers.contains(input.name()))
      inputs.push_back({input.name(), text_name(input.name()), stated_dimensions(input)});
  }
  return symbol_sizes(inputs, given, file + ": shapes", file + ": dims");
}

class InputReader {
 public:
  InputReader(Scope& main, const std::string& file, const Given& given, Emitter& emitter)
      : main_(main),
        file_(file),
        given_(given),
        emitter_(emitter),
        fixes_shapes_(has_subgraphs(main.graph)),
        symbol_sizes_(sizes_of_symbols(main, file, given)) {}

  std::vector<Port> run() && {
    for (const auto& input : main_.graph.input()) add_input(input);
    return std::move(ports_);
  }

 private:
  void add_input(const ValueInfoProto& input) {
    if (input.name().empty()) throw Error(file_, "a graph input has no name");
    if (main_.initializers.contains(input.name())) return;  // it has a default, as every weight had until IR version 3
    const std::string where = file_ + ": graph input " + quote(input.name());
    const Form form         = form_of(input, where);
    const bool absent       = given_.absent.contains(input.name());
    if (absent && form == Form::tensor) throw Error(where, "is a tensor, which cannot be absent");
    if (absent && is_optional(form)) {
      main_.values[input.name()] = ValueId::none;
    } else {
      main_.values[input.name()] = is_sequence(form) ? sequence_input(input, where) : tensor_input(input, input.name());
    }
  }

  ValueId sequence_input(const ValueInfoProto& input, const std::string& where) {
    std::vector<ValueId> elements;
    for (;;) {
      const std::string name = input.name() + "/" + std::to_string(elements.size());
      if (given_for(given_.inputs, name) == nullptr && given_for(given_.shapes, name) == nullptr) break;
      elements.push_back(tensor_input(input, name));
    }
    if (elements.empty() && !given_.absent.contains(input.name()))
      throw Error(where, "is a sequence of a length that is not known; give the shapes of its elements, " +
                             quote(input.name() + "/0") + " and so on");
    return emitter_.sequence(std::move(elements));
  }

  // A parameter of the stated type: an input, or an element of one that is a sequence.
  ValueId tensor_input(const ValueInfoProto& input, const std::string& name) {
    auto type            = stated_type(input, file_ + ": graph input " + quote(name));
    const Array* numbers = given_for(given_.inputs, name);
    const ir::Dims* dims = numbers != nullptr ? &numbers->dims() : given_for(given_.shapes, name);
    if (fixes_shapes_ && type && dims != nullptr) *type = with_given_shape(*type, *dims, name);
    if (fixes_shapes_ && type && type->is_tensor() && type->ranked) type->dims = with_symbol_sizes(input, type->dims);
    std::optional<Array> converted;
    if (numbers != nullptr && type && numbers->dtype() != type->dtype)
      numbers = &converted.emplace(as_type(*numbers, type->dtype));
    const ValueId id = emitter_.parameter(text_name(name), ir::ParameterRole::data, type, numbers);
    ports_.push_back({name, emitter_.name(id), stated_dimensions(input)});
    return id;
  }

  // The stated dimensions with the sizes of their symbols.
  ir::Dims with_symbol_sizes(const ValueInfoProto& input, ir::Dims dims) const {
    const std::vector<std::string> stated = stated_dimensions(input);
    for (size_t i = 0; i < dims.size() && i < stated.size(); ++i) {
      const auto size = symbol_sizes_.find(stated[i]);
      if (dims[i] == ir::Dims::kUnknown && size != symbol_sizes_.end()) dims[i] = size->second;
    }
    return dims;
  }

  ir::Type with_given_shape(const ir::Type& stated, const ir::Dims& dims, const std::string& input) const {
    try {
      return interpret::refined(stated, ir::Type::tensor(stated.dtype, dims));
    } catch (const Error&) {
      throw Error(file_ + ": graph input " + quote(input),
                  "is given the shape " + ir::to_string(dims) + "; the model states " + ir::to_string(stated.dims));
    }
  }

  Array as_type(const Array& numbers, ir::DType dtype) const {
    const std::vector<ir::Type> types{numbers.type()};
    const std::vector<const Array*> known{&numbers};
    const ir::OpDef& cast = emitter_.table().get("Cast", file_);
    const ir::Attributes to{{"to", std::string(ir::name(dtype))}};
    return cast.eval({cast, to, types, known, 1})[0];
  }

  Scope& main_;
  const std::string& file_;
  const Given& given_;
  Emitter& emitter_;
  const bool fixes_shapes_;  // a program that is written out for some shapes is right for no other ones
  const std::map<std::string, int64_t> symbol_sizes_;
  std::vector<Port> ports_;
};

}  // namespace

std::vector<Port> add_inputs(Scope& main, const std::string& file, const Given& given, Emitter& emitter) {
  return InputReader(main, file, given, emitter).run();
}

}  // namespace foreflow::onnx
