#include <unordered_map>

#include "foreflow/base/nth.h"
#include "foreflow/base/scanner.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/attribute_names.h"
#include "foreflow/ir/call_devices.h"
#include "foreflow/ir/most_operands.h"
#include "foreflow/ir/text.h"
#include "foreflow/ir/verify.h"
#include "ir/literal.h"
#include "ir/name_table.h"
#include "ir/undefined.h"

namespace foreflow::ir {
namespace {

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "v17" for value number 17: how print names what has no name.
bool is_own_number(std::string_view name, int32_t id) {
  if (!name.starts_with('v')) return false;
  return parse_number<int32_t>(name.substr(1)) == id && (name[1] != '0' || name.size() == 2);
}

// Attributes as they are written behind one op.
struct AttributeText {
  const OpDef* def;  // tells what positional literals mean, and which attributes are known; null for a function
  std::string_view text;
  bool operator==(const AttributeText&) const = default;
};
struct HashAttributeText {
  size_t operator()(const AttributeText& key) const {
    return std::hash<std::string_view>()(key.text) ^ reinterpret_cast<size_t>(key.def);
  }
};

// Reads one module; a program repeats few types and attributes very often, so equal texts of them are read once and
// shared. Grammar in short:
//   func @name([weight] %x: TYPE, ...) { %y: TYPE, _ = Op[attr = value](%x, [%a, %b], literal, attr=value)  return %y }
class Parser {
 public:
  Parser(std::string_view text, const std::string& name, const OpTable& ops)
      : text_(text), scanner_(text, name), ops_(ops) {
    module_.source = name;
  }

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
    scanner_.expect('@');
    function_.name = std::string(scan_name(scanner_));
    if (function_.name.empty()) scanner_.fail("expected the name of the function after '@'");
    if (callees_.contains(function_.name)) scanner_.fail("the function @" + function_.name + " is defined twice");
    reserve(scanner_.lines_before("\n}"));
    parse_parameters();
    scanner_.expect('{');
    while (!scanner_.accept_word("return")) parse_statement();
    if (scanner_.peek() != '}') {
      do {
        function_.results.push_back(parse_use());
      } while (scanner_.accept(','));
    }
    scanner_.expect('}');
    callees_.emplace(function_.name, static_cast<int32_t>(module_.functions.size()));
    module_.functions.push_back(std::move(function_));
  }

  void reserve(size_t lines) {
    names_ = NameTable(lines);
    function_.values.reserve(lines);
    function_.ops.reserve(lines);
    function_.operands.reserve(lines);
  }

  void parse_parameters() {
    scanner_.expect('(');
    while (!scanner_.accept(')')) {
      const bool weight = scanner_.accept_word("weight");
      const auto name   = parse_value_name();
      define({name, parse_annotation()});
      function_.parameters.push_back(weight ? ParameterRole::weight : ParameterRole::data);
      if (!scanner_.accept(',') && scanner_.peek() != ')')
        scanner_.fail("expected ',' or ')', found " + scanner_.found());
    }
  }

  std::string_view parse_value_name() {
    if (!scanner_.accept('%')) scanner_.fail("expected a value such as %x, found " + scanner_.found());
    const std::string_view name = scan_name(scanner_);
    if (name.empty()) scanner_.fail("expected a name after '%', found " + scanner_.found());
    return name;
  }

  TypeRef parse_annotation() {
    if (!scanner_.accept(':')) return nullptr;
    const std::string_view text = scanner_.until(",=)");
    if (text.empty()) return std::make_shared<const Type>(scan_type(scanner_));
    const auto [known, fresh] = types_.try_emplace(text);
    if (fresh) {
      known->second = std::make_shared<const Type>(scan_type(scanner_));
    } else {
      scanner_.skip(text);
    }
    return known->second;
  }

  void define(const Target& target) {
    const auto id = static_cast<int32_t>(function_.values.size());
    if (!target.name.empty() && !names_.insert(target.name, id)) {
      scanner_.fail("%" + std::string(target.name) + " is defined twice; every value is defined once");
    }
    function_.values.push_back(
        {is_own_number(target.name, id) ? std::string() : std::string(target.name), target.annotation});
  }

  ValueId parse_use() {
    const Scanner::Place place  = scanner_.place();
    const std::string_view name = parse_value_name();
    const int32_t found         = names_.find(name);
    if (found == NameTable::kNone) throw Error(scanner_.where(place), explain_undefined(text_, function_.name, name));
    return static_cast<ValueId>(found);
  }

  void parse_statement() {
    Op op;
    op.line = scanner_.line();
    targets_.clear();
    if (scanner_.peek() != '@') parse_targets();  // else a call without results
    const Scanner::Place place = scanner_.place();
    op.attributes              = parse_operator(op, place);
    parse_arguments(op);
    op.first_result = static_cast<uint32_t>(function_.values.size());
    op.result_count = static_cast<uint32_t>(targets_.size());
    op.is_call() ? check_call(op, place) : check_operands(op, place);
    for (const Target& target : targets_) define(target);
    function_.ops.push_back(std::move(op));
  }

  void parse_targets() {
    do {
      const std::string_view name = scanner_.accept_word("_") ? std::string_view() : parse_value_name();
      targets_.push_back({name, parse_annotation()});
    } while (scanner_.accept(','));
    scanner_.expect('=');
  }

  // The attributes in front of the operands.
  AttributesRef parse_operator(Op& op, Scanner::Place place) {
    if (scanner_.accept('@')) {
      const std::string name(scan_name(scanner_));
      const auto callee = callees_.find(name);
      if (callee == callees_.end())
        throw Error(scanner_.where(place), "the function @" + name + " is not defined above");
      op.callee                      = callee->second;
      const AttributesRef attributes = parse_brackets(nullptr);
      if (const std::string problem = call_problem(*attributes); !problem.empty())
        throw Error(scanner_.where(place), "@" + name + " " + problem);
      return attributes;
    }
    const std::string_view name = scanner_.word();
    if (name.empty()) scanner_.fail("expected an op or a @function, found " + scanner_.found());
    op.def = ops_.find(name);
    if (op.def == nullptr) ops_.get(name, scanner_.where(place));
    return parse_brackets(op.def);
  }

  // [axis = 1, keepdims = 0], or nothing. `def` is null for a call of a function.
  AttributesRef parse_brackets(const OpDef* def) {
    if (!scanner_.accept('[')) return no_attributes_;
    const auto parse_all = [&] {
      Attributes attributes;
      while (scanner_.peek() != ']') {
        parse_attribute(def, attributes);
        if (!scanner_.accept(',') && scanner_.peek() != ']')
          scanner_.fail("expected ',' or ']', found " + scanner_.found());
      }
      return attributes;
    };
    const AttributesRef attributes = shared({def, scanner_.until("]")}, parse_all);
    scanner_.expect(']');
    return attributes;
  }

  // Returns what `parse` reads from `key.text`, the text at this place. If the same text was read before, returns that
  // result.
  template <class Parse>
  AttributesRef shared(const AttributeText& key, Parse parse) {
    if (key.text.empty()) return std::make_shared<const Attributes>(parse());
    const auto [known, fresh] = attributes_.try_emplace(key);
    if (fresh) {
      known->second = std::make_shared<const Attributes>(parse());
    } else {
      scanner_.skip(key.text);
    }
    return known->second;
  }

  void parse_attribute(const OpDef* def, Attributes& attributes) {
    const Scanner::Place place = scanner_.place();
    const std::string name(scanner_.word());
    if (name.empty()) scanner_.fail("expected the name of an attribute, found " + scanner_.found());
    if (def != nullptr && !may_have(*def, name)) throw Error(scanner_.where(place), attribute_problem(*def, name));
    if (attributes.find(name) != nullptr) scanner_.fail("the attribute " + name + " is given twice");
    scanner_.expect('=');
    attributes.set(name, scan_attribute(scanner_));
  }

  void parse_arguments(Op& op) {
    op.first_operand = static_cast<uint32_t>(function_.operands.size());
    scanner_.expect('(');
    while (!scanner_.accept(')')) {
      if (at_operand()) {
        parse_operand();
        parse_comma();
      } else {
        parse_literals(op);
      }
    }
    op.operand_count = static_cast<uint32_t>(function_.operands.size()) - op.first_operand;
  }

  void parse_comma() {
    if (!scanner_.accept(',') && scanner_.peek() != ')')
      scanner_.fail("expected ',' or ')', found " + scanner_.found());
  }

  // %a | _ | [%a, %b]
  bool at_operand() const {
    const char next = scanner_.peek_at(1);
    switch (scanner_.peek()) {
      case '%': return true;
      case '_': return next == ' ' || next == ',' || next == ')';
      case '[': return next == '%' || next == ' ' || next == '_';
      default: return false;
    }
  }

  void parse_operand() {
    if (scanner_.accept_word("_")) {
      function_.operands.push_back(ValueId::none);
    } else if (scanner_.accept('[')) {
      do {
        function_.operands.push_back(scanner_.accept_word("_") ? ValueId::none : parse_use());
      } while (scanner_.accept(','));
      scanner_.expect(']');
    } else {
      function_.operands.push_back(parse_use());
    }
  }

  // The literals up to the next operand, or to the end: attributes by name or by position.
  void parse_literals(Op& op) {
    if (op.is_call()) scanner_.fail("a call takes values such as %x, found " + scanner_.found());
    const bool first = op.attributes->empty();
    const AttributeText key{op.def, first ? scanner_.until(")") : std::string_view()};
    op.attributes = shared(key, [&] {
      Attributes attributes = *op.attributes;
      size_t positional     = 0;
      for (const std::string_view name : op.def->positional) positional += attributes.find(name) != nullptr ? 1 : 0;
      while (scanner_.peek() != ')' && !at_operand()) {
        parse_literal(op, attributes, positional);
        parse_comma();
      }
      return attributes;
    });
    if (scanner_.peek() != ')') attributes_.erase(key);  // operands follow, which are not part of the attributes
  }

  void parse_literal(const Op& op, Attributes& attributes, size_t& positional) {
    size_t word = 0;
    while (is_letter(scanner_.peek_at(word)) || scanner_.peek_at(word) == '_' ||
           (scanner_.peek_at(word) >= '0' && scanner_.peek_at(word) <= '9'))
      ++word;
    while (scanner_.peek_at(word) == ' ') ++word;
    const bool named = is_letter(scanner_.peek()) && scanner_.peek_at(word) == '=';
    if (named) return parse_attribute(op.def, attributes);
    if (positional >= op.def->positional.size())
      scanner_.fail(std::string(op.def->name) + " takes no further literal here; write attributes as name=value");
    const std::string name(op.def->positional[positional++]);
    if (attributes.find(name) != nullptr) scanner_.fail("the attribute " + name + " is given twice");
    attributes.set(name, scan_attribute(scanner_));
  }

  void check_operands(const Op& op, Scanner::Place place) const {
    const std::string problem = operand_problem(*op.def, function_.inputs(op));
    if (!problem.empty()) throw Error(scanner_.where(place), problem);
  }

  void check_call(const Op& op, Scanner::Place place) const {
    const Function& callee = nth(module_.functions, op.callee);
    const auto expect      = [&](size_t has, size_t wants, const char* what) {
      if (has != wants)
        throw Error(scanner_.where(place),
                         "@" + callee.name + " has " + std::to_string(wants) + " " + what + ", not " + std::to_string(has));
    };
    expect(op.operand_count, callee.parameters.size(), "parameters");
    expect(op.result_count, callee.results.size(), "results");
  }

  const std::string_view text_;
  Scanner scanner_;
  const OpTable& ops_;
  Module module_;
  Function function_;
  std::vector<Target> targets_;  // of the statement being read
  NameTable names_;
  const AttributesRef no_attributes_ = std::make_shared<const Attributes>();
  std::unordered_map<std::string_view, TypeRef> types_;
  std::unordered_map<AttributeText, AttributesRef, HashAttributeText> attributes_;
  std::unordered_map<std::string, int32_t> callees_;
};

}  // namespace

Module parse(std::string_view text, const std::string& name, const OpTable& ops) {
  Module module = Parser(after_byte_order_mark(text), name, ops).parse();
  verify(module, Names::unique);
  return module;
}

Type parse_type(std::string_view text, const std::string& where) {
  Scanner scanner(text, where);
  Type type = scan_type(scanner);
  if (!scanner.at_end()) scanner.fail("expected the end of the type, found " + scanner.found());
  return type;
}

}  // namespace foreflow::ir
