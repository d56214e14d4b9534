// Data sheets of accelerators, each with its source.
#pragma once

#include "platform/blueprint.h"

namespace foreflow::platform {

Gpu v100_sxm2_16gb();
Gpu v100_sxm2_32gb();
Gpu v100_sxm3_32gb();
Gpu a100_sxm4_40gb();
Gpu a100_sxm4_80gb();
Gpu h100_sxm5_80gb();
Gpu h200_sxm5_141gb();
Gpu gh200_96gb();
Gpu b200_180gb();
Gpu gb200();
Gpu a40();
Gpu a10();
Gpu l40s();
Gpu cpu_socket();
Gpu cpu_core();

}  // namespace foreflow::platform
