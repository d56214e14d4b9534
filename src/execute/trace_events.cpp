#include "execute/trace_events.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "foreflow/base/error.h"
#include "foreflow/base/text.h"

namespace foreflow::execute {
namespace {

// Walks over the text of a JSON document without keeping its values.
class JsonWalker {
 public:
  JsonWalker(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  bool accept(char token) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != token) return false;
    ++at_;
    return true;
  }
  void expect(char token) {
    if (!accept(token)) fail(fmt::format("'{}' should follow", token));
  }
  std::string_view string() {
    expect('"');
    const size_t from = at_;
    skip_string();
    return text_.substr(from, at_ - from - 1);
  }
  // The text of the next value.
  std::string_view value() {
    skip_space();
    const size_t from = at_;
    if (accept('"')) {
      skip_string();
    } else if (at_ < text_.size() && (text_[at_] == '{' || text_[at_] == '[')) {
      skip_nested();
    } else {
      while (at_ < text_.size() && std::string_view(",]} \t\r\n").find(text_[at_]) == std::string_view::npos) ++at_;
    }
    return text_.substr(from, at_ - from);
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{}, byte {}", name_, at_), "is no trace of PyTorch's profiler: " + what);
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  void skip_string() {
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\' ? 1 : 0;
    if (at_ >= text_.size()) fail("it ends within a text");
    ++at_;
  }
  void skip_nested() {
    size_t depth = 0;
    do {
      if (at_ >= text_.size()) fail("it ends too early");
      const char c = text_[at_++];
      if (c == '"') skip_string();
      depth += c == '{' || c == '[' ? 1 : 0;
      depth -= c == '}' || c == ']' ? 1 : 0;
    } while (depth > 0);
  }

  std::string_view text_;
  const std::string& name_;
  size_t at_ = 0;
};

double number_of(const Json* value, double fallback) {
  if (value == nullptr) return fallback;
  if (const int64_t* whole = value->if_int()) return static_cast<double>(*whole);
  const double* real = value->if_double();
  return real != nullptr ? *real : fallback;
}

// A whole number within 53 bits, or `fallback`.
int64_t whole_of(const Json* value, int64_t fallback) {
  constexpr double kMost = 9e15;
  const double number    = number_of(value, static_cast<double>(fallback));
  return std::abs(number) <= kMost ? static_cast<int64_t>(number) : fallback;
}

// From 0; a trace of more ranks is none.
int rank_of(const Json* value, int fallback) {
  constexpr int64_t kMost = 1'000'000;
  return static_cast<int>(std::clamp<int64_t>(whole_of(value, fallback), 0, kMost));
}

std::string text_of(const Json* value) {
  return value != nullptr && value->if_string() != nullptr ? *value->if_string() : "";
}

std::vector<std::string> texts_of(const Json* list) {
  std::vector<std::string> texts;
  if (list == nullptr || list->if_array() == nullptr) return texts;
  for (const Json& one : *list->if_array()) texts.push_back(text_of(&one));
  return texts;
}

// Dimensions of one input; those of a list of tensors are of no use here.
std::vector<int64_t> dims_of(const Json& list) {
  std::vector<int64_t> dims;
  if (list.if_array() == nullptr) return dims;
  for (const Json& dim : *list.if_array()) {
    constexpr int64_t kMost = 1'000'000'000'000;
    if (dim.if_int() == nullptr || *dim.if_int() < 1 || *dim.if_int() > kMost) return {};
    dims.push_back(*dim.if_int());
  }
  return dims;
}

std::optional<MessageFacts> message_of(const Json* args) {
  if (args == nullptr || args->find("In msg nelems") == nullptr) return std::nullopt;
  return MessageFacts{text_of(args->find("Collective name")), text_of(args->find("dtype")),
                      number_of(args->find("In msg nelems"), 0), number_of(args->find("Out msg nelems"), 0),
                      rank_of(args->find("Group size"), 0)};
}

void add_op(const Json& event, const Json* args, TraceEvents& events) {
  HostOp op;
  op.thread = whole_of(event.find("tid"), 0);
  op.start  = number_of(event.find("ts"), 0);
  op.end    = op.start + number_of(event.find("dur"), 0);
  op.name   = text_of(event.find("name"));
  if (args != nullptr) {
    const Json* dims = args->find("Input Dims");
    if (dims != nullptr && dims->if_array() != nullptr) {
      for (const Json& one : *dims->if_array()) op.dims.push_back(dims_of(one));
    }
    op.types  = texts_of(args->find("Input type"));
    op.values = texts_of(args->find("Concrete Inputs"));
  }
  if (const auto message = message_of(args)) events.messages.emplace_back(events.ops.size(), *message);
  events.ops.push_back(std::move(op));
}

void add_call(const Json& event, const Json* args, TraceEvents& events) {
  const std::string name = text_of(event.find("name"));
  const auto has         = [&](const char* part) { return name.find(part) != std::string::npos; };
  events.calls.push_back({whole_of(event.find("tid"), 0), number_of(event.find("ts"), 0),
                          whole_of(args == nullptr ? nullptr : args->find("correlation"), -1), has("LaunchKernel"),
                          has("Synchronize")});
}

void add_kernel(const Json& event, const Json* args, TraceEvents& events) {
  const std::string name = text_of(event.find("name"));
  events.kernels.push_back({whole_of(args == nullptr ? nullptr : args->find("correlation"), -1),
                            number_of(event.find("ts"), 0), number_of(event.find("dur"), 0), name.starts_with("nccl"),
                            message_of(args), whole_of(args == nullptr ? nullptr : args->find("device"), -1)});
}

// The name of the device with this number in "deviceProperties".
std::string device_name(const Json& properties, int64_t number) {
  if (properties.if_array() == nullptr) return "";
  for (const Json& one : *properties.if_array()) {
    if (whole_of(one.find("id"), -1) == number) return text_of(one.find("name"));
  }
  return "";
}

void add_event(const Json& event, TraceEvents& events) {
  if (text_of(event.find("ph")) != "X") return;
  const std::string category = text_of(event.find("cat"));
  const Json* args           = event.find("args");
  if (category == "cpu_op" || category == "user_annotation") add_op(event, args, events);
  if (category == "cuda_runtime" || category == "cuda_driver") add_call(event, args, events);
  if (category == "kernel") add_kernel(event, args, events);
}

Error no_trace(const std::string& name) {
  return Error(name, "is no trace of PyTorch's profiler: it has no \"traceEvents\"; other measurements are CSV files");
}

}  // namespace

TraceEvents read_events(std::string_view text, const std::string& name) {
  TraceEvents events;
  JsonWalker walker(text, name);
  bool found = false;
  Json devices;
  walker.expect('{');
  if (walker.accept('}')) throw no_trace(name);
  do {
    const std::string_view key = walker.string();
    walker.expect(':');
    if (key == "distributedInfo") {
      const Json info = parse_json(walker.value(), name + ", distributedInfo");
      events.rank     = rank_of(info.find("rank"), 0);
      events.world    = rank_of(info.find("world_size"), 1);
      events.in_run   = info.find("rank") != nullptr && info.find("world_size") != nullptr;
    } else if (key == "deviceProperties") {
      devices = parse_json(walker.value(), name + ", deviceProperties");
    } else if (key == "traceEvents") {
      found = true;
      walker.expect('[');
      size_t number = 0;
      if (walker.accept(']')) continue;
      do {
        const Json event = parse_json(walker.value(), fmt::format("{}, event {}", name, number++));
        if (event.if_object() == nullptr) walker.fail("an event should be an object");
        add_event(event, events);
      } while (walker.accept(','));
      walker.expect(']');
    } else {
      walker.value();
    }
  } while (walker.accept(','));
  walker.expect('}');
  if (!found) throw no_trace(name);
  if (events.kernels.empty())
    throw Error(name, "has no kernel of a GPU; profile with ProfilerActivity.CUDA and record_shapes=True");
  events.device = device_name(devices, events.kernels.front().device);
  return events;
}

}  // namespace foreflow::execute
