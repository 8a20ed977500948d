package org.pytorch.executorch;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.Test;

/** In a native library that is built for it, a module writes down what its methods do. */
public class EtdumpTest {
  @Test
  public void writesWhatHasHappenedSince() throws IOException {
    Path file = Files.createTempFile("module", ".etdump");
    try (Module module = Module.load(ModuleTest.program("add"))) {
      assertFalse(module.etdump(file.toString()));
      EValue input = EValue.from(Tensor.ones(new long[] {2, 3}, DType.FLOAT));
      module.forward(input, input);
      assertTrue(module.etdump(file.toString()));
      byte[] bytes = Files.readAllBytes(file);
      // A flatbuffer behind its size, of the kind that the Inspector reads.
      assertEquals(bytes.length - 4, ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt());
      assertEquals("ED00", new String(bytes, 8, 4, StandardCharsets.US_ASCII));
      assertTrue(new String(bytes, StandardCharsets.ISO_8859_1).contains("native_call_add.out"));
      assertFalse("What has been written is forgotten", module.etdump(file.toString()));
      module.forward(input, input);
      assertFalse(module.etdump("/nowhere/module.etdump"));
    } finally {
      Files.delete(file);
    }
  }
}
