// The parameters of recipes, and the functions that read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foreflow/base/key.h"

namespace foreflow::platform {

constexpr int64_t kMostLinks = 4'000'000;  // between switches

constexpr int kMostPorts = 1'000'000;  // of a switch, and of everything else that is counted

// The member, which is least .. most; `fallback` when absent. Throws Error at the key.
int whole_or(const JsonView& json, std::string_view key, int fallback, int least = 1, int most = kMostPorts);

// The value, which is least .. most. Throws Error at it.
int whole(const JsonView& value, int least = 1, int most = kMostPorts);

ValueType count_type();

// A parameter that is a count.
KeyDef count_key(std::string name, std::string doc);
KeyDef oversubscription_key();

// "oversubscription", a number from 1 on; 1 when absent.
double read_oversubscription(const JsonView& json);

}  // namespace foreflow::platform
