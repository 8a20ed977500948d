package org.pytorch.executorch;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.pytorch.executorch.annotations.Experimental;

/**
 * A value that a method takes or returns: nothing, a tensor, a string, a double, an integer or a bool. The methods
 * {@code isX} tell which; {@code toX} hand it out, or throw {@link IllegalStateException} if it is another.
 */
@Experimental
public final class EValue {
  private static final int TYPE_CODE_NONE = 0;
  private static final int TYPE_CODE_TENSOR = 1;
  private static final int TYPE_CODE_STRING = 2;
  private static final int TYPE_CODE_DOUBLE = 3;
  private static final int TYPE_CODE_INT = 4;
  private static final int TYPE_CODE_BOOL = 5;
  /** A list, which can be returned but not read. */
  private static final int TYPE_CODE_LIST = 6;

  private static final String[] TYPE_NAMES = {"None", "Tensor", "String", "Double", "Int", "Bool", "List"};

  private final int typeCode;
  private final Object data;

  private EValue(int typeCode, Object data) {
    this.typeCode = typeCode;
    this.data = data;
  }

  public boolean isNone() {
    return typeCode == TYPE_CODE_NONE;
  }

  public boolean isTensor() {
    return typeCode == TYPE_CODE_TENSOR;
  }

  public boolean isString() {
    return typeCode == TYPE_CODE_STRING;
  }

  public boolean isDouble() {
    return typeCode == TYPE_CODE_DOUBLE;
  }

  public boolean isInt() {
    return typeCode == TYPE_CODE_INT;
  }

  public boolean isBool() {
    return typeCode == TYPE_CODE_BOOL;
  }

  /** None, as for an optional argument that is not given. */
  public static EValue optionalNone() {
    return new EValue(TYPE_CODE_NONE, null);
  }

  /** A tensor; it is not copied. */
  public static EValue from(Tensor tensor) {
    return new EValue(TYPE_CODE_TENSOR, notNull(tensor));
  }

  public static EValue from(boolean value) {
    return new EValue(TYPE_CODE_BOOL, value);
  }

  public static EValue from(long value) {
    return new EValue(TYPE_CODE_INT, value);
  }

  public static EValue from(double value) {
    return new EValue(TYPE_CODE_DOUBLE, value);
  }

  public static EValue from(String value) {
    return new EValue(TYPE_CODE_STRING, notNull(value));
  }

  static EValue list() {
    return new EValue(TYPE_CODE_LIST, null);
  }

  public Tensor toTensor() {
    return (Tensor) expect(TYPE_CODE_TENSOR);
  }

  public boolean toBool() {
    return (Boolean) expect(TYPE_CODE_BOOL);
  }

  public long toInt() {
    return (Long) expect(TYPE_CODE_INT);
  }

  public double toDouble() {
    return (Double) expect(TYPE_CODE_DOUBLE);
  }

  public String toStr() {
    return (String) expect(TYPE_CODE_STRING);
  }

  /** The value in bytes, for another process or a file, to be read by {@link #fromByteArray}. */
  public byte[] toByteArray() {
    switch (typeCode) {
      case TYPE_CODE_NONE:
        return tagged(0).array();
      case TYPE_CODE_TENSOR:
        byte[] tensor = toTensor().toByteArray();
        return tagged(tensor.length).put(tensor).array();
      case TYPE_CODE_STRING:
        byte[] text = toStr().getBytes(StandardCharsets.UTF_8);
        return tagged(text.length).put(text).array();
      case TYPE_CODE_DOUBLE:
        return tagged(Double.BYTES).putDouble(toDouble()).array();
      case TYPE_CODE_INT:
        return tagged(Long.BYTES).putLong(toInt()).array();
      case TYPE_CODE_BOOL:
        return tagged(1).put((byte) (toBool() ? 1 : 0)).array();
      default:
        throw new IllegalStateException("A list cannot be written as bytes");
    }
  }

  /** Reads what {@link #toByteArray} wrote. {@link IllegalArgumentException} if it did not write these bytes. */
  public static EValue fromByteArray(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    try {
      switch (buffer.get()) {
        case TYPE_CODE_NONE:
          return optionalNone();
        case TYPE_CODE_TENSOR:
          return from(Tensor.fromByteArray(Arrays.copyOfRange(bytes, 1, bytes.length)));
        case TYPE_CODE_STRING:
          return from(new String(bytes, 1, bytes.length - 1, StandardCharsets.UTF_8));
        case TYPE_CODE_DOUBLE:
          return from(buffer.getDouble());
        case TYPE_CODE_INT:
          return from(buffer.getLong());
        case TYPE_CODE_BOOL:
          return from(buffer.get() != 0);
        default:
          throw new IllegalArgumentException("These bytes are no EValue: they begin with " + bytes[0]);
      }
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("These bytes are no EValue: " + bytes.length + " are too few", e);
    }
  }

  @Override
  public String toString() {
    return typeCode == TYPE_CODE_NONE || typeCode == TYPE_CODE_LIST ? typeName(typeCode) : String.valueOf(data);
  }

  private ByteBuffer tagged(int size) {
    return ByteBuffer.allocate(1 + size).put((byte) typeCode);
  }

  private Object expect(int wanted) {
    if (typeCode != wanted) {
      throw new IllegalStateException(
          String.format(Locale.ROOT, "Expected an EValue of type %s, but it is %s", typeName(wanted), typeName(typeCode)));
    }
    return data;
  }

  private static Object notNull(Object value) {
    if (value == null) {
      throw new IllegalArgumentException("A value is null; an argument that is not given is EValue.optionalNone()");
    }
    return value;
  }

  private static String typeName(int typeCode) {
    return TYPE_NAMES[typeCode];
  }
}
