/// @file
/// What the files of tokenizers have in common.
#pragma once

#include <string>

namespace tokenizers {

/// Reads a whole file, without the streams that a C++ library for small systems lacks.
///
/// @returns false if it cannot be read.
bool read_file(const std::string& path, std::string& bytes);

/// The byte of a token such as "<0x0A>"; -1 for other tokens.
int byte_of(const std::string& piece);

}  // namespace tokenizers
