#pragma once

namespace foreflow::test {

// True in a build with AddressSanitizer, which reserves terabytes of addresses and needs memory of its own, so ceilings
// of memory do not hold there.
#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

}  // namespace foreflow::test
