#include "lower/pytorch/expression.h"

#include <algorithm>
#include <optional>

#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "lower/pytorch/python.h"

namespace foreflow::lower {
namespace {

using ir::ValueId;

bool communicates(const ir::Op& op) { return !op.is_call() && op.def->role == ir::Role::communication; }

// The ranks that bring operands, as projection noted them.
std::vector<int> sources(const OpSite& site, const World& world) {
  const ir::Attribute* from = site.op.attributes->find("from");
  if (from == nullptr) site.fail("has an operand on no device; each operand on a device of its own would be right");
  std::vector<int> ranks;
  if (const auto* names = std::get_if<std::vector<std::string>>(from)) {
    for (const std::string& name : *names) {
      const auto index = parse_number<int32_t>(std::string_view(name).substr(0, name.find('.')));
      if (!index) site.fail("has \"" + name + "\" in `from`, which is no device; \"1\" or \"1.comm\" would be right");
      ranks.push_back(world.ranks.at(*index));
    }
  } else {
    for (const int64_t index : site.op.attributes->get_ints("from")) {
      ranks.push_back(world.ranks.at(static_cast<int32_t>(index)));
    }
  }
  return ranks;
}

std::vector<int> destinations(const OpSite& site, const World& world) {
  std::vector<int> ranks;
  for (uint32_t i = 0; i < site.op.result_count; ++i) {
    ranks.push_back(world.rank_of(ir::device_of(site.type(site.function.output(site.op, i)))));
  }
  return ranks;
}

// This rank's operand of a communication; null: it brings none.
std::optional<ValueId> own_operand(const OpSite& site) {
  std::optional<ValueId> own;
  for (const ValueId id : site.function.inputs(site.op)) {
    if (id == ValueId::none) continue;
    if (own) site.fail("has two operands on streams of one device, which are one process; one would be right");
    own = id;
  }
  return own;
}

// The groups of the communications that a Reshard's plan consists of (with_reshard_jobs): "broadcast 0 4 5|..".
void add_groups_of_jobs(const OpSite& site, const std::vector<int>& ranks, World& world) {
  const ir::Attribute* jobs = site.op.attributes->find("jobs");
  if (jobs == nullptr) return;
  for (const std::string& job : std::get<std::vector<std::string>>(*jobs)) {
    const std::vector<std::string> words = split(std::string_view(job).substr(0, job.find('|')), ' ');
    if (words[0] == "send") continue;
    std::set<int> members;
    for (size_t i = 1; i < words.size(); ++i) members.insert(ranks.at(parse_number<size_t>(words[i]).value()));
    world.groups.insert({members.begin(), members.end()});
  }
}

// Every member must enter the group's collective.
void add_group(const OpSite& site, World& world) {
  std::vector<int> ranks           = sources(site, world);
  const std::vector<int> receivers = destinations(site, world);
  ranks.insert(ranks.end(), receivers.begin(), receivers.end());
  if (site.op.def->reshards) add_groups_of_jobs(site, ranks, world);
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  world.groups.insert(std::move(ranks));
}

// A message is one call on the sender and another on the receiver; none where both are one process.
std::string message(const OpSite& site, const World& world) {
  const std::optional<ValueId> own = own_operand(site);
  const std::string value          = own ? site.names[ir::index(*own)] : "";
  if (site.op.attributes->find("from") == nullptr) return value;
  const int from = sources(site, world)[0], to = destinations(site, world)[0];
  if (from == to) return value;
  if (site.rank == from) return "send(" + value + ", " + std::to_string(to) + ")";
  return "receive(" + python::like(site.type(site.results().at(0))) + ", " + std::to_string(from) + ")";
}

// The text of a row with its braces filled in.
class Filler {
 public:
  Filler(const OpSite& site, World& world) : site_(site), world_(world) {}

  std::string fill(std::string_view form) const {
    std::string result;
    for (size_t at = 0; at < form.size();) {
      if (form[at] != '{') {
        result += form[at++];
        continue;
      }
      const size_t end = closing(form, at);
      result += part(form.substr(at + 1, end - at - 1));
      at = end + 1;
    }
    return result;
  }

 private:
  static size_t closing(std::string_view form, size_t open) {
    int depth = 0;
    for (size_t at = open; at < form.size(); ++at) {
      if (form[at] == '{') ++depth;
      if (form[at] == '}' && --depth == 0) return at;
    }
    FOREFLOW_CHECK(false, "every brace of an emitter is closed");
    return form.size();
  }

  std::string operand(size_t index) const {
    const auto inputs = site_.function.inputs(site_.op);
    if (index >= inputs.size() || inputs[index] == ValueId::none) return "None";
    return site_.names[ir::index(inputs[index])];
  }

  std::string operands() const {
    std::string text;
    for (size_t i = 0; i < site_.op.operand_count; ++i) text += (i > 0 ? ", " : "") + operand(i);
    return text;
  }

  std::string part(std::string_view word) const {
    if (word == "*") return operands();
    if (word.size() == 1 && word[0] >= '0' && word[0] <= '9') return operand(static_cast<size_t>(word[0] - '0'));
    if (word == "outputs") return std::to_string(site_.op.result_count);
    if (word == "type") return std::string(python::dtype(known(site_.type(site_.function.output(site_.op, 0))).dtype));
    if (word == "constant") return constant();
    if (word == "fill") return fill_number();
    if (communicates(site_.op)) {
      if (word == "in") return own_operand(site_) ? site_.names[ir::index(*own_operand(site_))] : "None";
      if (word == "from") return world_.team(site_.rank, sources(site_, world_));
      if (word == "to") return world_.team(site_.rank, destinations(site_, world_));
      if (word == "source") return std::to_string(sources(site_, world_).at(0));
      if (word == "destination") return std::to_string(destinations(site_, world_).at(0));
      if (word == "like") return own_result();
    }
    const size_t equals          = word.find('=');
    const ir::Attribute* present = site_.op.attributes->find(word.substr(0, equals));
    if (present != nullptr) return python::literal(*present);
    return equals == std::string_view::npos ? "None" : fill(word.substr(equals + 1));
  }

  // A root that brings nothing and receives nothing still names the shape of the result.
  std::string own_result() const {
    const std::vector<ValueId> mine = site_.results();
    return mine.empty() ? "None" : python::like(site_.type(mine[0]));
  }

  const ir::Type& known(const ir::Type& type) const {
    if (type.kind == ir::Type::Kind::unknown) site_.fail("gives a value of unknown data type; annotate it");
    return type;
  }

  const ir::Attribute& value() const {
    const ir::Attribute* value = site_.op.attributes->find("value");
    if (value == nullptr) site_.fail("has no attribute `value`");
    return *value;
  }

  std::string constant() const {
    if (const auto* array = std::get_if<ir::Array>(&value())) return python::constant(*array);
    if (const auto* integer = std::get_if<int64_t>(&value())) return python::constant(ir::Array::scalar(*integer));
    if (const auto* real = std::get_if<double>(&value())) {
      return python::constant(ir::Array::scalar(static_cast<float>(*real)));
    }
    if (const auto* ints = std::get_if<std::vector<int64_t>>(&value())) {
      return python::constant(ir::Array::of_ints({static_cast<int64_t>(ints->size())}, *ints));
    }
    if (const auto* reals = std::get_if<std::vector<double>>(&value())) {
      const std::vector<float> floats(reals->begin(), reals->end());
      return python::constant(ir::Array::of_floats({static_cast<int64_t>(floats.size())}, floats));
    }
    site_.fail("has a `value` that is no number, list of numbers or tensor");
  }

  std::string fill_number() const {
    const ir::Attribute* value = site_.op.attributes->find("value");
    if (value == nullptr) return "0";
    const auto* array = std::get_if<ir::Array>(value);
    return array == nullptr ? python::literal(*value) : python::number(array->at(0));
  }

  const OpSite& site_;
  World& world_;
};

const EmitterDef& row_of(const OpSite& site) {
  const EmitterDef* row = emitters().find(site.op.def->name);
  if (row == nullptr) site.fail("cannot be written in PyTorch: " + std::string(site.op.def->name) + " has no emitter");
  return *row;
}

}  // namespace

std::string World::team(int rank, const std::vector<int>& members) {
  auto& own        = nth(teams, rank);
  const auto known = std::find(own.begin(), own.end(), members);
  const auto index = known - own.begin();
  if (known == own.end()) own.push_back(members);
  return "teams[" + std::to_string(index) + "]";
}

const ir::Type& OpSite::type(ValueId id) const {
  static const ir::Type kUnknown;
  const ir::TypeRef& annotation = function.value(id).annotation;
  return annotation == nullptr ? kUnknown : *annotation;
}

std::vector<ValueId> OpSite::results() const {
  std::vector<ValueId> mine;
  for (uint32_t i = 0; i < op.result_count; ++i) {
    const ValueId id = function.output(op, i);
    if (!communicates(op) || !names[ir::index(id)].empty()) mine.push_back(id);
  }
  return mine;
}

void OpSite::fail(const std::string& what) const { throw Error(ir::describe(module, function, op), what); }

bool is_sequence(const ir::Op& op) {
  const EmitterDef* row = emitters().find(op.def->name);
  return row != nullptr && row->expression.starts_with('*');
}

std::string targets(const OpSite& site, bool sequence) {
  std::vector<std::string> names;
  for (const ValueId id : site.results()) names.push_back(site.names[ir::index(id)]);
  if (names.empty()) return "";
  return join(names) + (sequence && names.size() == 1 ? ", = " : " = ");
}

std::string expression(const OpSite& site, World& world) {
  try {
    if (site.op.def->communication == ir::Communication::send) return message(site, world);
    std::string_view form = row_of(site).expression;
    if (form.starts_with('*')) form.remove_prefix(1);
    if (communicates(site.op)) add_group(site, world);
    return Filler(site, world).fill(form);
  } catch (const PartError& error) {
    site.fail(error.where() + " " + error.problem());
  }
}

}  // namespace foreflow::lower
