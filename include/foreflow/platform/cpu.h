// CPUs of hosts. Issuing kernels is the work of one thread, so what matters of a CPU is how fast it runs one.
#pragma once

#include <string>
#include <string_view>

#include "foreflow/base/json.h"
#include "foreflow/base/key.h"
#include "foreflow/base/registry.h"
#include "foreflow/platform/platform.h"

namespace foreflow::platform {

struct CpuDef {
  std::string name;  // "EPYC-7742"
  std::string doc;   // its core, clock and rating, with their sources
  double rating;     // Cpu::rating
};

// The CPUs that have a name.
const Registry<CpuDef>& cpus();

// A row of cpus() by its name, or the CPU with the rating that the text is ("2500"). Throws Error at `where`.
Cpu cpu_named(const std::string& text, const std::string& where);

// The value of a key that says a CPU: its name, or its rating as a number above 0. Throws Error at it.
Cpu read_cpu(const JsonView& json);
ValueType cpu_type();

// Returns the seconds that one thread needs on `here` for work that takes one second on `there`; 1 if either is
// unknown.
double time_ratio(const Cpu& here, const Cpu& there);

}  // namespace foreflow::platform
