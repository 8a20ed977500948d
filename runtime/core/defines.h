/// @file
/// Build-wide switches of the core.
#pragma once

// ET_ENABLE_ENUM_STRINGS: 0 leaves the names of dtypes, tags etc. out of the binary; the functions
// that print them then give the number.
#ifndef ET_ENABLE_ENUM_STRINGS
#define ET_ENABLE_ENUM_STRINGS 1
#endif

// ET_ENABLE_PROGRAM_VERIFICATION: 0 removes the flatbuffer verifier behind
// Program::Verification::InternalConsistency.
#ifndef ET_ENABLE_PROGRAM_VERIFICATION
#define ET_ENABLE_PROGRAM_VERIFICATION 1
#endif
