package org.pytorch.executorch;

/**
 * Values in the three arrays that natives take and give. For the classes of this library: applications have no use for
 * it, and it changes without notice.
 *
 * <p>For value {@code i}, {@code kinds[i]} says what it is (0 none, 1 int, 2 double, 3 bool, 4 string, 5 tensor, 6 a list,
 * which can be returned but not read); {@code bits[i]} is the int, the double's {@link Double#doubleToRawLongBits}, the
 * bool as 0 or 1, or a tensor's dtype number; {@code objects[2 * i]} is a string, or a tensor's data as a direct {@link
 * java.nio.ByteBuffer} in native order, and {@code objects[2 * i + 1]} is a tensor's shape as {@code long[]}. An input's
 * data may be a buffer of the elements' type as well. Tensors are contiguous.
 */
public final class NativeValues {
  private static final int KIND_NONE = 0;
  private static final int KIND_INT = 1;
  private static final int KIND_DOUBLE = 2;
  private static final int KIND_BOOL = 3;
  private static final int KIND_STRING = 4;
  private static final int KIND_TENSOR = 5;

  /** What each value is. */
  public final int[] kinds;

  /** Numbers. */
  public final long[] bits;

  /** Strings, and data and shapes of tensors. */
  public final Object[] objects;

  private NativeValues(int count) {
    kinds = new int[count];
    bits = new long[count];
    objects = new Object[2 * count];
  }

  /** The arrays of some values; the tensors' memory is referred to. */
  public static NativeValues pack(EValue... values) {
    NativeValues made = new NativeValues(values.length);
    for (int i = 0; i < values.length; ++i) {
      made.kinds[i] = pack(values[i], i, made.bits, made.objects);
    }
    return made;
  }

  private static int pack(EValue value, int index, long[] bits, Object[] objects) {
    if (value == null) {
      throw new IllegalArgumentException(
          "Input " + index + " is null; an argument that is not given is EValue.optionalNone()");
    }
    if (value.isTensor()) {
      Tensor tensor = value.toTensor();
      bits[index] = tensor.dtype().jniCode;
      objects[2 * index] = tensor.memory();
      objects[2 * index + 1] = tensor.sizes();
      return KIND_TENSOR;
    }
    if (value.isInt()) {
      bits[index] = value.toInt();
      return KIND_INT;
    }
    if (value.isDouble()) {
      bits[index] = Double.doubleToRawLongBits(value.toDouble());
      return KIND_DOUBLE;
    }
    if (value.isBool()) {
      bits[index] = value.toBool() ? 1 : 0;
      return KIND_BOOL;
    }
    if (value.isString()) {
      objects[2 * index] = value.toStr();
      return KIND_STRING;
    }
    if (value.isNone()) {
      return KIND_NONE;
    }
    throw new IllegalArgumentException("Input " + index + " is a list, which cannot be given to a method here");
  }

  /** Values from the natives' arrays, with copies of the tensors. */
  public static EValue[] unpack(Object[] values) {
    int[] kinds = (int[]) values[0];
    long[] bits = (long[]) values[1];
    Object[] objects = (Object[]) values[2];
    EValue[] made = new EValue[kinds.length];
    for (int i = 0; i < made.length; ++i) {
      made[i] = unpack(kinds[i], bits[i], objects[2 * i], objects[2 * i + 1]);
    }
    return made;
  }

  private static EValue unpack(int kind, long bits, Object first, Object second) {
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
        return EValue.from((String) first);
      case KIND_TENSOR:
        return EValue.from(
            Tensor.copyOf((java.nio.ByteBuffer) first, (long[]) second, DType.fromJniCode((int) bits)));
      default:
        return EValue.list();
    }
  }
}
