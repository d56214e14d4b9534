// A distributed program without functions, as a compiler might hand it over: every op written out.
#pragma once

#include <string>

namespace foreflow::bench {

// `ops` ops on 8 devices: chains of MatMul, Relu, Add and a Send to the next device.
std::string flat_program(int ops);

}  // namespace foreflow::bench
