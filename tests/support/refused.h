// The message with which a call is refused.
#pragma once

#include <string>

#include "foreflow/base/error.h"

namespace foreflow::test {

// What the Error says that `f` throws; "accepted" if it throws none.
template <class F>
std::string refused(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace foreflow::test
