package org.pytorch.executorch;

import java.nio.ByteBuffer;

/**
 * Values in the array that natives take and give. For the classes of this library: applications have no use for it, and it
 * changes without notice.
 *
 * <p>Element 0 is a {@code long[]} with the numbers of one value after the other: what it is (0 none, 1 int, 2 double, 3
 * bool, 4 string, 5 tensor, 6 a list, which can be returned but not read); then the int, the double's {@link
 * Double#doubleToRawLongBits}, the bool as 0 or 1, a tensor's dtype number, or 0; and, of a tensor, how many dimensions it
 * has and their sizes. Element {@code 1 + i} is value {@code i}'s string, or a tensor's data as a direct {@link ByteBuffer}
 * in native order, or null. An input's data may be a buffer of the elements' type as well. Tensors are contiguous.
 */
public final class NativeValues {
  private static final int KIND_NONE = 0;
  private static final int KIND_INT = 1;
  private static final int KIND_DOUBLE = 2;
  private static final int KIND_BOOL = 3;
  private static final int KIND_STRING = 4;
  private static final int KIND_TENSOR = 5;

  private NativeValues() {}

  /** The array of some values; the tensors' memory is referred to. */
  public static Object[] pack(EValue... values) {
    Object[] made = new Object[1 + values.length];
    int length = 0;
    for (int i = 0; i < values.length; ++i) {
      if (values[i] == null) {
        throw new IllegalArgumentException(
            "Input " + i + " is null; an argument that is not given is EValue.optionalNone()");
      }
      length += values[i].isTensor() ? 3 + values[i].toTensor().sizes().length : 2;
    }
    long[] numbers = new long[length];
    int next = 0;
    for (int i = 0; i < values.length; ++i) {
      if (values[i].isTensor()) {
        Tensor tensor = values[i].toTensor();
        long[] sizes = tensor.sizes();
        numbers[next++] = KIND_TENSOR;
        numbers[next++] = tensor.dtype().jniCode;
        numbers[next++] = sizes.length;
        System.arraycopy(sizes, 0, numbers, next, sizes.length);
        next += sizes.length;
        made[1 + i] = tensor.memory();
      } else {
        int kind = kindOf(values[i], i);
        numbers[next++] = kind;
        numbers[next++] = bitsOf(values[i], kind);
        made[1 + i] = kind == KIND_STRING ? values[i].toStr() : null;
      }
    }
    made[0] = numbers;
    return made;
  }

  private static int kindOf(EValue value, int index) {
    if (value.isInt()) {
      return KIND_INT;
    }
    if (value.isDouble()) {
      return KIND_DOUBLE;
    }
    if (value.isBool()) {
      return KIND_BOOL;
    }
    if (value.isString()) {
      return KIND_STRING;
    }
    if (value.isNone()) {
      return KIND_NONE;
    }
    throw new IllegalArgumentException("Input " + index + " is a list, which cannot be given to a method here");
  }

  private static long bitsOf(EValue value, int kind) {
    switch (kind) {
      case KIND_INT:
        return value.toInt();
      case KIND_DOUBLE:
        return Double.doubleToRawLongBits(value.toDouble());
      case KIND_BOOL:
        return value.toBool() ? 1 : 0;
      default:
        return 0;
    }
  }

  /** Makes a tensor of the memory that a native gives. */
  public interface TensorMaker {
    Tensor make(ByteBuffer data, long[] sizes, DType dtype);
  }

  /** Values from a native's array, with copies of the tensors. */
  public static EValue[] unpack(Object[] values) {
    return unpack(values, Tensor::copyOf);
  }

  /** The same with tensors of another making. */
  public static EValue[] unpack(Object[] values, TensorMaker tensors) {
    long[] numbers = (long[]) values[0];
    EValue[] made = new EValue[values.length - 1];
    int next = 0;
    for (int i = 0; i < made.length; ++i) {
      int kind = (int) numbers[next++];
      long bits = numbers[next++];
      if (kind == KIND_TENSOR) {
        long[] sizes = new long[(int) numbers[next++]];
        System.arraycopy(numbers, next, sizes, 0, sizes.length);
        next += sizes.length;
        made[i] = EValue.from(tensors.make((ByteBuffer) values[1 + i], sizes, DType.fromJniCode((int) bits)));
      } else {
        made[i] = unpack(kind, bits, values[1 + i]);
      }
    }
    return made;
  }

  private static EValue unpack(int kind, long bits, Object object) {
    switch (kind) {
      case KIND_NONE:
        return EValue.optionalNone();
      case KIND_INT:
        return EValue.from(bits);
      case KIND_DOUBLE:
        return EValue.from(Double.longBitsToDouble(bits));
      case KIND_BOOL:
        return EValue.from(bits != 0);
      case KIND_STRING:
        return EValue.from((String) object);
      default:
        return EValue.list();
    }
  }
}
