#include "mpi/random_program.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <vector>

namespace foreflow::test {
namespace {

// 12 is a multiple of every group of up to 4 devices.
constexpr int kSide    = 12;
constexpr int kLongest = 4 * kSide;

struct Value {
  std::string name;
  int device;
  std::string stream;  // "" or "comm"
  std::string dtype;
  int rows, columns;
  bool is_tuple = false;  // of two tensors of this type
  bool used     = false;
};

// Of the same type.
bool alike(const Value& a, const Value& b) {
  return std::tie(a.dtype, a.rows, a.columns, a.is_tuple) == std::tie(b.dtype, b.rows, b.columns, b.is_tuple);
}

// What a collective does to the shape of what each of n members has.
enum class Form { keep, join, split, turn };

const char* const kFunctions = R"(func @mix(%a, %b) {
  %c = Mul(%a, %b)
  %d = Sub(%c, %a)
  return %d
}

func @swap(%a, %b) {
  %c, %d = MPIAlltoall(%a, %b, split_axis=0, concat_axis=1)
  return %c, %d
}

func @meet(%a, %b) {
  %c = @mix(%a, %a)
  %d, %e = MPIAllreduce(%c, %b)
  %f = @mix(%e, %b)
  return %d, %f
}

)";

class Writer {
 public:
  Writer(std::mt19937_64& random, int devices) : random_(random), devices_(devices) {}

  std::string run(int ops) && {
    static const std::vector<std::string> kTypes = {"Float32", "Float32", "Float16", "Int64"};
    std::string parameters;
    for (int device = 1; device <= devices_; ++device) {
      for (int i = 0; i < 3; ++i) {
        const Value& value = add(device, "", kTypes[draw(kTypes.size())], kSide, kSide);
        parameters += fmt::format("{}%{}: Tensor[{}, ({}, {}), {}]", parameters.empty() ? "" : ", ", value.name,
                                  value.dtype, kSide, kSide, device);
      }
    }
    while (ops > 0) ops -= step() ? 1 : 0;
    std::string results;
    for (const Value& value : values_) {
      if (!value.used) results += (results.empty() ? "%" : ", %") + value.name;
    }
    return fmt::format("{}func @main({}) {{\n{}  return {}\n}}\n", kFunctions, parameters, body_, results);
  }

 private:
  size_t draw(size_t below) { return random_() % below; }
  size_t any() { return draw(values_.size()); }

  const Value& add(int device, const std::string& stream, const std::string& dtype, int rows, int columns,
                   bool is_tuple = false) {
    values_.push_back({fmt::format("v{}", values_.size()), device, stream, dtype, rows, columns, is_tuple});
    return values_.back();
  }
  // Of the type of another value.
  const Value& add(int device, const std::string& stream, const Value& like) {
    return add(device, stream, like.dtype, like.rows, like.columns, like.is_tuple);
  }

  const std::string& use(size_t i) {
    values_[i].used = true;
    return values_[i].name;
  }

  // Values of one type on as many different devices as there are, at most four; empty where there is but one.
  std::vector<size_t> group() {
    const Value first          = values_[any()];
    std::vector<size_t> chosen = {}, order;
    for (size_t i = 0; i < values_.size(); ++i) order.push_back(i);
    for (size_t i = order.size(); i-- > 1;) std::swap(order[i], order[draw(i + 1)]);
    std::set<int> taken;
    const size_t most = 2 + draw(3);
    for (const size_t i : order) {
      const Value& value = values_[i];
      if (!alike(value, first)) continue;
      if (chosen.size() < most && taken.insert(value.device).second) chosen.push_back(i);
    }
    return chosen.size() < 2 ? std::vector<size_t>{} : chosen;
  }

  std::vector<int> destinations() {
    std::vector<int> all;
    for (int device = 1; device <= devices_; ++device) all.push_back(device);
    for (size_t i = all.size(); i-- > 1;) std::swap(all[i], all[draw(i + 1)]);
    all.resize(1 + draw(all.size()));
    return all;
  }

  std::string names(const std::vector<size_t>& group) {
    std::string text;
    for (const size_t i : group) text += (text.empty() ? "%" : ", %") + use(i);
    return text;
  }

  // One op, or nothing when the values drawn do not suit it.
  bool step() {
    switch (draw(14)) {
      case 0: return unary();
      case 1: return binary();
      case 2: return tuple();
      case 3:
      case 4: return send();
      case 5: return collective("MPIAllreduce", "", Form::keep);
      case 6: return collective("MPIAllgather", ", axis=0", Form::join);
      case 7: return collective("MPIReduceScatter", ", axis=0", Form::split);
      case 8: return collective("MPIAlltoall", ", split_axis=0, concat_axis=1", Form::turn);
      case 9: return rooted("MPIReduce", "");
      case 10: return rooted("MPIGather", ", axis=0");
      case 11: return spread();
      case 12: return collective("MPIShift", "", Form::keep);
      default: return call();
    }
  }

  bool unary() {
    static const std::vector<std::string> kOps = {"Neg", "Abs", "Identity"};
    const size_t operand                       = any();
    const Value value                          = values_[operand];
    if (value.is_tuple) return false;
    use(operand);
    body_ += fmt::format("  %{} = {}(%{})\n", add(value.device, value.stream, value).name, kOps[draw(kOps.size())],
                         value.name);
    return true;
  }

  // Two values of one type in one place.
  std::vector<size_t> pair() {
    const size_t first = any();
    const Value& a     = values_[first];
    std::vector<size_t> others;
    for (size_t i = 0; i < values_.size(); ++i) {
      const Value& b = values_[i];
      if (!a.is_tuple && alike(a, b) && a.device == b.device && a.stream == b.stream) others.push_back(i);
    }
    return others.empty() ? std::vector<size_t>{} : std::vector<size_t>{first, others[draw(others.size())]};
  }

  bool binary() {
    const auto operands = pair();
    if (operands.empty()) return false;
    const Value like       = values_[operands[0]];
    const std::string text = names(operands);
    body_ += fmt::format("  %{} = Add({})\n", add(like.device, like.stream, like).name, text);
    return true;
  }

  bool tuple() {
    const auto operands = pair();
    if (operands.empty()) return false;
    const Value like       = values_[operands[0]];
    const std::string text = names(operands);
    body_ += fmt::format("  %{} = PackTuple({})\n",
                         add(like.device, like.stream, like.dtype, like.rows, like.columns, true).name, text);
    return true;
  }

  bool send() {
    const size_t from        = any();
    const Value value        = values_[from];
    const int to             = 1 + static_cast<int>(draw(static_cast<size_t>(devices_)));
    const std::string stream = draw(3) == 0 ? "comm" : "";
    if (to == value.device && stream == value.stream) return false;
    const std::string name = use(from);
    body_ += fmt::format("  %{} = Send(%{}, {}{})\n", add(to, stream, value).name, name, to,
                         stream.empty() ? "" : "." + stream);
    return true;
  }

  // One result for each operand.
  bool collective(const std::string& op, const std::string& axis, Form form) {
    const auto members = group();
    if (members.empty()) return false;
    Value like  = values_[members[0]];
    const int n = static_cast<int>(members.size());
    if (form != Form::keep && like.is_tuple) return false;
    if (form == Form::join) like.rows *= n;
    if (form == Form::turn) like.columns *= n;
    if (form == Form::split || form == Form::turn) {
      if (like.rows % n != 0) return false;
      like.rows /= n;
    }
    if (std::max(like.rows, like.columns) > kLongest) return false;
    const std::string text = names(members);
    std::string results;
    for (const size_t member : members) {
      const Value place = values_[member];
      results += (results.empty() ? "%" : ", %") + add(place.device, place.stream, like).name;
    }
    body_ += fmt::format("  {} = {}({}{})\n", results, op, text, axis);
    return true;
  }

  bool rooted(const std::string& op, const std::string& axis) {
    const auto members = group();
    if (members.empty()) return false;
    Value like = values_[members[0]];
    if (!axis.empty()) like.rows *= static_cast<int>(members.size());
    if (like.rows > kLongest || (!axis.empty() && like.is_tuple)) return false;
    const int to           = 1 + static_cast<int>(draw(static_cast<size_t>(devices_)));
    const std::string text = names(members);
    body_ += fmt::format("  %{} = {}([{}], {}{})\n", add(to, "", like).name, op, text, to, axis);
    return true;
  }

  bool spread() {
    const size_t from = any();
    Value value       = values_[from];
    const auto to     = destinations();
    const int n       = static_cast<int>(to.size());
    const bool parts  = !value.is_tuple && value.rows % n == 0 && draw(2) == 0;
    if (parts) value.rows /= n;
    use(from);
    std::string results, list;
    for (const int device : to) {
      results += (results.empty() ? "%" : ", %") + add(device, "", value).name;
      list += (list.empty() ? "" : ", ") + std::to_string(device);
    }
    body_ += fmt::format("  {} = {}(%{}, to=[{}]{})\n", results, parts ? "MPIScatter" : "MPIBroadcast", value.name,
                         list, parts ? ", axis=0" : "");
    return true;
  }

  bool call() {
    auto members = group();
    if (members.empty()) return false;
    members.resize(2);
    Value like       = values_[members[0]];
    const bool swaps = draw(2) == 0;
    if (like.is_tuple || (swaps && (like.rows % 2 != 0 || like.columns * 2 > kLongest))) return false;
    if (swaps) {
      like.rows /= 2;
      like.columns *= 2;
    }
    const std::string text = names(members);
    std::string results;
    for (const size_t member : members) {
      const Value place = values_[member];
      results += (results.empty() ? "%" : ", %") + add(place.device, place.stream, like).name;
    }
    body_ += fmt::format("  {} = @{}({})\n", results, swaps ? "swap" : "meet", text);
    return true;
  }

  std::mt19937_64& random_;
  const int devices_;
  std::vector<Value> values_;
  std::string body_;
};

}  // namespace

std::string random_program(std::mt19937_64& random, int most_devices, int ops) {
  const int devices = 2 + static_cast<int>(random() % static_cast<uint64_t>(most_devices - 1));
  return Writer(random, devices).run(ops);
}

}  // namespace foreflow::test
