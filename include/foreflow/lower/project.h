// One device's own program out of the global one: what a rank would run.
#pragma once

#include <map>
#include <string>

#include "foreflow/interpret/mixed.h"

namespace foreflow::lower {

// stream: a program for each stream of a device (D1, D1.comm), which is a device of its own in the program.
// gpu: one program for all streams of a device, in program order: what one process runs.
enum class Grain : uint8_t { stream, gpu };

// Per device of the program: the functions with the ops that it takes part in, as the placement analysis says. A
// message or collective stands in the program of each member as it stood in the global one, with `_` for the operands
// that other members bring; its attribute `from` lists the devices of all operands ([1, 3], or ["1", "1.comm"] where a
// stream is among them), and every result says its type and device. The order of communications is that of the global
// program in every program, so blocking ones cannot deadlock. Values on no device are in every program. A function is
// projected once for each way in which the device takes part in it. Parameters and results keep their names.
std::map<ir::Device, ir::Module> project(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                                         const ir::OpTable& ops, Grain grain = Grain::stream);

// The name of a parameter or result in every projection: its own, or else "value<number>", with as many '_'
// behind it as tell it apart. "v12" is no name of its own: text calls unnamed values so.
std::string port_name(const ir::Function& function, ir::ValueId id);

}  // namespace foreflow::lower
