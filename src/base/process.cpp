#include "foreflow/base/process.h"
