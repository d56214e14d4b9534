// Which names and types the text form can express. Readers of other formats check them, so that every program has a
// text.
#pragma once

#include <string_view>

namespace foreflow::ir {

// The greatest depth to which tuple types may be nested.
constexpr int kDeepestType = 64;

// is_name: whether `text` may follow '%' or '@', as "h.0/attn" may. is_word: whether it may name an attribute or a
// stream.
bool is_name(std::string_view text);
bool is_word(std::string_view text);

}  // namespace foreflow::ir
