// The buffers that the ops of one fragment make and free, and the devices on which they do.
#pragma once

#include <span>
#include <vector>

#include "foreflow/base/nth.h"
#include "lower/fragment_steps.h"
#include "lower/home.h"
#include "lower/liveness.h"
#include "lower/recorder.h"

namespace foreflow::lower {

class Buffers {
 public:
  // Keeps references. What computes free, it adds to `steps`.
  Buffers(const interpret::Instance<interpret::Mixed>& instance, Home home, const Liveness& live, Recorder& recorder,
          FragmentSteps& steps)
      : instance_(instance), home_(home), live_(live), recorder_(recorder), steps_(steps) {}

  // The device on which a buffer was made. Its last use may be elsewhere: a constant at home, another stream.
  ir::Device place_of(int32_t buffer) const { return home_.of(ir::device_of(nth(instance_.values, buffer).type)); }
  // Returns true if the value has memory of its own; others are in the buffer of another value.
  bool is_buffer(size_t value) const { return live_.buffer_of[value] == static_cast<int32_t>(value); }
  std::span<const int32_t> freed_after(size_t o) const { return live_.freed_after(o); }

  // Makes a buffer or frees it, and returns its size.
  Bytes make(size_t buffer, Recorder::Log& log);
  Bytes free(int32_t buffer, Recorder::Log& log) const;

  // Makes the results of the op on `device`, and returns the sum of their sizes.
  Bytes make_results(const ir::Op& op, const ir::Device& device, Recorder::Log& log);
  // A compute of `device` frees a buffer; those in the memory of hosts count nowhere.
  void free_on(const ir::Device& device, int32_t buffer);
  // Op `o`, which ran on `user`, was the last to use some buffers. Streams of other devices free those of their own.
  void free_after(size_t o, const ir::Device& user);
  // The same for those buffers alone that the op read, and for those that it made and that nothing reads.
  void free_operands(size_t o, const ir::Op& op, const ir::Device& user);
  void free_results(size_t o, const ir::Op& op, const ir::Device& user);

 private:
  void free_by(const ir::Device& user, int32_t buffer);
  Bytes size_of(size_t buffer) const { return live_.size[instance_.values.number(buffer)]; }

  const interpret::Instance<interpret::Mixed>& instance_;
  const Home home_;
  const Liveness& live_;
  Recorder& recorder_;
  FragmentSteps& steps_;
};

// The buffers of which a communication is the last use. Each member frees those of its own device.
class LastUses {
 public:
  LastUses(Buffers& buffers, size_t o) : buffers_(buffers), freed_(buffers.freed_after(o)), done_(freed_.size()) {}

  // Frees those on the device of `member` that no earlier member has freed, and returns the sum of their sizes.
  Bytes free_for(const ir::Device& member, Recorder::Log& log);
  // Frees those that are on the devices of no member.
  void free_rest();

 private:
  Buffers& buffers_;
  const std::span<const int32_t> freed_;
  std::vector<bool> done_;
};

}  // namespace foreflow::lower
