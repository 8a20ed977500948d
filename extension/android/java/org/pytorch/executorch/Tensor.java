package org.pytorch.executorch;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import org.pytorch.executorch.annotations.Experimental;

/**
 * A dense, contiguous tensor: elements of one {@link DType} in memory outside of Java's heap, in the processor's byte
 * order, the last dimension varying fastest.
 *
 * <p>{@code fromBlob} of an array copies it; {@code fromBlob} of a buffer uses the buffer's memory from its first element,
 * and the buffer must be direct and in native order, as those of {@code allocate…Buffer} are. Tensors that a {@link Module}
 * returns own their memory: they stay valid when the method runs again and when the module is destroyed. A shape has
 * one number a dimension, none negative; an empty one is a scalar. What does not fit together throws {@link
 * IllegalArgumentException}.
 */
@Experimental
public final class Tensor {
  /** Direct and in native order; of the type that {@link TensorMemory#typed} gives for the dtype. */
  private final Buffer data;

  private final long[] shape;
  private final DType dtype;
  private final int numel;

  private Tensor(Buffer data, long[] shape, DType dtype) {
    this.data = data;
    this.shape = shape;
    this.dtype = dtype;
    this.numel = TensorMemory.count(shape);
  }

  /** A direct buffer for {@code numElements} bytes. */
  public static ByteBuffer allocateByteBuffer(int numElements) {
    return TensorMemory.allocate(numElements, 1);
  }

  /** A direct buffer for {@code numElements} elements, as are the other {@code allocate…Buffer}. */
  public static IntBuffer allocateIntBuffer(int numElements) {
    return TensorMemory.allocate(numElements, Integer.BYTES).asIntBuffer();
  }

  public static LongBuffer allocateLongBuffer(int numElements) {
    return TensorMemory.allocate(numElements, Long.BYTES).asLongBuffer();
  }

  public static FloatBuffer allocateFloatBuffer(int numElements) {
    return TensorMemory.allocate(numElements, Float.BYTES).asFloatBuffer();
  }

  public static DoubleBuffer allocateDoubleBuffer(int numElements) {
    return TensorMemory.allocate(numElements, Double.BYTES).asDoubleBuffer();
  }

  /** For the bits of half precision floats ({@link DType#HALF}). */
  public static ShortBuffer allocateHalfBuffer(int numElements) {
    return TensorMemory.allocate(numElements, Short.BYTES).asShortBuffer();
  }

  /** A {@link DType#UINT8} tensor, from a copy of {@code data}. */
  public static Tensor fromBlobUnsigned(byte[] data, long[] shape) {
    return copied(data, shape, DType.UINT8);
  }

  /** A {@link DType#UINT8} tensor over the memory of {@code data}. */
  public static Tensor fromBlobUnsigned(ByteBuffer data, long[] shape) {
    return fromBlob(data, shape, DType.UINT8);
  }

  /** A {@link DType#INT8} tensor, from a copy of {@code data}. */
  public static Tensor fromBlob(byte[] data, long[] shape) {
    return copied(data, shape, DType.INT8);
  }

  /** A {@link DType#HALF} tensor, from a copy of {@code data}, the elements' bits. */
  public static Tensor fromBlob(short[] data, long[] shape) {
    Tensor made = empty(shape, DType.HALF, lengthOf(data, data == null ? 0 : data.length));
    ((ShortBuffer) made.view()).put(data);
    return made;
  }

  /** A {@link DType#INT32} tensor, from a copy of {@code data}. */
  public static Tensor fromBlob(int[] data, long[] shape) {
    Tensor made = empty(shape, DType.INT32, lengthOf(data, data == null ? 0 : data.length));
    ((IntBuffer) made.view()).put(data);
    return made;
  }

  /** A {@link DType#FLOAT} tensor, from a copy of {@code data}. */
  public static Tensor fromBlob(float[] data, long[] shape) {
    Tensor made = empty(shape, DType.FLOAT, lengthOf(data, data == null ? 0 : data.length));
    ((FloatBuffer) made.view()).put(data);
    return made;
  }

  /** A {@link DType#INT64} tensor, from a copy of {@code data}. */
  public static Tensor fromBlob(long[] data, long[] shape) {
    Tensor made = empty(shape, DType.INT64, lengthOf(data, data == null ? 0 : data.length));
    ((LongBuffer) made.view()).put(data);
    return made;
  }

  /** A {@link DType#DOUBLE} tensor, from a copy of {@code data}. */
  public static Tensor fromBlob(double[] data, long[] shape) {
    Tensor made = empty(shape, DType.DOUBLE, lengthOf(data, data == null ? 0 : data.length));
    ((DoubleBuffer) made.view()).put(data);
    return made;
  }

  /** A {@link DType#INT8} tensor over the memory of {@code data}. */
  public static Tensor fromBlob(ByteBuffer data, long[] shape) {
    return fromBlob(data, shape, DType.INT8);
  }

  /** A tensor of any type over the memory of {@code data}. */
  public static Tensor fromBlob(ByteBuffer data, long[] shape, DType dtype) {
    if (dtype == null) {
      throw new IllegalArgumentException("The dtype of a tensor is null");
    }
    return over(data, shape, dtype, dtype.bytes);
  }

  /** A {@link DType#HALF} tensor over the memory of {@code data}. */
  public static Tensor fromBlob(ShortBuffer data, long[] shape) {
    return over(data, shape, DType.HALF, 1);
  }

  /** A {@link DType#INT32} tensor over the memory of {@code data}. */
  public static Tensor fromBlob(IntBuffer data, long[] shape) {
    return over(data, shape, DType.INT32, 1);
  }

  /** A {@link DType#FLOAT} tensor over the memory of {@code data}. */
  public static Tensor fromBlob(FloatBuffer data, long[] shape) {
    return over(data, shape, DType.FLOAT, 1);
  }

  /** A {@link DType#INT64} tensor over the memory of {@code data}. */
  public static Tensor fromBlob(LongBuffer data, long[] shape) {
    return over(data, shape, DType.INT64, 1);
  }

  /** A {@link DType#DOUBLE} tensor over the memory of {@code data}. */
  public static Tensor fromBlob(DoubleBuffer data, long[] shape) {
    return over(data, shape, DType.DOUBLE, 1);
  }

  /** A tensor of zeros. */
  public static Tensor zeros(long[] shape, DType dtype) {
    return empty(shape, dtype, -1);
  }

  /** A tensor of ones, of an integer type, {@link DType#BOOL}, {@link DType#HALF}, {@link DType#FLOAT} or {@link DType#DOUBLE}. */
  public static Tensor ones(long[] shape, DType dtype) {
    Tensor made = empty(shape, dtype, -1);
    TensorMemory.fillWithOnes(made.view(), dtype);
    return made;
  }

  /** The number of elements. */
  public long numel() {
    return numel;
  }

  /** The number of elements of a shape: the product of its numbers, 1 for a scalar. */
  public static long numel(long[] shape) {
    return TensorMemory.count(shape);
  }

  /** A copy of the shape. */
  public long[] shape() {
    return shape.clone();
  }

  /** The type of the elements. */
  public DType dtype() {
    return dtype;
  }

  /**
   * The elements' memory itself, as another view at each call: a FloatBuffer, IntBuffer, LongBuffer, DoubleBuffer or
   * ShortBuffer for types of that width, a ByteBuffer for all others.
   */
  public Buffer getRawDataBuffer() {
    return view();
  }

  /** A copy of the elements of a tensor of {@link DType#INT8}, {@link DType#BOOL} or a packed type of one byte. */
  public byte[] getDataAsByteArray() {
    expect("getDataAsByteArray", dtype.bytes == 1 && dtype != DType.UINT8);
    return bytes();
  }

  /** A copy of the elements of a {@link DType#UINT8} tensor. */
  public byte[] getDataAsUnsignedByteArray() {
    expect("getDataAsUnsignedByteArray", dtype == DType.UINT8);
    return bytes();
  }

  /** A copy of the elements of a tensor of two bytes an element: {@link DType#INT16} or the bits of {@link DType#HALF}. */
  public short[] getDataAsShortArray() {
    expect("getDataAsShortArray", dtype.bytes == 2);
    short[] made = new short[numel];
    ((ShortBuffer) view()).get(made);
    return made;
  }

  /** A copy of the elements of a {@link DType#INT32} tensor. */
  public int[] getDataAsIntArray() {
    expect("getDataAsIntArray", dtype == DType.INT32 || dtype == DType.UINT32 || dtype == DType.QINT32);
    int[] made = new int[numel];
    ((IntBuffer) view()).get(made);
    return made;
  }

  /** A copy of the elements of a {@link DType#FLOAT} tensor; {@link DType#HALF} and {@link DType#BFLOAT16} are widened. */
  public float[] getDataAsFloatArray() {
    expect("getDataAsFloatArray", dtype == DType.FLOAT || dtype == DType.HALF || dtype == DType.BFLOAT16);
    float[] made = new float[numel];
    if (dtype == DType.FLOAT) {
      ((FloatBuffer) view()).get(made);
      return made;
    }
    ShortBuffer bits = (ShortBuffer) data;
    for (int i = 0; i < numel; ++i) {
      short element = bits.get(i);
      made[i] = dtype == DType.HALF ? TensorMemory.halfToFloat(element) : Float.intBitsToFloat(element << 16);
    }
    return made;
  }

  /** A copy of the elements of a {@link DType#INT64} tensor. */
  public long[] getDataAsLongArray() {
    expect("getDataAsLongArray", dtype == DType.INT64 || dtype == DType.UINT64);
    long[] made = new long[numel];
    ((LongBuffer) view()).get(made);
    return made;
  }

  /** A copy of the elements of a {@link DType#DOUBLE} tensor. */
  public double[] getDataAsDoubleArray() {
    expect("getDataAsDoubleArray", dtype == DType.DOUBLE);
    double[] made = new double[numel];
    ((DoubleBuffer) view()).get(made);
    return made;
  }

  /** The tensor in bytes, to be read by {@link #fromByteArray}: its type, its rank, its shape and the elements. */
  public byte[] toByteArray() {
    return TensorMemory.toBytes(this);
  }

  /** Reads what {@link #toByteArray} wrote on a processor of the same byte order. */
  public static Tensor fromByteArray(byte[] bytes) {
    return TensorMemory.fromBytes(bytes);
  }

  @Override
  public String toString() {
    return "Tensor(" + Arrays.toString(shape) + ", dtype=torch." + dtype.name().toLowerCase(java.util.Locale.ROOT) + ")";
  }

  /** A tensor with a copy of the runtime's bytes, which may be another module's a moment later. */
  static Tensor copyOf(ByteBuffer bytes, long[] shape, DType dtype) {
    ByteBuffer memory = TensorMemory.allocate(bytes.capacity(), 1);
    memory.duplicate().put(bytes);
    return new Tensor(TensorMemory.typed(memory, dtype), shape, dtype);
  }

  /** The buffer at its beginning; who asks may move the view. */
  private Buffer view() {
    return TensorMemory.view(data);
  }

  /** For natives, which read no position. */
  Buffer memory() {
    return data;
  }

  /** For natives, which do not keep it. */
  long[] sizes() {
    return shape;
  }

  /** A tensor of zeros; {@code length} elements are to be put into it, -1 to leave it so. */
  private static Tensor empty(long[] shape, DType dtype, int length) {
    if (dtype == null) {
      throw new IllegalArgumentException("The dtype of a tensor is null");
    }
    int count = TensorMemory.count(shape);
    if (length >= 0 && length != count) {
      throw mismatch(length, shape, count);
    }
    return new Tensor(TensorMemory.typed(TensorMemory.allocate(count, dtype.bytes), dtype), shape.clone(), dtype);
  }

  private static Tensor copied(byte[] data, long[] shape, DType dtype) {
    Tensor made = empty(shape, dtype, lengthOf(data, data == null ? 0 : data.length));
    ((ByteBuffer) made.view()).put(data);
    return made;
  }

  /** A tensor over a buffer, {@code perElement} of whose elements make one of the tensor's. */
  private static Tensor over(Buffer data, long[] shape, DType dtype, int perElement) {
    int count = TensorMemory.count(shape);
    int capacity = lengthOf(data, data == null ? 0 : data.capacity());
    if (capacity != (long) count * perElement) {
      throw mismatch(capacity / perElement, shape, count);
    }
    TensorMemory.checkDirect(data);
    return new Tensor(TensorMemory.typed(data, dtype), shape.clone(), dtype);
  }

  private static int lengthOf(Object data, int length) {
    if (data == null) {
      throw new IllegalArgumentException("The data of a tensor is null");
    }
    return length;
  }

  private static IllegalArgumentException mismatch(int length, long[] shape, int count) {
    return new IllegalArgumentException(
        "A tensor of shape " + Arrays.toString(shape) + " has " + count + " elements, but the data has " + length);
  }

  private void expect(String method, boolean fits) {
    if (!fits) {
      throw new IllegalStateException("Tensor of type " + dtype + " cannot return its data by " + method);
    }
  }

  private byte[] bytes() {
    byte[] made = new byte[numel];
    ((ByteBuffer) view()).get(made);
    return made;
  }
}
