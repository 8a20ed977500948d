package org.pytorch.executorch.examples.digits;

import static org.junit.Assert.assertArrayEquals;
import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.Test;

/** The application's network says of held-out images what PyTorch says. */
public class DigitClassifierTest {
  private static final Pattern ROW = Pattern.compile("\\{([^{}]+)\\},");

  /** The rows of so many numbers in the header that the firmware is compiled with. */
  private static List<float[]> rows(int length) throws IOException {
    byte[] header = Files.readAllBytes(Paths.get(System.getProperty("test.data"), "digits.h"));
    Matcher matcher = ROW.matcher(new String(header, StandardCharsets.US_ASCII));
    List<float[]> found = new ArrayList<>();
    while (matcher.find()) {
      String[] words = matcher.group(1).trim().split(", *");
      if (words.length == length) {
        float[] row = new float[length];
        for (int i = 0; i < length; ++i) {
          row[i] = Float.parseFloat(words[i]);
        }
        found.add(row);
      }
    }
    return found;
  }

  @Test
  public void saysWhatPyTorchSays() throws IOException {
    List<float[]> images = rows(DigitClassifier.SIZE * DigitClassifier.SIZE);
    List<float[]> scores = rows(10);
    assertTrue(images.size() >= 8);
    assertEquals(images.size(), scores.size());
    try (DigitClassifier classifier =
        new DigitClassifier(Paths.get(System.getProperty("test.data"), "digits.pte").toString())) {
      for (int i = 0; i < images.size(); ++i) {
        assertArrayEquals(scores.get(i), classifier.scores(images.get(i)), 1e-3f);
      }
    }
  }

  @Test
  public void theDrawingIsAOne() {
    try (DigitClassifier classifier =
        new DigitClassifier(Paths.get(System.getProperty("test.data"), "digits.pte").toString())) {
      assertEquals(1, classifier.classify(MainActivity.drawing()));
    }
  }
}
