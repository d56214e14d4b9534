#include "support/random_program.h"

#include <algorithm>
#include <limits>
#include <random>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/ir/builder.h"
#include "foreflow/ops/table.h"

namespace foreflow::test {
namespace {

using namespace ir;

class RandomProgram {
 public:
  explicit RandomProgram(uint64_t seed) : random_(seed) {}

  Module write() {
    Module module;
    module.source = "random";
    for (int f = 0, functions = below(3) + 1; f < functions; ++f) module.functions.push_back(function(module, f));
    return module;
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool one_in(int n) { return below(n) == 0; }
  template <class T>
  const T& pick(const std::vector<T>& choices) {
    return nth(choices, below(static_cast<int>(choices.size())));
  }

  std::string name() {
    static const std::vector<std::string> kNames = {
        "", "x", "h.0.attn.c_attn.weight", "_tmp", "3114", "a::b", "/in-1", "return_1", "v7", "weight"};
    return pick(kNames);
  }
  std::string text() {
    static const std::vector<std::string> kTexts = {
        "", "NHWC", "two words", "\"quoted\"", "back\\slash", "line\nend", "// no comment", "[1, 2]", "%x"};
    return pick(kTexts);
  }
  double real() {
    static const std::vector<double> kReals = {0,
                                               -0.0,
                                               0.1,
                                               1e-5,
                                               1e300,
                                               5e-324,
                                               3,
                                               -2.5,
                                               1.0 / 3,
                                               123456789.125,
                                               std::numeric_limits<double>::infinity(),
                                               -std::numeric_limits<double>::infinity()};
    return pick(kReals);
  }
  int64_t integer() {
    static const std::vector<int64_t> kIntegers = {0, 1, -1, 42, INT64_MAX, INT64_MIN};
    return pick(kIntegers);
  }
  DType dtype() { return static_cast<DType>(below(kDTypes)); }
  Device device() {
    static const std::vector<std::string> kStreams = {"", "", "comm", "copy_engine1"};
    return Device(below(100), pick(kStreams));
  }

  Dims dims(bool known) {
    Dims dims;
    for (int i = below(4); i > 0; --i) dims.push_back(!known && one_in(4) ? Dims::kUnknown : below(4));
    return dims;
  }

  Type type(int depth = 0) {
    const Device place = one_in(2) ? device() : Device();
    switch (below(depth < 2 ? 5 : 4)) {
      case 0: return Type::on(place);
      case 1: return Type::scalar(dtype(), place);
      case 2: return Type::tensor(dtype(), dims(false), place);
      case 3: return Type::unranked(dtype(), place);
      default: break;
    }
    std::vector<Type> elements;
    for (int i = below(3); i > 0; --i) elements.push_back(type(depth + 1));
    return Type::tuple(std::move(elements));
  }

  Array array() {
    Array array(dtype(), dims(true));
    for (size_t i = 0; i < array.byte_count(); ++i) {
      // Bits that are finite numbers in every type, and zero or one as truth values.
      array.mutable_bytes()[i] = static_cast<std::byte>(array.dtype() == DType::boolean   ? below(2)
                                                        : ir::bits_of(array.dtype()) == 4 ? below(8)
                                                                                          : below(0x70));
    }
    return array;
  }

  template <class T, class F>
  std::vector<T> list(F item) {
    std::vector<T> items;
    for (int i = below(4); i > 0; --i) items.push_back(item());
    return items;
  }

  Attribute attribute() {
    switch (below(8)) {
      case 0: return integer();
      case 1: return real();
      case 2: return text();
      case 3: return list<int64_t>([&] { return integer(); });
      case 4: return list<double>([&] { return real(); });
      case 5: return list<std::string>([&] { return text(); });
      case 6: return Device(below(9), "comm");
      default: return array();
    }
  }

  std::vector<ValueId> operands(const FunctionBuilder& builder, size_t count) {
    std::vector<ValueId> chosen;
    const auto values = static_cast<int>(builder.function().values.size());
    for (size_t i = 0; i < count; ++i) chosen.push_back(static_cast<ValueId>(below(values)));
    return chosen;
  }

  void statement(FunctionBuilder& builder, const Module& above) {
    std::vector<ValueId> results;
    if (!above.functions.empty() && one_in(3)) {
      const auto callee        = static_cast<size_t>(below(static_cast<int>(above.functions.size())));
      const Function& function = above.functions[callee];
      results = builder.call(callee, operands(builder, function.parameters.size()), function.results.size());
    } else {
      const OpDef& def = *(ops::table().begin() + below(static_cast<int>(ops::table().size())));
      Attributes attributes;
      std::vector<std::string> keys = split(def.attributes->empty() ? "recompute segment" : *def.attributes, ' ');
      keys.resize(std::min<size_t>(keys.size(), 3));
      for (const std::string& key : keys) {
        if (one_in(2)) attributes.set(key, attribute());
      }
      // A literal after the operands stands where the first absent one would.
      for (const std::string_view key : def.positional) attributes.set(std::string(key), integer());
      auto chosen = operands(builder, static_cast<size_t>(below(4) + (def.list_operand ? 1 : 0)));
      chosen.resize(std::min(chosen.size(), def.most_operands.value_or(chosen.size())));
      if (!def.list_operand && chosen.size() > 1 && one_in(4)) chosen[0] = ValueId::none;
      results = builder.emit(def.name, chosen, attributes, static_cast<size_t>(below(3) + 1));
    }
    for (const ValueId id : results) {
      builder.set_name(id, name());
      if (one_in(3)) builder.annotate(id, std::make_shared<const Type>(type()));
    }
  }

  Function function(const Module& above, int number) {
    FunctionBuilder builder("f" + std::to_string(number), ops::table());
    for (int i = below(3) + 1; i > 0; --i) {
      const auto role = one_in(2) ? ParameterRole::weight : ParameterRole::data;
      one_in(3) ? builder.parameter(name(), role) : builder.parameter(name(), role, type());
    }
    for (int i = below(8); i > 0; --i) statement(builder, above);
    auto results = operands(builder, static_cast<size_t>(below(3) + 1));
    return builder.finish(std::move(results));
  }

  std::mt19937_64 random_;
};

}  // namespace

ir::Module random_program(uint64_t seed) { return RandomProgram(seed).write(); }

}  // namespace foreflow::test
