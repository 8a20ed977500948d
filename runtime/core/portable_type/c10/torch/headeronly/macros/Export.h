/// @file
/// Symbol visibility macros under PyTorch's names. The portable types are header-only, so they mean
/// nothing here.
#pragma once

#ifndef C10_EXPORT
#define C10_EXPORT
#define C10_HIDDEN
#define C10_IMPORT
#define C10_API
#define C10_API_ENUM
#define TORCH_API
#endif
