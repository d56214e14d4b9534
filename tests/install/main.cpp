#include <iostream>

#include "foreflow/base/units.h"

int main() {
  const foreflow::Bytes size = foreflow::parse_bytes("2GiB", "size");
  const auto time            = size / foreflow::parse_bandwidth("25GBps", "bandwidth");
  std::cout << format(size) << " in " << format(time) << "\n";
}
