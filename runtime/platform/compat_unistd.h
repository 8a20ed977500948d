/// @file
/// <unistd.h> where it exists; the few names of it that file loaders use where it does not.
#pragma once

#include <executorch/runtime/platform/compiler.h>

#if defined(_WIN32)
#include <io.h>
#include <process.h>
#if defined(_MSC_VER)
#ifndef STDIN_FILENO
#define STDIN_FILENO 0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2
#endif
#endif
#else
#include <unistd.h>
#endif
