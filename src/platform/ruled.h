// Platforms by rule, from the layout of a recipe.
#pragma once

#include <string>

#include "platform/islands.h"
#include "platform/layout.h"

namespace foreflow::platform {

// Throws Error(name, ...) as cut() does.
Parts parts_of(const Layout& layout, const std::string& name);

// What a file of the layout would declare.
Graph graph_of(const Layout& layout);

}  // namespace foreflow::platform
