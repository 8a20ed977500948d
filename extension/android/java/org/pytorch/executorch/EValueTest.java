package org.pytorch.executorch;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class EValueTest {
  private static EValue[] all() {
    return new EValue[] {
      EValue.optionalNone(), EValue.from(Tensor.fromBlob(new float[] {1, 2}, new long[] {2})), EValue.from("grün"),
      EValue.from(0.5), EValue.from(-7L), EValue.from(true),
    };
  }

  private static boolean[] questions(EValue value) {
    return new boolean[] {
      value.isNone(), value.isTensor(), value.isString(), value.isDouble(), value.isInt(), value.isBool(),
    };
  }

  @Test
  public void eachIsOneThing() {
    EValue[] values = all();
    for (int i = 0; i < values.length; ++i) {
      boolean[] wanted = new boolean[values.length];
      wanted[i] = true;
      assertArrayEquals(wanted, questions(values[i]));
    }
  }

  @Test
  public void valuesComeOut() {
    EValue[] values = all();
    assertArrayEquals(new float[] {1, 2}, values[1].toTensor().getDataAsFloatArray(), 0);
    assertEquals("grün", values[2].toStr());
    assertEquals(0.5, values[3].toDouble(), 0);
    assertEquals(-7, values[4].toInt());
    assertTrue(values[5].toBool());
    assertFalse(EValue.from(false).toBool());
  }

  @Test
  public void anotherTypeIsRefusedByName() {
    IllegalStateException thrown = assertThrows(IllegalStateException.class, () -> EValue.from(1.5).toTensor());
    assertEquals("Expected an EValue of type Tensor, but it is Double", thrown.getMessage());
    assertThrows(IllegalStateException.class, () -> EValue.from(1L).toDouble());
    assertThrows(IllegalStateException.class, () -> EValue.optionalNone().toInt());
    assertThrows(IllegalArgumentException.class, () -> EValue.from((Tensor) null));
    assertThrows(IllegalArgumentException.class, () -> EValue.from((String) null));
  }

  @Test
  public void bytesComeBack() {
    EValue[] values = all();
    for (EValue value : values) {
      EValue back = EValue.fromByteArray(value.toByteArray());
      assertArrayEquals(questions(value), questions(back));
      assertArrayEquals(value.toByteArray(), back.toByteArray());
    }
    assertThrows(IllegalArgumentException.class, () -> EValue.fromByteArray(new byte[0]));
    assertThrows(IllegalArgumentException.class, () -> EValue.fromByteArray(new byte[] {3, 1}));
    assertThrows(IllegalArgumentException.class, () -> EValue.fromByteArray(new byte[] {77}));
  }
}
