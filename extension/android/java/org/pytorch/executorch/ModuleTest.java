package org.pytorch.executorch;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.Test;

/** On the programs of programs_for_tests.py, whose outputs are worked out here. */
public class ModuleTest {
  private static final long[] SHAPE = {2, 3};

  static String program(String name) {
    return Paths.get(System.getProperty("test.data"), name + ".pte").toString();
  }

  private static EValue floats(float... values) {
    return EValue.from(Tensor.fromBlob(values, SHAPE));
  }

  private static void assertMessage(String part, Throwable thrown) {
    assertTrue(thrown.getMessage(), thrown.getMessage().contains(part));
  }

  @Test
  public void everyLoadModeRuns() {
    int[] modes = {Module.LOAD_MODE_FILE, Module.LOAD_MODE_MMAP, Module.LOAD_MODE_MMAP_USE_MLOCK_IGNORE_ERRORS};
    for (int mode : modes) {
      try (Module module = Module.load(program("add"), mode)) {
        EValue[] outputs = module.forward(floats(1, 2, 3, 4, 5, 6), floats(10, 20, 30, 40, 50, 60));
        assertEquals(1, outputs.length);
        assertArrayEquals(SHAPE, outputs[0].toTensor().shape());
        assertArrayEquals(new float[] {11, 22, 33, 44, 55, 66}, outputs[0].toTensor().getDataAsFloatArray(), 0);
      }
    }
    assertMessage("load mode 7", assertThrows(IllegalArgumentException.class, () -> Module.load(program("add"), 7)));
  }

  @Test
  public void nothingIsWrittenDownUnlessTheLibraryIsBuiltForIt() {
    try (Module module = Module.load(program("add"))) {
      module.forward(floats(1, 2, 3, 4, 5, 6), floats(1, 2, 3, 4, 5, 6));
      assertFalse(module.etdump());
    }
  }

  @Test
  public void threadsCanBeSet() {
    try (Module module = Module.load(program("linear_xnnpack"), Module.LOAD_MODE_MMAP, 1)) {
      EValue input = EValue.from(Tensor.fromBlob(new float[] {1, 1, 1, 1}, new long[] {1, 4}));
      assertArrayEquals(new float[] {10.5f, 1.5f}, module.forward(input)[0].toTensor().getDataAsFloatArray(), 1e-6f);
    }
    assertThrows(IllegalArgumentException.class, () -> Module.load(program("add"), Module.LOAD_MODE_MMAP, -1));
  }

  @Test
  public void buffersOfEveryTypeAreRead() {
    FloatBuffer shared = Tensor.allocateFloatBuffer(6);
    EValue input = EValue.from(Tensor.fromBlob(shared, SHAPE));
    try (Module module = Module.load(program("add"))) {
      for (int run = 1; run <= 2; ++run) {
        shared.put(0, run);
        assertEquals(2f * run, module.forward(input, input)[0].toTensor().getDataAsFloatArray()[0], 0);
      }
    }
  }

  @Test
  public void everyElementTypeGoesThrough() {
    try (Module module = Module.load(program("types"))) {
      Tensor[] inputs = {
        Tensor.ones(SHAPE, DType.UINT8), Tensor.ones(SHAPE, DType.INT8), Tensor.ones(SHAPE, DType.INT16),
        Tensor.ones(SHAPE, DType.INT32), Tensor.ones(SHAPE, DType.INT64), Tensor.ones(SHAPE, DType.HALF),
        Tensor.ones(SHAPE, DType.FLOAT), Tensor.ones(SHAPE, DType.DOUBLE), Tensor.ones(SHAPE, DType.BFLOAT16),
      };
      for (Tensor input : inputs) {
        String method = input.dtype().name().toLowerCase(java.util.Locale.ROOT);
        Tensor sum = module.execute(method, EValue.from(input), EValue.from(input))[0].toTensor();
        assertEquals(input.dtype(), sum.dtype());
        Tensor back = module.execute(method, EValue.from(sum), EValue.from(input))[0].toTensor();
        assertArrayEquals(three(input.dtype()).toByteArray(), back.toByteArray());
      }
      Tensor no = module.execute("bool", EValue.from(Tensor.ones(SHAPE, DType.BOOL)))[0].toTensor();
      assertArrayEquals(new byte[6], no.getDataAsByteArray());
      Set<String> methods = new HashSet<>(Arrays.asList(module.getMethods()));
      assertEquals(10, methods.size());
      assertTrue(methods.contains("int64"));
    }
  }

  /** A tensor of threes, made of integers that this test writes itself. */
  private static Tensor three(DType dtype) {
    switch (dtype) {
      case UINT8:
        return Tensor.fromBlobUnsigned(new byte[] {3, 3, 3, 3, 3, 3}, SHAPE);
      case INT8:
        return Tensor.fromBlob(new byte[] {3, 3, 3, 3, 3, 3}, SHAPE);
      case INT32:
        return Tensor.fromBlob(new int[] {3, 3, 3, 3, 3, 3}, SHAPE);
      case INT64:
        return Tensor.fromBlob(new long[] {3, 3, 3, 3, 3, 3}, SHAPE);
      case FLOAT:
        return Tensor.fromBlob(new float[] {3, 3, 3, 3, 3, 3}, SHAPE);
      case DOUBLE:
        return Tensor.fromBlob(new double[] {3, 3, 3, 3, 3, 3}, SHAPE);
      default:
        java.nio.ByteBuffer bytes = Tensor.allocateByteBuffer(12);
        short bits = dtype == DType.HALF ? (short) 0x4200 : dtype == DType.BFLOAT16 ? (short) 0x4040 : (short) 3;
        for (int i = 0; i < 6; ++i) {
          bytes.putShort(2 * i, bits);
        }
        return Tensor.fromBlob(bytes, SHAPE, dtype);
    }
  }

  @Test
  public void shapesMayVary() {
    try (Module module = Module.load(program("dynamic"))) {
      for (int rows = 1; rows <= 8; ++rows) {
        EValue[] outputs = module.forward(EValue.from(Tensor.ones(new long[] {rows, 3}, DType.FLOAT)));
        assertArrayEquals(new long[] {rows, 3}, outputs[0].toTensor().shape());
        assertEquals(2f, outputs[0].toTensor().getDataAsFloatArray()[3 * rows - 1], 0);
        assertEquals(rows, outputs[1].toInt());
      }
      ExecutorchRuntimeException thrown =
          assertThrows(
              ExecutorchRuntimeException.class,
              () -> module.forward(EValue.from(Tensor.ones(new long[] {9, 3}, DType.FLOAT))));
      assertMessage("9", thrown);
      // The module is as good as before.
      assertEquals(2, module.forward(EValue.from(Tensor.ones(new long[] {2, 3}, DType.FLOAT)))[1].toInt());
    }
  }

  @Test
  public void outputsOwnTheirMemory() {
    Module module = Module.load(program("add"));
    Tensor first = module.forward(floats(1, 1, 1, 1, 1, 1), floats(1, 1, 1, 1, 1, 1))[0].toTensor();
    Tensor second = module.forward(EValue.from(first), EValue.from(first))[0].toTensor();
    module.destroy();
    assertArrayEquals(new float[] {2, 2, 2, 2, 2, 2}, first.getDataAsFloatArray(), 0);
    assertArrayEquals(new float[] {4, 4, 4, 4, 4, 4}, second.getDataAsFloatArray(), 0);
  }

  @Test
  public void metadataNamesBackends() {
    try (Module module = Module.load(program("linear_xnnpack"))) {
      MethodMetadata metadata = module.getMethodMetadata("forward");
      assertEquals("forward", metadata.getName());
      assertArrayEquals(new String[] {"XnnpackBackend"}, metadata.getBackends());
      assertThrows(ExecutorchRuntimeException.class, () -> module.getMethodMetadata("backward"));
    }
    try (Module module = Module.load(program("add"))) {
      assertEquals(0, module.getMethodMetadata("forward").getBackends().length);
    }
    ExecuTorchRuntime runtime = ExecuTorchRuntime.getRuntime();
    assertTrue(Arrays.asList(runtime.getRegisteredBackends()).contains("XnnpackBackend"));
    assertTrue(Arrays.asList(runtime.getRegisteredOperators()).contains("aten::add.out"));
    assertTrue(Arrays.asList(runtime.getRegisteredOperators()).contains("llama::update_cache.out"));
  }

  @Test
  public void methodsAreLoadedAheadOrNot() {
    try (Module module = Module.load(program("add"))) {
      assertEquals(0, module.loadMethod("forward"));
      assertEquals(0, module.loadMethod("forward"));
      assertNotEquals(0, module.loadMethod("backward"));
      ExecutorchRuntimeException thrown =
          assertThrows(ExecutorchRuntimeException.class, () -> module.execute("backward"));
      assertMessage("backward", thrown);
      // loadMethod returns a number; the reason is in the log.
      assertMessage("backward", new Throwable(String.join("\n", module.readLogBuffer())));
    }
  }

  @Test
  public void badInputsAreNamed() {
    try (Module module = Module.load(program("add"))) {
      EValue good = floats(1, 2, 3, 4, 5, 6);
      ExecutorchRuntimeException few = assertThrows(ExecutorchRuntimeException.class, () -> module.forward(good));
      assertMessage("1", few);
      assertTrue(few.getDetailedError(), few.getDetailedError().contains("0x"));
      assertThrows(
          ExecutorchInvalidArgumentException.class,
          () -> module.forward(good, EValue.from(Tensor.fromBlob(new int[6], SHAPE))));
      assertThrows(
          ExecutorchInvalidArgumentException.class,
          () -> module.forward(good, EValue.from(Tensor.fromBlob(new float[6], new long[] {6}))));
      assertThrows(ExecutorchInvalidArgumentException.class, () -> module.forward(good, EValue.from(1L)));
      assertThrows(IllegalArgumentException.class, () -> module.forward(good, null));
      assertArrayEquals(
          new float[] {2, 4, 6, 8, 10, 12}, module.forward(good, good)[0].toTensor().getDataAsFloatArray(), 0);
    }
  }

  @Test
  public void badFilesAreNamed() throws IOException {
    assertMessage("nowhere.pte", assertThrows(IllegalArgumentException.class, () -> Module.load("/nowhere.pte")));
    assertThrows(IllegalArgumentException.class, () -> Module.load(null));
    Path damaged = Files.createTempFile("damaged", ".pte");
    byte[] bytes = Files.readAllBytes(Paths.get(program("add")));
    Files.write(damaged, Arrays.copyOf(bytes, bytes.length / 2));
    try {
      ExecutorchRuntimeException thrown =
          assertThrows(ExecutorchRuntimeException.class, () -> Module.load(damaged.toString()));
      assertNotEquals(ExecutorchRuntimeException.OK, thrown.getErrorCode());
    } finally {
      Files.delete(damaged);
    }
  }

  @Test
  public void aDestroyedModuleRefuses() {
    Module module = Module.load(program("add"));
    module.destroy();
    module.close();
    assertMessage("destroyed", assertThrows(IllegalStateException.class, () -> module.forward()));
    assertThrows(IllegalStateException.class, module::getMethods);
    assertThrows(IllegalStateException.class, () -> module.loadMethod("forward"));
    assertThrows(IllegalStateException.class, () -> module.getMethodMetadata("forward"));
  }

  @Test
  public void threadsTakeTurns() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    Module module = Module.load(program("add"));
    Callable<Integer> work =
        () -> {
          int ran = 0;
          try {
            for (; ran < 2000; ++ran) {
              float value = ran;
              EValue input = floats(value, value, value, value, value, value);
              assertEquals(2 * value, module.forward(input, input)[0].toTensor().getDataAsFloatArray()[5], 0);
            }
          } catch (IllegalStateException destroyed) {
            assertMessage("destroyed", destroyed);
          }
          return ran;
        };
    Future<?>[] running = {threads.submit(work), threads.submit(work), threads.submit(work)};
    running[0].get();
    module.destroy(); // while others may still run
    for (Future<?> other : running) {
      other.get();
    }
    threads.shutdown();
  }
}
