#include "reproduce/passes.h"

#include <fmt/core.h>

#include <optional>
#include <string>

#include "foreflow/base/error.h"
#include "foreflow/base/nth.h"

namespace foreflow::reproduce {
namespace {

// The member of `times` for the pass that `name` names, which begins with `stage`; null: none.
Seconds* pass_named(PassTimes& times, std::string_view stage, std::string_view name) {
  if (!name.starts_with(stage)) return nullptr;
  name.remove_prefix(stage.size());
  if (name == "forward") return &times.forward;
  if (name == "backward" || name == "input_grad") return &times.backward;
  return name == "weight_grad" ? &times.weights : nullptr;
}

// Collects the records of one stream between two messages.
class PassReader {
 public:
  explicit PassReader(std::string_view stage) : stage_(stage) {}

  void message(Bytes net = Bytes(0)) {
    if (times_.forward == Seconds(0)) times_.kept += net;
    if (pass_ != nullptr && *pass_ == Seconds(0)) *pass_ = end_ - *start_;
    pass_ = nullptr;
    start_.reset();
  }
  // `net`: what the item leaves in memory.
  void record(const stream::Record& record, std::string_view name, Bytes net) {
    if (times_.forward == Seconds(0)) times_.kept += net;
    if (record.end <= record.start) return;
    Seconds* const named = pass_named(times_, stage_, name);
    // Gradients of weights follow each other without a message.
    if (named != nullptr && pass_ != nullptr && (named != pass_ || named == &times_.weights)) message();
    if (named != nullptr) pass_ = named;
    if (!start_) start_ = record.start;
    end_ = record.end;
  }
  const PassTimes& times() const { return times_; }

 private:
  std::string_view stage_;  // "@stage2_"
  PassTimes times_;
  Seconds* pass_ = nullptr;
  std::optional<Seconds> start_;
  Seconds end_;
};

bool has_stage(const stream::Program& program, const stream::Stream& stream, std::string_view stage) {
  for (const stream::Item& item : stream.items) {
    if (item.instance < 0 && nth(program.computes, item.event).name.starts_with(stage)) return true;
  }
  return false;
}

PassTimes read_stream(const scenario::Outcome& outcome, size_t index, std::string_view stage) {
  const stream::Program& program = outcome.program;
  PassReader reader(stage);
  for (size_t i = 0; i < program.streams[index].items.size(); ++i) {
    const stream::Item& item     = program.streams[index].items[i];
    const stream::Record& record = outcome.timeline.records[index][i];
    const Bytes net              = nth(program.memory_effects, item.memory).net;
    if (item.instance < 0) {
      reader.record(record, nth(program.computes, item.event).name, net);
      continue;
    }
    const auto communication = static_cast<size_t>(nth(program.instances, item.instance).communication);
    if (program.communications[communication].kind == collective::Kind::send) {
      reader.message(net);
    } else {
      reader.record(record, "", net);
    }
  }
  reader.message();
  return reader.times();
}

}  // namespace

PassTimes passes_of_stage(const scenario::Outcome& outcome, int number) {
  const std::string stage = fmt::format("@stage{}_", number);
  for (size_t s = 0; s < outcome.program.streams.size(); ++s) {
    if (has_stage(outcome.program, outcome.program.streams[s], stage)) return read_stream(outcome, s, stage);
  }
  throw Error("reproduce", fmt::format("the program has no stage {}; its scenario needs a larger \"pp\"", number));
}

}  // namespace foreflow::reproduce
