package org.pytorch.executorch.training;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotNull;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.Test;
import org.pytorch.executorch.EValue;
import org.pytorch.executorch.ExecutorchInvalidArgumentException;
import org.pytorch.executorch.ExecutorchRuntimeException;
import org.pytorch.executorch.Tensor;

/** A network learns step by step as PyTorch's does, and no tensor of it refers to memory that is gone. */
public class TrainingModuleTest {
  private static String file(String name) {
    return System.getProperty("test.data") + "/" + name;
  }

  private static TrainingModule load() {
    return TrainingModule.load(file("xor.pte"));
  }

  /** Runs the network on one of the four inputs and returns the loss. */
  private static float run(TrainingModule module, int step) {
    int first = step & 1;
    int second = step >> 1 & 1;
    EValue[] outputs =
        module.executeForwardBackward(
            "forward",
            EValue.from(Tensor.fromBlob(new float[] {first, second}, new long[] {1, 2})),
            EValue.from(Tensor.fromBlob(new long[] {first ^ second}, new long[] {1})));
    assertEquals(2, outputs.length);
    return outputs[0].toTensor().getDataAsFloatArray()[0];
  }

  @Test
  public void learnsAsInPyTorch() throws IOException {
    List<String> expected = Files.readAllLines(Paths.get(file("xor_losses.txt")));
    try (TrainingModule module = load()) {
      SGD optimizer = SGD.create(module.namedParameters("forward"), 0.1, 0.9, 0, 0, false);
      for (int step = 0; step < expected.size(); ++step) {
        assertEquals("Step " + step, Float.parseFloat(expected.get(step)), run(module, step), 1e-4f);
        optimizer.step(module.namedGradients("forward"));
      }
      assertTrue(run(module, 0) + run(module, 1) + run(module, 2) + run(module, 3) < 0.5f);
    }
  }

  @Test
  public void aStepIsWhatItSays() {
    try (TrainingModule module = load()) {
      run(module, 1);
      Map<String, Tensor> parameters = module.namedParameters("forward");
      Map<String, Tensor> gradients = module.namedGradients("forward");
      assertEquals(
          new HashSet<>(
              Arrays.asList("net.linear.weight", "net.linear.bias", "net.linear2.weight", "net.linear2.bias")),
          parameters.keySet());
      assertEquals(parameters.keySet(), gradients.keySet());
      float[] before = parameters.get("net.linear2.bias").getDataAsFloatArray();
      float[] gradient = gradients.get("net.linear2.bias").getDataAsFloatArray();
      SGD.create(parameters, 0.5).step(gradients);
      float[] after = parameters.get("net.linear2.bias").getDataAsFloatArray();
      assertArrayEquals(
          new float[] {before[0] - 0.5f * gradient[0], before[1] - 0.5f * gradient[1]}, after, 1e-6f);
    }
  }

  @Test
  public void memoryStaysAsLongAsATensorOfIt() {
    TrainingModule module = load();
    run(module, 3);
    Tensor weight = module.namedParameters("forward").get("net.linear.weight");
    float[] before = weight.getDataAsFloatArray();
    module.destroy();
    module.destroy();
    System.gc();
    // Others that take memory would write over it.
    for (int i = 0; i < 20; ++i) {
      try (TrainingModule other = load()) {
        run(other, i);
      }
    }
    assertArrayEquals(before, weight.getDataAsFloatArray(), 0);
    assertThrows(IllegalStateException.class, () -> module.namedParameters("forward"));
    assertThrows(IllegalStateException.class, () -> run(module, 0));
  }

  @Test
  public void whatIsRefused() {
    try (TrainingModule module = load()) {
      ExecutorchRuntimeException early =
          assertThrows(ExecutorchRuntimeException.class, () -> module.namedGradients("forward"));
      assertEquals(ExecutorchRuntimeException.INVALID_STATE, early.getErrorCode());
      assertThrows(ExecutorchRuntimeException.class, () -> module.namedParameters("backward"));
      Map<String, Tensor> wrong =
          Collections.singletonMap("net.linear2.bias", Tensor.fromBlob(new float[3], new long[] {3}));
      SGD optimizer = SGD.create(module.namedParameters("forward"), 0.1);
      assertThrows(ExecutorchInvalidArgumentException.class, () -> optimizer.step(wrong));
    }
    assertThrows(IllegalArgumentException.class, () -> TrainingModule.load(file("nowhere.pte")));
    assertThrows(IllegalArgumentException.class, () -> TrainingModule.load(file("xor.pte"), file("nowhere.ptd")));
    try (TrainingModule other = TrainingModule.load(file("add.pte"))) {
      assertNotNull(other);
      assertThrows(ExecutorchRuntimeException.class, () -> other.namedParameters("forward"));
    }
  }
}
