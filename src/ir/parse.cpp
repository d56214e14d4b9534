#include <cctype>
#include <unordered_map>

#include "foreflow/base/scanner.h"
#include "foreflow/ir/text.h"
#include "literal.h"
#include "undefined.h"

namespace foreflow::ir {
namespace {

// Reads one module. Grammar in short:
//   func @name([weight] %x: TYPE, ...) { %y: TYPE, _ = Op[attr = value](%x, [%a, %b], literal, attr=value)  return %y }
class Parser {
 public:
  Parser(std::string_view text, const std::string& name, const OpTable& ops) : text_(text), scanner_(text, name), ops_(ops) { module_.source = name; }

  Module parse() {
    while (!scanner_.at_end()) {
      if (!scanner_.accept_word("func")) scanner_.fail("expected 'func', found " + scanner_.found());
      parse_function();
    }
    return std::move(module_);
  }

 private:
  struct Target {  // left of '='
    std::string_view name;
    TypeRef annotation;
  };

  void parse_function() {
    function_ = Function();
    names_.clear();
    scanner_.expect("@");
    function_.name = std::string(scan_name(scanner_));
    if (function_.name.empty()) scanner_.fail("expected the name of the function after '@'");
    if (callees_.contains(function_.name)) scanner_.fail("the function @" + function_.name + " is defined twice");
    parse_parameters();
    scanner_.expect("{");
    while (!scanner_.accept_word("return")) parse_statement();
    if (scanner_.peek() != '}') {
      do {
        function_.results.push_back(parse_use());
      } while (scanner_.accept(","));
    }
    scanner_.expect("}");
    callees_.emplace(function_.name, static_cast<int32_t>(module_.functions.size()));
    module_.functions.push_back(std::move(function_));
  }

  void parse_parameters() {
    scanner_.expect("(");
    while (!scanner_.accept(")")) {
      const bool weight = scanner_.accept_word("weight");
      const auto name   = parse_value_name();
      define({name, parse_annotation()});
      function_.parameters.push_back(weight ? ParameterRole::weight : ParameterRole::data);
      if (!scanner_.accept(",") && scanner_.peek() != ')') scanner_.fail("expected ',' or ')', found " + scanner_.found());
    }
  }

  std::string_view parse_value_name() {
    if (!scanner_.accept("%")) scanner_.fail("expected a value such as %x, found " + scanner_.found());
    const std::string_view name = scan_name(scanner_);
    if (name.empty()) scanner_.fail("expected a name after '%', found " + scanner_.found());
    return name;
  }

  TypeRef parse_annotation() {
    if (!scanner_.accept(":")) return nullptr;
    return std::make_shared<const Type>(scan_type(scanner_));
  }

  void define(const Target& target) {
    const auto id = static_cast<int32_t>(function_.values.size());
    if (!target.name.empty() && !names_.emplace(target.name, id).second) {
      scanner_.fail("%" + std::string(target.name) + " is defined twice; every value is defined once");
    }
    const bool own_number = target.name == "v" + std::to_string(id);
    function_.values.push_back({own_number ? std::string() : std::string(target.name), target.annotation});
  }

  ValueId parse_use() {
    const std::string where     = scanner_.where();
    const std::string_view name = parse_value_name();
    const auto found            = names_.find(name);
    if (found == names_.end()) throw Error(where, explain_undefined(text_, function_.name, name));
    return static_cast<ValueId>(found->second);
  }

  void parse_statement() {
    Op op;
    op.line = scanner_.line();
    std::vector<Target> targets;
    do {
      if (scanner_.accept_word("_")) {
        targets.push_back({{}, parse_annotation()});
      } else {
        const auto name = parse_value_name();
        targets.push_back({name, parse_annotation()});
      }
    } while (scanner_.accept(","));
    scanner_.expect("=");
    const std::string where = scanner_.where();
    Attributes attributes;
    parse_operator(op, attributes);
    parse_arguments(op, attributes);
    static const AttributesRef kNone = std::make_shared<const Attributes>();
    op.attributes                    = attributes.empty() ? kNone : std::make_shared<const Attributes>(std::move(attributes));
    op.first_result                  = static_cast<uint32_t>(function_.values.size());
    op.result_count                  = static_cast<uint32_t>(targets.size());
    if (op.is_call()) check_call(op, where);
    for (const Target& target : targets) define(target);
    function_.ops.push_back(std::move(op));
  }

  void parse_operator(Op& op, Attributes& attributes) {
    const std::string where = scanner_.where();
    if (scanner_.accept("@")) {
      const std::string name(scan_name(scanner_));
      const auto callee = callees_.find(name);
      if (callee == callees_.end()) throw Error(where, "the function @" + name + " is not defined above");
      op.callee = callee->second;
      return;
    }
    const std::string_view name = scanner_.word();
    if (name.empty()) scanner_.fail("expected an op or a @function, found " + scanner_.found());
    op.def = &ops_.get(name, where);
    if (!scanner_.accept("[")) return;
    while (!scanner_.accept("]")) {
      parse_attribute(attributes);
      if (!scanner_.accept(",") && scanner_.peek() != ']') scanner_.fail("expected ',' or ']', found " + scanner_.found());
    }
  }

  void parse_attribute(Attributes& attributes) {
    const std::string name(scanner_.word());
    if (name.empty()) scanner_.fail("expected the name of an attribute, found " + scanner_.found());
    if (attributes.find(name) != nullptr) scanner_.fail("the attribute " + name + " is given twice");
    scanner_.expect("=");
    attributes.set(name, scan_attribute(scanner_));
  }

  void parse_arguments(Op& op, Attributes& attributes) {
    op.first_operand  = static_cast<uint32_t>(function_.operands.size());
    size_t positional = 0;
    scanner_.expect("(");
    while (!scanner_.accept(")")) {
      if (scanner_.peek() == '%') {
        function_.operands.push_back(parse_use());
      } else if (scanner_.accept_word("_")) {
        function_.operands.push_back(ValueId::none);
      } else if (scanner_.peek() == '[' && (scanner_.peek_at(1) == '%' || scanner_.peek_at(1) == ' ')) {
        scanner_.expect("[");
        do {
          function_.operands.push_back(parse_use());
        } while (scanner_.accept(","));
        scanner_.expect("]");
      } else {
        parse_literal_argument(op, attributes, positional);
      }
      if (!scanner_.accept(",") && scanner_.peek() != ')') scanner_.fail("expected ',' or ')', found " + scanner_.found());
    }
    op.operand_count = static_cast<uint32_t>(function_.operands.size()) - op.first_operand;
  }

  void parse_literal_argument(const Op& op, Attributes& attributes, size_t& positional) {
    if (op.is_call()) scanner_.fail("a call takes values such as %x, found " + scanner_.found());
    size_t word = 0;
    while (std::isalnum(static_cast<unsigned char>(scanner_.peek_at(word))) != 0 || scanner_.peek_at(word) == '_') ++word;
    while (scanner_.peek_at(word) == ' ') ++word;
    const bool named = std::isalpha(static_cast<unsigned char>(scanner_.peek())) != 0 && scanner_.peek_at(word) == '=';
    if (named) return parse_attribute(attributes);
    if (positional >= op.def->positional.size()) scanner_.fail(std::string(op.def->name) + " takes no further literal here; write attributes as name=value");
    const std::string name(op.def->positional[positional++]);
    if (attributes.find(name) != nullptr) scanner_.fail("the attribute " + name + " is given twice");
    attributes.set(name, scan_attribute(scanner_));
  }

  void check_call(const Op& op, const std::string& where) {
    const Function& callee = module_.functions[static_cast<size_t>(op.callee)];
    const auto expect      = [&](size_t has, size_t wants, const char* what) {
      if (has != wants) throw Error(where, "@" + callee.name + " has " + std::to_string(wants) + " " + what + ", not " + std::to_string(has));
    };
    expect(op.operand_count, callee.parameters.size(), "parameters");
    expect(op.result_count, callee.results.size(), "results");
  }

  const std::string_view text_;
  Scanner scanner_;
  const OpTable& ops_;
  Module module_;
  Function function_;
  std::unordered_map<std::string_view, int32_t> names_;
  std::unordered_map<std::string, int32_t> callees_;
};

}  // namespace

Module parse(std::string_view text, const std::string& name, const OpTable& ops) {
  Module module = Parser(text, name, ops).parse();
  verify(module);
  return module;
}

Type parse_type(std::string_view text, const std::string& where) {
  Scanner scanner(text, where);
  Type type = scan_type(scanner);
  if (!scanner.at_end()) scanner.fail("expected the end of the type, found " + scanner.found());
  return type;
}

}  // namespace foreflow::ir
