/// @file
/// The release of ExecuTorch whose documented interface and file formats these libraries have, for
/// `#if ET_VERSION_CODE >= ET_VERSION_CHECK(1, 5, 0)`.
#pragma once

#define ET_VERSION_MAJOR 1
#define ET_VERSION_MINOR 5
#define ET_VERSION_PATCH 1

/// One number that grows with the version.
#define ET_VERSION_CHECK(major, minor, patch) (((major) << 16) | ((minor) << 8) | (patch))
#define ET_VERSION_CODE ET_VERSION_CHECK(ET_VERSION_MAJOR, ET_VERSION_MINOR, ET_VERSION_PATCH)

#define ET_INTERNAL_VERSION_TEXT(number) #number
#define ET_INTERNAL_VERSION(major, minor, patch) \
  ET_INTERNAL_VERSION_TEXT(major)                \
  "." ET_INTERNAL_VERSION_TEXT(minor) "." ET_INTERNAL_VERSION_TEXT(patch)

/// As text, "1.5.1".
#define ET_VERSION ET_INTERNAL_VERSION(ET_VERSION_MAJOR, ET_VERSION_MINOR, ET_VERSION_PATCH)
#define EXECUTORCH_VERSION ET_VERSION
