// Records which buffers the procedures of a program allocate and free (stream::Storage).
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "lower/liveness.h"
#include "lower/value_classes.h"

namespace foreflow::lower {

// The buffers and names that all procedures share.
class Ledger {
 public:
  // Not `records`: nothing is recorded, and all that is asked for is empty.
  Ledger(const ir::Module& module, bool records);

  bool records() const { return records_; }
  ValueClass class_of(size_t function, size_t value) const {
    return records_ ? classes_.of(function, value) : ValueClass();
  }
  const std::vector<int32_t>& makers(size_t function);
  // Returns the number of the buffer in the storage; equal buffers have one number.
  int32_t buffer(const std::string& name, stream::MemoryClass kind, Bytes size);

  stream::Storage storage;

 private:
  const ir::Module& module_;
  const bool records_;
  ValueClasses classes_;
  std::vector<std::vector<int32_t>> makers_;  // per function; empty until asked for
  std::unordered_map<std::string, int32_t> names_;
};

class Recorder {
 public:
  using Log = std::vector<stream::Storage::Touch>;

  Recorder(Ledger& ledger, const ir::Function& function, size_t number, const Liveness& live);

  void made(Log& log, size_t value, Bytes size);
  void freed(Log& log, size_t buffer) const {
    if (ledger_.records()) log.push_back({static_cast<int32_t>(buffer), -1});
  }
  // Records a second buffer for `id`: a function that returns one value twice gives its caller two.
  void made_again(Log& log, ir::ValueId id, Bytes size);

  // Appends the allocations and releases of `log` on `device`. `item`: they belong to the next item of its stream;
  // otherwise they happen before it.
  void work(const ir::Device& device, bool item, const Log& log);
  // Appends a call of `procedure`, whose devices `map` renames.
  void call(int32_t procedure, const interpret::DeviceMap& map, const ir::Op& op);

  stream::Storage::Procedure take();

 private:
  ValueClass class_of(size_t value) const { return ledger_.class_of(number_, value); }
  int32_t outside(int32_t device, const interpret::DeviceMap& map) const;

  Ledger& ledger_;
  const ir::Function& function_;
  const Liveness& live_;
  const size_t number_;  // of the function
  const std::vector<int32_t>& makers_;
  std::vector<int32_t> named_by_;  // per buffer: the value that gives it its name
  stream::Storage::Procedure procedure_;
  std::map<ir::Device, int32_t> lanes_;
  std::map<ir::ValueId, int32_t> again_;  // slots of results that are made again
  std::vector<bool> devices_;             // by number + 1: touched here or by a callee
};

}  // namespace foreflow::lower
