package org.pytorch.executorch.benchmark;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.pytorch.executorch.DType;
import org.pytorch.executorch.EValue;
import org.pytorch.executorch.Module;
import org.pytorch.executorch.Tensor;

/**
 * What a call of {@code forward} with two small tensors costs. Prints one line a round: a name, nanoseconds, and
 * those of them that the calling thread had a processor.
 */
public final class Calls {
  private static final int CALLS = 200_000;
  private static final int ROUNDS = 7;

  private Calls() {}

  /** {@code arguments[0]} is a program's path. */
  public static void main(String[] arguments) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    try (Module module = Module.load(arguments[0])) {
      EValue input = EValue.from(Tensor.ones(new long[] {2, 3}, DType.FLOAT));
      // The first round warms up.
      for (int round = 0; round <= ROUNDS; ++round) {
        long start = System.nanoTime();
        long startOnProcessor = threads.getCurrentThreadCpuTime();
        for (int i = 0; i < CALLS; ++i) {
          module.forward(input, input);
        }
        double onProcessor = threads.getCurrentThreadCpuTime() - startOnProcessor;
        double took = System.nanoTime() - start;
        if (round > 0) {
          System.out.printf("java %.1f %.1f%n", took / CALLS, onProcessor / CALLS);
        }
      }
    }
  }
}
