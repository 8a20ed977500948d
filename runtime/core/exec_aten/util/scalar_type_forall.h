/// @file
/// Lists of scalar types: ET_FORALL_..._TYPES(_) calls `_(C++ type, enumerator)` for each member,
/// the ..._WITH variants `_(ANOTHER_INPUT, C++ type, enumerator)`.
///
/// The letters in the names: H adds Half, BF16 adds BFloat16, a second B adds Bool.
#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>

#define ET_INTERNAL_SCALAR_CTYPE(name) \
  ::executorch::runtime::ScalarTypeToCppType<::executorch::aten::ScalarType::name>::type

/// Integers that arithmetic is defined for.
#define ET_FORALL_INT_TYPES(_) \
  _(uint8_t, Byte)             \
  _(int8_t, Char)              \
  _(int16_t, Short)            \
  _(int32_t, Int)              \
  _(int64_t, Long)

#define ET_FORALL_INT_TYPES_AND(ADDITIONAL, _) \
  ET_FORALL_INT_TYPES(_)                       \
  _(ET_INTERNAL_SCALAR_CTYPE(ADDITIONAL), ADDITIONAL)

#define ET_FORALL_UINT_TYPES(_) \
  _(uint16_t, UInt16)           \
  _(uint32_t, UInt32)           \
  _(uint64_t, UInt64)

#define ET_FORALL_FLOAT_TYPES(_) \
  _(float, Float)                \
  _(double, Double)

#define ET_FORALL_FLOAT_TYPES_AND(ADDITIONAL, _) \
  ET_FORALL_FLOAT_TYPES(_)                       \
  _(ET_INTERNAL_SCALAR_CTYPE(ADDITIONAL), ADDITIONAL)

#define ET_FORALL_FLOAT_TYPES_AND2(ADDITIONAL1, ADDITIONAL2, _) \
  ET_FORALL_FLOAT_TYPES_AND(ADDITIONAL1, _)                     \
  _(ET_INTERNAL_SCALAR_CTYPE(ADDITIONAL2), ADDITIONAL2)

#define ET_FORALL_FLOATH_TYPES(_) ET_FORALL_FLOAT_TYPES_AND(Half, _)

#define ET_FORALL_FLOATHBF16_TYPES(_) \
  ET_FORALL_FLOATH_TYPES(_)           \
  _(::executorch::aten::BFloat16, BFloat16)

#define ET_FORALL_REAL_TYPES(_) \
  ET_FORALL_INT_TYPES(_)        \
  ET_FORALL_FLOAT_TYPES(_)

#define ET_FORALL_REAL_TYPES_AND(ADDITIONAL, _) \
  ET_FORALL_REAL_TYPES(_)                       \
  _(ET_INTERNAL_SCALAR_CTYPE(ADDITIONAL), ADDITIONAL)

#define ET_FORALL_REAL_TYPES_AND2(ADDITIONAL1, ADDITIONAL2, _) \
  ET_FORALL_REAL_TYPES_AND(ADDITIONAL1, _)                     \
  _(ET_INTERNAL_SCALAR_CTYPE(ADDITIONAL2), ADDITIONAL2)

#define ET_FORALL_REAL_TYPES_AND3(ADDITIONAL1, ADDITIONAL2, ADDITIONAL3, _) \
  ET_FORALL_REAL_TYPES_AND2(ADDITIONAL1, ADDITIONAL2, _)                    \
  _(ET_INTERNAL_SCALAR_CTYPE(ADDITIONAL3), ADDITIONAL3)

#define ET_FORALL_REALH_TYPES(_) ET_FORALL_REAL_TYPES_AND(Half, _)

#define ET_FORALL_REALB_TYPES(_) ET_FORALL_REAL_TYPES_AND(Bool, _)

#define ET_FORALL_REALHB_TYPES(_) ET_FORALL_REAL_TYPES_AND2(Half, Bool, _)

#define ET_FORALL_REALHBF16_TYPES(_) ET_FORALL_REAL_TYPES_AND2(Half, BFloat16, _)

#define ET_FORALL_REALHBBF16_TYPES(_) ET_FORALL_REAL_TYPES_AND3(Half, Bool, BFloat16, _)

#define ET_FORALL_COMPLEX_TYPES(_)                    \
  _(::executorch::aten::complex<float>, ComplexFloat) \
  _(::executorch::aten::complex<double>, ComplexDouble)

#define ET_FORALL_COMPLEXH_TYPES(_)                                     \
  _(::executorch::aten::complex<::executorch::aten::Half>, ComplexHalf) \
  ET_FORALL_COMPLEX_TYPES(_)

/// Quantized integers of whole bytes.
#define ET_FORALL_QINT_TYPES(_)             \
  _(::executorch::aten::qint8, QInt8)       \
  _(::executorch::aten::quint8, QUInt8)     \
  _(::executorch::aten::qint32, QInt32)     \
  _(::executorch::aten::quint4x2, QUInt4x2) \
  _(::executorch::aten::quint2x4, QUInt2x4)

/// The types a Scalar can have.
#define ET_FORALL_SCALAR_OBJ_TYPES(_) \
  _(bool, Bool)                       \
  _(int64_t, Long)                    \
  _(double, Double)

#define ET_FORALL_INT_TYPES_WITH(ANOTHER_INPUT, _) \
  _(ANOTHER_INPUT, uint8_t, Byte)                  \
  _(ANOTHER_INPUT, int8_t, Char)                   \
  _(ANOTHER_INPUT, int16_t, Short)                 \
  _(ANOTHER_INPUT, int32_t, Int)                   \
  _(ANOTHER_INPUT, int64_t, Long)

#define ET_FORALL_FLOAT_TYPES_WITH(ANOTHER_INPUT, _) \
  _(ANOTHER_INPUT, float, Float)                     \
  _(ANOTHER_INPUT, double, Double)

#define ET_FORALL_FLOATH_TYPES_WITH(ANOTHER_INPUT, _) \
  ET_FORALL_FLOAT_TYPES_WITH(ANOTHER_INPUT, _)        \
  _(ANOTHER_INPUT, ::executorch::aten::Half, Half)

#define ET_FORALL_FLOATHBF16_TYPES_WITH(ANOTHER_INPUT, _) \
  ET_FORALL_FLOAT_TYPES_WITH(ANOTHER_INPUT, _)            \
  _(ANOTHER_INPUT, ::executorch::aten::Half, Half)        \
  _(ANOTHER_INPUT, ::executorch::aten::BFloat16, BFloat16)

#define ET_FORALL_REAL_TYPES_WITH(ANOTHER_INPUT, _) \
  ET_FORALL_INT_TYPES_WITH(ANOTHER_INPUT, _)        \
  ET_FORALL_FLOAT_TYPES_WITH(ANOTHER_INPUT, _)

#define ET_FORALL_REAL_TYPES_AND_WITH(ADDITIONAL, ANOTHER_INPUT, _) \
  ET_FORALL_REAL_TYPES_WITH(ANOTHER_INPUT, _)                       \
  _(ANOTHER_INPUT, ET_INTERNAL_SCALAR_CTYPE(ADDITIONAL), ADDITIONAL)

#define ET_FORALL_REALHBBF16_TYPES_WITH(ANOTHER_INPUT, _) \
  ET_FORALL_REAL_TYPES_WITH(ANOTHER_INPUT, _)             \
  _(ANOTHER_INPUT, ::executorch::aten::Half, Half)        \
  _(ANOTHER_INPUT, bool, Bool)                            \
  _(ANOTHER_INPUT, ::executorch::aten::BFloat16, BFloat16)

// With two inputs of the caller's that go along.
#define ET_FORALL_INT_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _) \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, uint8_t, Byte)                   \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int8_t, Char)                    \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int16_t, Short)                  \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int32_t, Int)                    \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, int64_t, Long)

#define ET_FORALL_FLOAT_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _) \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, float, Float)                      \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, double, Double)

#define ET_FORALL_FLOATHBF16_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _) \
  ET_FORALL_FLOAT_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _)            \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, ::executorch::aten::Half, Half)         \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, ::executorch::aten::BFloat16, BFloat16)

#define ET_FORALL_REAL_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _) \
  ET_FORALL_INT_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _)        \
  ET_FORALL_FLOAT_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _)

#define ET_FORALL_REALHBF16_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _) \
  ET_FORALL_INT_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _)             \
  ET_FORALL_FLOATHBF16_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _)

#define ET_FORALL_REALHBBF16_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _) \
  ET_FORALL_REALHBF16_TYPES_WITH2(ANOTHER_INPUT1, ANOTHER_INPUT2, _)        \
  _(ANOTHER_INPUT1, ANOTHER_INPUT2, bool, Bool)
