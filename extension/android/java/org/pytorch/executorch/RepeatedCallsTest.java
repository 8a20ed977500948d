package org.pytorch.executorch;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import org.junit.Test;
import org.pytorch.executorch.training.SGD;
import org.pytorch.executorch.training.TrainingModule;

/** Nothing stays behind after many calls. */
public class RepeatedCallsTest {
  private static final int CALLS = 100_000;

  /** Bytes that the process has in memory, after what Java no longer uses is gone. */
  private static long resident() throws IOException {
    for (int i = 0; i < 3; ++i) {
      System.gc();
    }
    byte[] status = Files.readAllBytes(Paths.get("/proc/self/status"));
    for (String line : new String(status, StandardCharsets.UTF_8).split("\n")) {
      if (line.startsWith("VmRSS:")) {
        return 1024 * Long.parseLong(line.replaceAll("\\D", ""));
      }
    }
    throw new IOException("/proc/self/status has no VmRSS");
  }

  private interface Call {
    void run();
  }

  /** A lost object of 100 bytes a call would be 10 MB. */
  private static void assertNothingStays(int calls, Call call) throws IOException {
    for (int i = 0; i < calls / 2; ++i) {
      call.run();
    }
    long before = resident();
    for (int i = 0; i < calls; ++i) {
      call.run();
    }
    long grown = resident() - before;
    assertTrue("Memory grew by " + grown + " bytes in " + calls + " calls", grown < 8 << 20);
  }

  @Test
  public void callsKeepNothing() throws IOException {
    try (Module module = Module.load(ModuleTest.program("add"))) {
      EValue input = EValue.from(Tensor.ones(new long[] {2, 3}, DType.FLOAT));
      long start = System.nanoTime();
      assertNothingStays(CALLS, () -> module.forward(input, input));
      System.out.printf("forward of 6 floats: %.2f us%n", (System.nanoTime() - start) / (1.5e3 * CALLS));
    }
  }

  @Test
  public void exceptionsKeepNothing() throws IOException {
    try (Module module = Module.load(ModuleTest.program("add"))) {
      EValue wrong = EValue.from(Tensor.ones(new long[] {6}, DType.FLOAT));
      assertNothingStays(
          CALLS / 10, () -> assertThrows(ExecutorchRuntimeException.class, () -> module.forward(wrong, wrong)));
    }
  }

  @Test
  public void trainingKeepsNothing() throws IOException {
    try (TrainingModule module = TrainingModule.load(ModuleTest.program("xor"))) {
      EValue input = EValue.from(Tensor.fromBlob(new float[] {0, 1}, new long[] {1, 2}));
      EValue label = EValue.from(Tensor.fromBlob(new long[] {1}, new long[] {1}));
      SGD optimizer = SGD.create(module.namedParameters("forward"), 0.01);
      assertNothingStays(
          CALLS / 10,
          () -> {
            module.executeForwardBackward("forward", input, label);
            optimizer.step(module.namedGradients("forward"));
          });
    }
  }

  @Test
  public void modulesKeepNothing() throws IOException {
    assertNothingStays(
        CALLS / 50,
        () -> {
          try (Module module = Module.load(ModuleTest.program("add"))) {
            assertEquals(1, module.getMethods().length);
            assertEquals(0, module.loadMethod("forward"));
          }
        });
  }
}
