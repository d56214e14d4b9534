// Projection: extracts the program of one device, as a rank would run it, from the program of all devices.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/interpret/mixed.h"

namespace foreflow::lower {

// stream: one program for each stream (D1, D1.comm), which the program treats as a device of its own.
// gpu: one program for all streams of a device, in program order, as one process runs it.
enum class Grain : uint8_t { stream, gpu };

// Returns the projection onto each device: the functions, with the ops that the device takes part in.
//   1. A communication is in the program of each member, with `_` for the operands of other members. Its attribute
//   `from`
//      lists the devices of all operands: [1, 3], or ["1", "1.comm"] with a stream. Results state type and device.
//   2. Communications keep the order of the whole program, so blocking ones cannot deadlock.
//   3. Values on no device are in every program. Parameters and results keep their names.
//   4. A function is projected once for each way in which the device takes part in it.
// `finished` is called after each device, unless it is empty.
using DeviceFinished = std::function<void(size_t done, size_t total)>;
std::map<ir::Device, ir::Module> project(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                                         const ir::OpTable& ops, Grain grain = Grain::stream,
                                         const DeviceFinished& finished = {});

// The names of the parameters and results of a function in every projection: its own name, or else "value<number>"
// followed by as many '_' as make it unique. "v12" does not count as a name, because the text form writes unnamed
// values so. The function outlives the object.
class PortNames {
 public:
  explicit PortNames(const ir::Function& function);
  std::string operator()(ir::ValueId id) const;

 private:
  const ir::Function* function_;
  std::vector<std::string_view> taken_;  // names that begin with "value", sorted
};

// One of them. To name several, make a PortNames once.
std::string port_name(const ir::Function& function, ir::ValueId id);

}  // namespace foreflow::lower
