package org.pytorch.executorch.examples.digits;

import java.io.Closeable;
import org.pytorch.executorch.EValue;
import org.pytorch.executorch.Module;
import org.pytorch.executorch.Tensor;

/** Tells which digit an image shows, with the quickstart's network. */
public final class DigitClassifier implements Closeable {
  /** Rows and columns of an image. */
  public static final int SIZE = 8;

  private static final long[] SHAPE = {1, 1, SIZE, SIZE};

  private final Module module;

  /** Loads the network of a {@code .pte} file. */
  public DigitClassifier(String modelPath) {
    module = Module.load(modelPath, Module.LOAD_MODE_MMAP);
  }

  /** A number for each digit, the larger the likelier; pixels go from 0 (paper) to 1 (ink), row by row. */
  public float[] scores(float[] pixels) {
    return module.forward(EValue.from(Tensor.fromBlob(pixels, SHAPE)))[0].toTensor().getDataAsFloatArray();
  }

  /** The likeliest digit. */
  public int classify(float[] pixels) {
    float[] scores = scores(pixels);
    int best = 0;
    for (int digit = 1; digit < scores.length; ++digit) {
      if (scores[digit] > scores[best]) {
        best = digit;
      }
    }
    return best;
  }

  @Override
  public void close() {
    module.close();
  }
}
