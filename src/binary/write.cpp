#include <map>
#include <unordered_map>

#include "binary/file.h"
#include "distir.pb.h"
#include "foreflow/binary/distirb.h"

namespace foreflow::binary {
namespace {

namespace pb = distir_proto;

// Fills one Module. Whatever occurs often stands once in a table, numbered from 1 in the order of first use.
class DistirbEncoder {
 public:
  explicit DistirbEncoder(const ir::Module& module) {
    for (const ir::Function& function : module.functions) write(function, *message_.add_functions());
  }

  std::string take() const { return message_.SerializeAsString(); }

 private:
  uint32_t number_of(std::string_view text) {
    if (text.empty()) return 0;
    if (const auto known = strings_.find(text); known != strings_.end()) return known->second;
    std::string& entry = *message_.add_strings();  // it stays where it is
    entry              = text;
    return strings_.emplace(entry, message_.strings_size()).first->second;
  }

  // Equal messages have equal bytes.
  template <class Message>
  static uint32_t number_of(Message made, std::map<std::string, uint32_t>& known,
                            google::protobuf::RepeatedPtrField<Message>& table) {
    const auto [entry, fresh] = known.emplace(made.SerializeAsString(), table.size() + 1);
    if (fresh) *table.Add() = std::move(made);
    return entry->second;
  }

  // `look_up` is called once for each object; programs share them.
  template <class T, class LookUp>
  static uint32_t once(std::unordered_map<const T*, uint32_t>& seen, const T* object, LookUp look_up) {
    const auto known = seen.find(object);
    return known != seen.end() ? known->second : seen.emplace(object, look_up()).first->second;
  }

  uint32_t number_of(const ir::OpDef* op) {
    return once(seen_ops_, op, [&] {
      pb::OpName& row = *message_.add_ops();
      row.set_name(number_of(op->name));
      row.set_domain(number_of(op->domain));
      return static_cast<uint32_t>(message_.ops_size());
    });
  }

  uint32_t number_of(const ir::TypeRef& type) {
    if (type == nullptr) return 0;
    return once(seen_types_, type.get(), [&] {
      pb::Type made;
      write(*type, made);
      return number_of(std::move(made), types_, *message_.mutable_types());
    });
  }

  uint32_t number_of(const ir::AttributesRef& attributes) {
    if (attributes->empty()) return 0;
    return once(seen_attributes_, attributes.get(), [&] {
      pb::Attributes made;
      for (const auto& [name, value] : *attributes) write(name, value, *made.add_entries());
      return number_of(std::move(made), attributes_, *message_.mutable_attributes());
    });
  }

  void write(const ir::Device& device, pb::Device& message) {
    message.set_number(static_cast<uint32_t>(device.index));
    message.set_stream(number_of(device.stream_name()));
  }

  void write(const ir::Type& type, pb::Type& message) {
    switch (type.kind) {
      case ir::Type::Kind::unknown: message.set_kind(pb::Type::UNKNOWN); break;
      case ir::Type::Kind::scalar: message.set_kind(pb::Type::SCALAR); break;
      case ir::Type::Kind::tensor: message.set_kind(type.ranked ? pb::Type::TENSOR : pb::Type::UNRANKED); break;
      case ir::Type::Kind::tuple: message.set_kind(pb::Type::TUPLE); break;
    }
    if (type.kind == ir::Type::Kind::scalar || type.is_tensor()) message.set_dtype(number_of(ir::name(type.dtype)));
    if (type.is_tensor() && type.ranked) message.mutable_dims()->Add(type.dims.begin(), type.dims.end());
    if (type.device.placed()) write(type.device, *message.mutable_device());
    for (const ir::Type& element : type.elements) write(element, *message.add_elements());
  }

  void write(const ir::Array& array, pb::Array& message) {
    FOREFLOW_CHECK(!array.is_tuple(), "a constant is one tensor");
    message.set_dtype(number_of(ir::name(array.dtype())));
    message.mutable_dims()->Add(array.dims().begin(), array.dims().end());
    message.set_data(array.bytes(), array.byte_count());
  }

  void write(const std::string& name, const ir::Attribute& attribute, pb::Attribute& message) {
    struct Visitor {
      DistirbEncoder& writer;
      pb::Attribute& message;
      void operator()(int64_t v) const { message.set_integer(v); }
      void operator()(double v) const { message.set_real(v); }
      void operator()(const std::string& v) const { message.set_text(writer.number_of(v)); }
      void operator()(const std::vector<int64_t>& v) const {
        message.mutable_integers()->mutable_items()->Add(v.begin(), v.end());
      }
      void operator()(const std::vector<double>& v) const {
        message.mutable_reals()->mutable_items()->Add(v.begin(), v.end());
      }
      void operator()(const std::vector<std::string>& v) const {
        pb::Texts& texts = *message.mutable_texts();
        for (const std::string& text : v) texts.add_items(writer.number_of(text));
      }
      void operator()(const ir::Device& v) const { writer.write(v, *message.mutable_device()); }
      void operator()(const ir::Array& v) const { writer.write(v, *message.mutable_array()); }
    };
    message.set_name(number_of(name));
    std::visit(Visitor{*this, message}, attribute);
  }

  void write(const ir::Function& function, pb::Function& message) {
    message.set_name(number_of(function.name));
    for (const ir::ParameterRole role : function.parameters) {
      message.add_parameters(role == ir::ParameterRole::weight ? pb::Function::WEIGHT : pb::Function::DATA);
    }
    for (const ir::Value& value : function.values) {
      message.add_value_names(number_of(value.name));
      message.add_value_types(number_of(value.annotation));
    }
    for (const ir::Op& op : function.ops) {
      message.add_op_kinds(op.is_call() ? -1 - op.callee : static_cast<int32_t>(number_of(op.def)));
      message.add_op_attributes(number_of(op.attributes));
      message.add_operand_counts(op.operand_count);
      message.add_result_counts(op.result_count);
      for (const ir::ValueId id : function.inputs(op))
        message.add_operands(static_cast<uint32_t>(static_cast<int32_t>(id) + 1));
    }
    for (const ir::ValueId id : function.results) message.add_results(static_cast<uint32_t>(id));
  }

  pb::Module message_;
  std::unordered_map<std::string_view, uint32_t> strings_;
  std::map<std::string, uint32_t> types_, attributes_;
  std::unordered_map<const ir::OpDef*, uint32_t> seen_ops_;
  std::unordered_map<const ir::Type*, uint32_t> seen_types_;
  std::unordered_map<const ir::Attributes*, uint32_t> seen_attributes_;
};

}  // namespace

std::string write(const ir::Module& module) { return wrap(DistirbEncoder(module).take()); }

}  // namespace foreflow::binary
