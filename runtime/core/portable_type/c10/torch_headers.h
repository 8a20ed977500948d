/// @file
/// Whether a translation unit sees PyTorch's own headers.
///
/// This directory stands in for the few c10 headers that the portable types need. A source that
/// works with ATen as well (an operator that serves both the runtime and torch.ops) has PyTorch's
/// include directory on its path; both would then define c10::Half and the others. So each header
/// here steps aside and includes PyTorch's of the same path. Layouts and mangled names are the
/// same, so such a source links with a runtime that was compiled without PyTorch.
#pragma once

// <c10/core/TensorImpl.h> is PyTorch's alone. __has_include_next is asked for, since the
// redirection must pass over this directory where it is on the include path itself, as <c10/...>.
#if defined(__has_include) && defined(__has_include_next)
#if __has_include(<c10/core/TensorImpl.h>)
#define ET_C10_IS_TORCH 1
#endif
#endif

#ifndef ET_C10_IS_TORCH
#define ET_C10_IS_TORCH 0
#endif
