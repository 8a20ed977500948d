package org.pytorch.executorch;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import org.junit.Test;

public class TensorTest {
  private static final long[] SHAPE = {2, 2};

  private static void assertMessage(String part, Throwable thrown) {
    assertTrue(thrown.getMessage(), thrown.getMessage().contains(part));
  }

  @Test
  public void arraysAreCopied() {
    float[] data = {1, 2, 3, 4};
    Tensor tensor = Tensor.fromBlob(data, SHAPE);
    data[0] = 9;
    assertArrayEquals(new float[] {1, 2, 3, 4}, tensor.getDataAsFloatArray(), 0);
    assertEquals(DType.FLOAT, tensor.dtype());
    assertEquals(4, tensor.numel());
    assertArrayEquals(new int[] {1, -2}, Tensor.fromBlob(new int[] {1, -2}, new long[] {2}).getDataAsIntArray());
    assertArrayEquals(new long[] {1L << 40}, Tensor.fromBlob(new long[] {1L << 40}, new long[] {1}).getDataAsLongArray());
    assertArrayEquals(new double[] {0.1}, Tensor.fromBlob(new double[] {0.1}, new long[] {1}).getDataAsDoubleArray(), 0);
    assertArrayEquals(new byte[] {-1}, Tensor.fromBlob(new byte[] {-1}, new long[] {1}).getDataAsByteArray());
    assertArrayEquals(new byte[] {-1}, Tensor.fromBlobUnsigned(new byte[] {-1}, new long[] {1}).getDataAsUnsignedByteArray());
    assertEquals(DType.HALF, Tensor.fromBlob(new short[] {0x3C00}, new long[] {1}).dtype());
  }

  @Test
  public void buffersAreShared() {
    FloatBuffer floats = Tensor.allocateFloatBuffer(4);
    Tensor tensor = Tensor.fromBlob(floats, SHAPE);
    floats.put(new float[] {5, 6, 7, 8}); // moves its position, which the tensor does not have
    assertArrayEquals(new float[] {5, 6, 7, 8}, tensor.getDataAsFloatArray(), 0);

    IntBuffer ints = Tensor.allocateIntBuffer(1);
    LongBuffer longs = Tensor.allocateLongBuffer(1);
    DoubleBuffer doubles = Tensor.allocateDoubleBuffer(1);
    ShortBuffer halves = Tensor.allocateHalfBuffer(1);
    ByteBuffer bytes = Tensor.allocateByteBuffer(1);
    long[] one = {1};
    Tensor[] made = {
      Tensor.fromBlob(ints, one), Tensor.fromBlob(longs, one), Tensor.fromBlob(doubles, one),
      Tensor.fromBlob(halves, one), Tensor.fromBlob(bytes, one), Tensor.fromBlobUnsigned(bytes, one),
    };
    ints.put(0, 3);
    longs.put(0, 4);
    doubles.put(0, 0.5);
    halves.put(0, (short) 0x4200);
    bytes.put(0, (byte) 200);
    assertArrayEquals(new int[] {3}, made[0].getDataAsIntArray());
    assertArrayEquals(new long[] {4}, made[1].getDataAsLongArray());
    assertArrayEquals(new double[] {0.5}, made[2].getDataAsDoubleArray(), 0);
    assertArrayEquals(new float[] {3}, made[3].getDataAsFloatArray(), 0);
    assertArrayEquals(new byte[] {(byte) 200}, made[4].getDataAsByteArray());
    assertArrayEquals(new byte[] {(byte) 200}, made[5].getDataAsUnsignedByteArray());
  }

  @Test
  public void bytesMayBeOfAnyType() {
    ByteBuffer bytes = Tensor.allocateByteBuffer(8);
    bytes.putShort(0, (short) 7).putShort(6, (short) -7);
    Tensor tensor = Tensor.fromBlob(bytes, SHAPE, DType.INT16);
    assertArrayEquals(new short[] {7, 0, 0, -7}, tensor.getDataAsShortArray());
    // The order of a buffer of bytes is a matter of who reads it.
    Tensor swapped = Tensor.fromBlob(ByteBuffer.allocateDirect(8).order(ByteOrder.BIG_ENDIAN), SHAPE, DType.INT16);
    assertEquals(ByteOrder.nativeOrder(), ((ShortBuffer) swapped.getRawDataBuffer()).order());
  }

  @Test
  public void shapesHaveAsManyElementsAsTheirProduct() {
    assertEquals(1, Tensor.numel(new long[] {}));
    assertEquals(0, Tensor.numel(new long[] {1L << 30, 1L << 30, 0}));
    assertEquals(0, Tensor.fromBlob(new float[0], new long[] {0, 3}).numel());
    assertArrayEquals(new float[] {2}, Tensor.fromBlob(new float[] {2}, new long[] {}).getDataAsFloatArray(), 0);
    long[] shape = {1};
    Tensor tensor = Tensor.fromBlob(new int[] {1}, shape);
    shape[0] = 5;
    tensor.shape()[0] = 6;
    assertArrayEquals(new long[] {1}, tensor.shape());
    assertMessage(
        "[2, 2] has 4 elements, but the data has 3",
        assertThrows(IllegalArgumentException.class, () -> Tensor.fromBlob(new float[3], SHAPE)));
    assertMessage(
        "size of -1", assertThrows(IllegalArgumentException.class, () -> Tensor.fromBlob(new float[1], new long[] {-1, -1})));
    assertMessage(
        "too many", assertThrows(IllegalArgumentException.class, () -> Tensor.numel(new long[] {1L << 30, 1L << 30})));
  }

  @Test
  public void whatNativesCannotReadIsRefused() {
    assertMessage(
        "direct", assertThrows(IllegalArgumentException.class, () -> Tensor.fromBlob(FloatBuffer.allocate(4), SHAPE)));
    FloatBuffer swapped = ByteBuffer.allocateDirect(16).order(ByteOrder.BIG_ENDIAN).asFloatBuffer();
    if (ByteOrder.nativeOrder() != ByteOrder.BIG_ENDIAN) {
      assertMessage("native order", assertThrows(IllegalArgumentException.class, () -> Tensor.fromBlob(swapped, SHAPE)));
    }
    assertMessage("null", assertThrows(IllegalArgumentException.class, () -> Tensor.fromBlob((float[]) null, SHAPE)));
    assertMessage("null", assertThrows(IllegalArgumentException.class, () -> Tensor.fromBlob(new float[1], null)));
    assertMessage("null", assertThrows(IllegalArgumentException.class, () -> Tensor.zeros(SHAPE, null)));
    assertThrows(IllegalArgumentException.class, () -> Tensor.allocateLongBuffer(-1));
    assertThrows(IllegalArgumentException.class, () -> Tensor.allocateLongBuffer(1 << 29));
  }

  @Test
  public void elementsAreReadAsWhatTheyAre() {
    Tensor floats = Tensor.fromBlob(new float[4], SHAPE);
    assertMessage("FLOAT", assertThrows(IllegalStateException.class, floats::getDataAsIntArray));
    assertMessage("getDataAsByteArray", assertThrows(IllegalStateException.class, floats::getDataAsByteArray));
    assertThrows(IllegalStateException.class, Tensor.fromBlobUnsigned(new byte[4], SHAPE)::getDataAsByteArray);
    assertThrows(IllegalStateException.class, Tensor.fromBlob(new byte[4], SHAPE)::getDataAsUnsignedByteArray);
  }

  @Test
  public void halvesAreWidenedExactly() {
    short[] bits = {0x0000, (short) 0x8000, 0x0001, 0x03FF, 0x0400, 0x3C00, (short) 0xC000, 0x7BFF, 0x7C00, (short) 0xFC00};
    float[] values = {0, -0f, 0x1p-24f, 0x1.ff8p-15f, 0x1p-14f, 1, -2, 65504, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY};
    assertArrayEquals(values, Tensor.fromBlob(bits, new long[] {bits.length}).getDataAsFloatArray(), 0);
    assertTrue(Float.isNaN(Tensor.fromBlob(new short[] {0x7E00}, new long[] {1}).getDataAsFloatArray()[0]));
  }

  @Test
  public void onesAndZerosAreOfEveryNumericType() {
    assertArrayEquals(new float[] {1, 1}, Tensor.ones(new long[] {2}, DType.FLOAT).getDataAsFloatArray(), 0);
    assertArrayEquals(new float[] {1}, Tensor.ones(new long[] {1}, DType.HALF).getDataAsFloatArray(), 0);
    assertArrayEquals(new float[] {1}, Tensor.ones(new long[] {1}, DType.BFLOAT16).getDataAsFloatArray(), 0);
    assertArrayEquals(new double[] {1}, Tensor.ones(new long[] {1}, DType.DOUBLE).getDataAsDoubleArray(), 0);
    assertArrayEquals(new long[] {1}, Tensor.ones(new long[] {1}, DType.INT64).getDataAsLongArray());
    assertArrayEquals(new int[] {1}, Tensor.ones(new long[] {1}, DType.INT32).getDataAsIntArray());
    assertArrayEquals(new short[] {1}, Tensor.ones(new long[] {1}, DType.INT16).getDataAsShortArray());
    assertArrayEquals(new byte[] {1}, Tensor.ones(new long[] {1}, DType.BOOL).getDataAsByteArray());
    assertArrayEquals(new byte[] {1}, Tensor.ones(new long[] {1}, DType.UINT8).getDataAsUnsignedByteArray());
    assertThrows(IllegalArgumentException.class, () -> Tensor.ones(SHAPE, DType.COMPLEX_FLOAT));
    for (DType dtype : DType.values()) {
      assertEquals(dtype, Tensor.zeros(SHAPE, dtype).dtype());
      assertEquals(dtype, DType.fromJniCode(dtype.getJniCode()));
    }
  }

  @Test
  public void bytesComeBack() {
    for (DType dtype : DType.values()) {
      Tensor back = Tensor.fromByteArray(Tensor.zeros(new long[] {2, 3}, dtype).toByteArray());
      assertEquals(dtype, back.dtype());
      assertArrayEquals(new long[] {2, 3}, back.shape());
    }
    Tensor doubles = Tensor.fromBlob(new double[] {0.1, -2}, new long[] {2});
    assertArrayEquals(new double[] {0.1, -2}, Tensor.fromByteArray(doubles.toByteArray()).getDataAsDoubleArray(), 0);
    byte[] bytes = doubles.toByteArray();
    for (int size = 0; size < bytes.length; ++size) {
      byte[] cut = java.util.Arrays.copyOf(bytes, size);
      assertThrows(IllegalArgumentException.class, () -> Tensor.fromByteArray(cut));
    }
    assertThrows(IllegalArgumentException.class, () -> Tensor.fromByteArray(new byte[] {99, 0}));
  }
}
