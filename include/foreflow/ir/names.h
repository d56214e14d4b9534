// What the text form can show: for readers of other forms, whose programs must have a text.
#pragma once

#include <string_view>

namespace foreflow::ir {

// How deep tuples may be nested.
constexpr int kDeepestType = 64;

// Whether text can show it after '%' and '@' (a name: "h.0/attn"), and as the name of an attribute or a stream (a
// word).
bool is_name(std::string_view text);
bool is_word(std::string_view text);

}  // namespace foreflow::ir
