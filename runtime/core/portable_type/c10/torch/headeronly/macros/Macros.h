/// @file
/// The portable ones of PyTorch's compiler macros.
#include <executorch/runtime/core/portable_type/c10/torch_headers.h>

#if ET_C10_IS_TORCH
#if __has_include_next(<torch/headeronly/macros/Macros.h>)
#include_next <torch/headeronly/macros/Macros.h>
#else
#include <torch/headeronly/macros/Macros.h>
#endif
#elif !defined(ET_TORCH_HEADERONLY_MACROS_MACROS_H_)
#define ET_TORCH_HEADERONLY_MACROS_MACROS_H_

#include <executorch/runtime/core/portable_type/c10/torch/headeronly/macros/Export.h>

#ifndef C10_LIKELY
#if defined(__GNUC__) || defined(__clang__)
#define C10_LIKELY(expr) (__builtin_expect(static_cast<bool>(expr), 1))
#define C10_UNLIKELY(expr) (__builtin_expect(static_cast<bool>(expr), 0))
#define C10_NOINLINE __attribute__((noinline))
#define C10_ALWAYS_INLINE __attribute__((__always_inline__)) inline
#define C10_ALWAYS_INLINE_ATTRIBUTE __attribute__((__always_inline__))
#else
#define C10_LIKELY(expr) (expr)
#define C10_UNLIKELY(expr) (expr)
#define C10_NOINLINE
#define C10_ALWAYS_INLINE inline
#define C10_ALWAYS_INLINE_ATTRIBUTE
#endif

#define C10_STRINGIZE_IMPL(x) #x
#define C10_STRINGIZE(x) C10_STRINGIZE_IMPL(x)
#define C10_CONCATENATE_IMPL(a, b) a##b
#define C10_CONCATENATE(a, b) C10_CONCATENATE_IMPL(a, b)
#define C10_ANONYMOUS_VARIABLE(prefix) C10_CONCATENATE(prefix, __LINE__)

#define C10_UID __COUNTER__
#define C10_MACRO_EXPAND(args) args

#if defined(__GNUC__) || defined(__clang__)
#define C10_USED __attribute__((__used__))
#define C10_RESTRICT __restrict
#else
#define C10_USED
#define C10_RESTRICT
#endif
#define C10_ERASE C10_ALWAYS_INLINE_ATTRIBUTE
#define C10_ALWAYS_INLINE_UNLESS_MOBILE C10_ALWAYS_INLINE

#if defined(__has_cpp_attribute)
#define C10_HAS_CPP_ATTRIBUTE(name) __has_cpp_attribute(name)
#else
#define C10_HAS_CPP_ATTRIBUTE(name) 0
#endif
#if C10_HAS_CPP_ATTRIBUTE(clang::lifetimebound)
#define C10_LIFETIMEBOUND [[clang::lifetimebound]]
#else
#define C10_LIFETIMEBOUND
#endif

#define C10_DISABLE_COPY_AND_ASSIGN(classname) \
  classname(const classname&) = delete;        \
  classname& operator=(const classname&) = delete

#define C10_UNUSED [[maybe_unused]]
#define C10_NODISCARD [[nodiscard]]
#define C10_FALLTHROUGH [[fallthrough]]

// There is no device compiler in the portable runtime.
#define C10_DEVICE
#define C10_HOST
#define C10_HOST_DEVICE
#define C10_HIP_HOST_DEVICE
#define C10_HOST_CONSTEXPR_EXCEPT_WIN_CUDA constexpr
#define CONSTEXPR_EXCEPT_WIN_CUDA constexpr
#define C10_LAUNCH_BOUNDS_1(max_threads)
#define C10_LAUNCH_BOUNDS_2(max_threads, min_blocks)
#endif

// What a kernel for a device asserts is an ordinary assertion on a CPU.
#ifndef CUDA_KERNEL_ASSERT
#include <cassert>
#define CUDA_KERNEL_ASSERT(cond) assert(cond)
#define CUDA_KERNEL_ASSERT_MSG(cond, msg) assert((cond) && (msg))
#define SYCL_KERNEL_ASSERT(cond) assert(cond)
#endif

#ifndef C10_CLANG_DIAGNOSTIC_PUSH
#if defined(__clang__)
#define C10_INTERNAL_PRAGMA(text) _Pragma(#text)
#define C10_CLANG_DIAGNOSTIC_PUSH() _Pragma("clang diagnostic push")
#define C10_CLANG_DIAGNOSTIC_POP() _Pragma("clang diagnostic pop")
#define C10_CLANG_DIAGNOSTIC_IGNORE(flag) C10_INTERNAL_PRAGMA(clang diagnostic ignored flag)
#define C10_CLANG_HAS_WARNING(flag) __has_warning(flag)
#define C10_DIAGNOSTIC_PUSH_AND_IGNORED_IF_DEFINED(flag)               \
  _Pragma("clang diagnostic push")                                     \
      _Pragma("clang diagnostic ignored \"-Wunknown-warning-option\"") \
          C10_INTERNAL_PRAGMA(clang diagnostic ignored flag)
#define C10_DIAGNOSTIC_POP() _Pragma("clang diagnostic pop")
#else
#define C10_CLANG_DIAGNOSTIC_PUSH()
#define C10_CLANG_DIAGNOSTIC_POP()
#define C10_CLANG_DIAGNOSTIC_IGNORE(flag)
#define C10_CLANG_HAS_WARNING(flag) 0
#define C10_DIAGNOSTIC_PUSH_AND_IGNORED_IF_DEFINED(flag)
#define C10_DIAGNOSTIC_POP()
#endif
#endif

#endif  // ET_TORCH_HEADERONLY_MACROS_MACROS_H_
