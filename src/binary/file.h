// The outermost message of a `.distirb` file: which version wrote it, and whether it is whole.
#pragma once

#include <string>
#include <string_view>

namespace foreflow::binary {

// The bytes of a file that holds `module`, a serialized distir_proto::Module.
std::string wrap(std::string module);

// The serialized module. Throws Error(name, ...).
std::string unwrap(std::string_view bytes, const std::string& name);

}  // namespace foreflow::binary
