package org.pytorch.executorch;

import org.pytorch.executorch.annotations.Experimental;

/** Element types of tensors. {@link #jniCode} is the number of the runtime's ScalarType, which files have as well. */
@Experimental
public enum DType {
  UINT8(0, 1),
  INT8(1, 1),
  INT16(2, 2),
  INT32(3, 4),
  INT64(4, 8),
  /** IEEE half precision; its bits travel as {@code short}. */
  HALF(5, 2),
  FLOAT(6, 4),
  DOUBLE(7, 8),
  COMPLEX_HALF(8, 4),
  COMPLEX_FLOAT(9, 8),
  COMPLEX_DOUBLE(10, 16),
  /** One byte an element, 0 or 1. */
  BOOL(11, 1),
  QINT8(12, 1),
  QUINT8(13, 1),
  QINT32(14, 4),
  /** The upper half of a float; its bits travel as {@code short}. */
  BFLOAT16(15, 2),
  QINT4X2(16, 1),
  QINT2X4(17, 1),
  BITS1X8(18, 1),
  BITS2X4(19, 1),
  BITS4X2(20, 1),
  BITS8(21, 1),
  BITS16(22, 2),
  FLOAT8_E5M2(23, 1),
  FLOAT8_E4M3FN(24, 1),
  FLOAT8_E5M2FNUZ(25, 1),
  FLOAT8_E4M3FNUZ(26, 1),
  UINT16(27, 2),
  UINT32(28, 4),
  UINT64(29, 8);

  final int jniCode;
  final int bytes;

  DType(int jniCode, int bytes) {
    this.jniCode = jniCode;
    this.bytes = bytes;
  }

  private static final DType[] ALL = values();

  /** The type with a number. {@link IllegalArgumentException} if there is none. */
  public static DType fromJniCode(int jniCode) {
    // Numbers count up from 0 without a gap.
    if (jniCode < 0 || jniCode >= ALL.length) {
      throw new IllegalArgumentException("No DType has the number " + jniCode + "; they go from 0 to " + (ALL.length - 1));
    }
    return ALL[jniCode];
  }

  /** The number of the runtime's ScalarType. */
  public int getJniCode() {
    return jniCode;
  }

  /** Bytes of an element. */
  public int getBytes() {
    return bytes;
  }
}
