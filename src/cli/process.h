// The process that runs a command: its standard streams and its memory.
#pragma once

#include <memory>
#include <string>

namespace foreflow::cli {

// Makes standard streams that are closed fail when they are used, rather than pass their numbers on to the next file
// that is opened; and makes a file that grows beyond the limit of its size an error of writing, not the end.
void prepare_process();

// Writes what is left in the buffer of stdout. Throws Error unless all that was ever written there has arrived.
void check_stdout();

// Memory that is given back when there is no other, so that a message can still be written.
class MemoryReserve {
 public:
  MemoryReserve();
  void release() { bytes_.reset(); }

 private:
  std::unique_ptr<char[]> bytes_;
};

// "1.5 GB": what this process could still get.
std::string memory_left();

}  // namespace foreflow::cli
