package org.pytorch.executorch;

import java.nio.Buffer;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;

/** What {@link Tensor} does with memory: counting, allocating, views of buffers, bytes for other processes. */
final class TensorMemory {
  private static final short HALF_ONE = 0x3C00;

  private TensorMemory() {}

  /** The number of elements of a shape, which must fit into an int, as Java's buffers do. */
  static int count(long[] shape) {
    if (shape == null) {
      throw new IllegalArgumentException("The shape of a tensor is null");
    }
    boolean empty = false;
    for (long size : shape) {
      if (size < 0 || size > Integer.MAX_VALUE) {
        throw new IllegalArgumentException("The shape " + Arrays.toString(shape) + " has a size of " + size);
      }
      empty |= size == 0;
    }
    long count = 1;
    for (long size : shape) {
      count = empty ? 0 : count * size;
      if (count > Integer.MAX_VALUE) {
        throw new IllegalArgumentException(
            "The shape " + Arrays.toString(shape) + " has too many elements for Java's buffers");
      }
    }
    return (int) count;
  }

  static ByteBuffer allocate(int count, int bytes) {
    long size = (long) count * bytes;
    if (count < 0 || size > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("A buffer cannot have " + count + " elements of " + bytes + " bytes");
    }
    return ByteBuffer.allocateDirect((int) size).order(ByteOrder.nativeOrder());
  }

  /** From the first element to the last, whatever the buffer's position and limit are. */
  static Buffer view(Buffer data) {
    Buffer view;
    if (data instanceof FloatBuffer) {
      view = ((FloatBuffer) data).duplicate();
    } else if (data instanceof IntBuffer) {
      view = ((IntBuffer) data).duplicate();
    } else if (data instanceof LongBuffer) {
      view = ((LongBuffer) data).duplicate();
    } else if (data instanceof DoubleBuffer) {
      view = ((DoubleBuffer) data).duplicate();
    } else if (data instanceof ShortBuffer) {
      view = ((ShortBuffer) data).duplicate();
    } else {
      view = ((ByteBuffer) data).duplicate().order(ByteOrder.nativeOrder());
    }
    view.clear();
    return view;
  }

  /** A buffer of bytes as one of the elements of a type; buffers of other types stay what they are. */
  static Buffer typed(Buffer data, DType dtype) {
    Buffer view = view(data);
    if (!(view instanceof ByteBuffer)) {
      return view;
    }
    ByteBuffer bytes = (ByteBuffer) view;
    switch (dtype) {
      case FLOAT:
        return bytes.asFloatBuffer();
      case DOUBLE:
        return bytes.asDoubleBuffer();
      case INT64:
      case UINT64:
        return bytes.asLongBuffer();
      case INT32:
      case UINT32:
      case QINT32:
        return bytes.asIntBuffer();
      case INT16:
      case UINT16:
      case HALF:
      case BFLOAT16:
      case BITS16:
        return bytes.asShortBuffer();
      default:
        return bytes;
    }
  }

  /** Refuses what natives cannot read: memory of Java's heap, elements in the other byte order. */
  static void checkDirect(Buffer data) {
    if (!data.isDirect()) {
      throw new IllegalArgumentException(
          "The buffer of a tensor must be direct, as of Tensor.allocateFloatBuffer or ByteBuffer.allocateDirect; an array is copied");
    }
    // A buffer of bytes has an order only once it is read as something else, which is done here, in native order.
    if (!(data instanceof ByteBuffer) && orderOf(data) != ByteOrder.nativeOrder()) {
      throw new IllegalArgumentException(
          "The buffer of a tensor must be in native order: call order(ByteOrder.nativeOrder()) on the bytes before asFloatBuffer()");
    }
  }

  private static ByteOrder orderOf(Buffer data) {
    if (data instanceof FloatBuffer) {
      return ((FloatBuffer) data).order();
    }
    if (data instanceof IntBuffer) {
      return ((IntBuffer) data).order();
    }
    if (data instanceof LongBuffer) {
      return ((LongBuffer) data).order();
    }
    if (data instanceof DoubleBuffer) {
      return ((DoubleBuffer) data).order();
    }
    return ((ShortBuffer) data).order();
  }

  static void fillWithOnes(Buffer view, DType dtype) {
    if (view instanceof FloatBuffer) {
      fill(view.capacity(), i -> ((FloatBuffer) view).put(i, 1.0f));
    } else if (view instanceof DoubleBuffer) {
      fill(view.capacity(), i -> ((DoubleBuffer) view).put(i, 1.0));
    } else if (view instanceof LongBuffer) {
      fill(view.capacity(), i -> ((LongBuffer) view).put(i, 1));
    } else if (view instanceof IntBuffer && dtype != DType.QINT32) {
      fill(view.capacity(), i -> ((IntBuffer) view).put(i, 1));
    } else if (dtype == DType.HALF || dtype == DType.BFLOAT16) {
      short one = dtype == DType.HALF ? HALF_ONE : (short) (Float.floatToRawIntBits(1.0f) >>> 16);
      fill(view.capacity(), i -> ((ShortBuffer) view).put(i, one));
    } else if (dtype == DType.INT16 || dtype == DType.UINT16) {
      fill(view.capacity(), i -> ((ShortBuffer) view).put(i, (short) 1));
    } else if (dtype == DType.UINT8 || dtype == DType.INT8 || dtype == DType.BOOL) {
      fill(view.capacity(), i -> ((ByteBuffer) view).put(i, (byte) 1));
    } else {
      throw new IllegalArgumentException("Tensor.ones has no one of type " + dtype);
    }
  }

  private interface Setter {
    void set(int index);
  }

  private static void fill(int count, Setter setter) {
    for (int i = 0; i < count; ++i) {
      setter.set(i);
    }
  }

  static float halfToFloat(short bits) {
    int exponent = bits >> 10 & 0x1F;
    int fraction = bits & 0x3FF;
    float magnitude;
    if (exponent == 0) {
      magnitude = fraction * 0x1p-24f;
    } else {
      magnitude = Float.intBitsToFloat((exponent == 0x1F ? 0xFF : exponent + 112) << 23 | fraction << 13);
    }
    return bits < 0 ? -magnitude : magnitude;
  }

  /** One byte of type, one of rank, the sizes as ints, all in network order; then the elements as they lie in memory. */
  static byte[] toBytes(Tensor tensor) {
    long[] sizes = tensor.sizes();
    int payload = (int) tensor.numel() * tensor.dtype().bytes;
    ByteBuffer made = ByteBuffer.allocate(2 + Integer.BYTES * sizes.length + payload);
    made.put((byte) tensor.dtype().jniCode).put((byte) sizes.length);
    for (long size : sizes) {
      made.putInt((int) size);
    }
    copy(view(tensor.memory()), made.slice().order(ByteOrder.nativeOrder()));
    return made.array();
  }

  static Tensor fromBytes(byte[] bytes) {
    if (bytes == null) {
      throw new IllegalArgumentException("The bytes of a tensor are null");
    }
    ByteBuffer read = ByteBuffer.wrap(bytes);
    try {
      DType dtype = DType.fromJniCode(read.get());
      long[] shape = new long[read.get() & 0xFF];
      for (int i = 0; i < shape.length; ++i) {
        shape[i] = read.getInt();
      }
      long wanted = (long) count(shape) * dtype.bytes;
      if (wanted != read.remaining()) {
        throw new IllegalArgumentException(
            "A tensor of shape " + Arrays.toString(shape) + " and type " + dtype + " has " + wanted + " bytes, but there are " + read.remaining());
      }
      return Tensor.copyOf(read.slice(), shape, dtype);
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("These bytes are no tensor: " + bytes.length + " are too few", e);
    }
  }

  private static void copy(Buffer from, ByteBuffer to) {
    if (from instanceof FloatBuffer) {
      to.asFloatBuffer().put((FloatBuffer) from);
    } else if (from instanceof IntBuffer) {
      to.asIntBuffer().put((IntBuffer) from);
    } else if (from instanceof LongBuffer) {
      to.asLongBuffer().put((LongBuffer) from);
    } else if (from instanceof DoubleBuffer) {
      to.asDoubleBuffer().put((DoubleBuffer) from);
    } else if (from instanceof ShortBuffer) {
      to.asShortBuffer().put((ShortBuffer) from);
    } else {
      to.put((ByteBuffer) from);
    }
  }
}
