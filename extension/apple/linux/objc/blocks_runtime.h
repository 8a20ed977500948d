/// @file
/// GNUstep's headers ask for it by this name, which is another runtime's.
#pragma once

#include <Block.h>
