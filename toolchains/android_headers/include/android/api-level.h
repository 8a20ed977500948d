// Stands in for the NDK's header of this name, of which FlatBuffers asks one number.
#pragma once

#ifndef __ANDROID_API__
#define __ANDROID_API__ __ANDROID_MIN_SDK_VERSION__
#endif
