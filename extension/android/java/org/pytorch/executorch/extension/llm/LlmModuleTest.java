package org.pytorch.executorch.extension.llm;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertNotEquals;
import static org.junit.Assert.assertThrows;
import static org.junit.Assert.assertTrue;

import java.io.File;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.Test;
import org.pytorch.executorch.ExecutorchRuntimeException;

/** With a model whose most probable next token is the last one plus one, and bytes as tokens. */
public class LlmModuleTest {
  private static String path(String name) {
    return new File(System.getProperty("test.data"), name).getPath();
  }

  private static LlmModule open() {
    return new LlmModule(path("successor.pte"), path("tokenizer.json"), 0);
  }

  /** Keeps what it is told. */
  private static final class Heard implements LlmCallback {
    final List<String> pieces = new ArrayList<>();
    String stats = "";
    int errorCode;
    String errorMessage = "";

    @Override
    public void onResult(String result) {
      pieces.add(result);
    }

    @Override
    public void onStats(String stats) {
      this.stats = stats;
    }

    @Override
    public void onError(int errorCode, String message) {
      this.errorCode = errorCode;
      errorMessage = message;
    }

    String text() {
      return String.join("", pieces);
    }
  }

  private static LlmGenerationConfig.Builder greedy() {
    return LlmGenerationConfig.create().temperature(0);
  }

  @Test
  public void goesOnBehindAPrompt() {
    try (LlmModule module = open()) {
      Heard heard = new Heard();
      assertEquals(0, module.load());
      assertEquals(0, module.generate("abc", greedy().maxNewTokens(4).build(), heard));
      assertEquals("abcdefg", heard.text());
      assertTrue(heard.stats, heard.stats.matches("\\{.*\"generated_tokens\":4.*\\}"));
      assertEquals(0, heard.errorCode);

      Heard without = new Heard();
      assertEquals(0, module.generate("abc", 8, without, false));
      assertEquals("defgh", without.text());
      Heard warming = new Heard();
      assertEquals(0, module.generate("abc", greedy().maxNewTokens(2).warming(true).build(), warming));
      assertEquals("", warming.text());
    }
  }

  @Test
  public void bytesThatAreNoCharactersAreReplaced() {
    try (LlmModule module = open()) {
      // The prompt ends in the byte 0x80, and what follows goes on with a character that never began.
      Heard heard = new Heard();
      assertEquals(0, module.generate("\u00e9\ud83d\ude00", greedy().maxNewTokens(2).build(), heard));
      assertEquals("\u00e9\ud83d\ude00\ufffd\ufffd", heard.text());
    }
  }

  @Test
  public void stopEndsARun() {
    try (LlmModule module = open()) {
      List<String> pieces = new ArrayList<>();
      LlmCallback callback =
          text -> {
            pieces.add(text);
            if (pieces.size() == 3) {
              module.stop();
            }
          };
      assertEquals(0, module.generate("abc", greedy().echo(false).maxNewTokens(20).build(), callback));
      assertTrue(pieces.toString(), pieces.size() >= 3 && pieces.size() <= 4);
      module.resetContext();
      Heard heard = new Heard();
      assertEquals(0, module.generate("xy", greedy().maxNewTokens(1).build(), heard));
      assertEquals("xyz", heard.text());
    }
  }

  @Test
  public void whatACallbackThrowsEndsTheRun() {
    try (LlmModule module = open()) {
      int[] calls = {0};
      LlmCallback callback =
          text -> {
            ++calls[0];
            throw new UnsupportedOperationException("enough");
          };
      LlmGenerationConfig config = greedy().echo(false).maxNewTokens(20).build();
      UnsupportedOperationException thrown =
          assertThrows(UnsupportedOperationException.class, () -> module.generate("abc", config, callback));
      assertEquals("enough", thrown.getMessage());
      assertEquals(1, calls[0]);
      // Nothing of its module but stop().
      assertThrows(IllegalStateException.class, () -> module.generate("abc", config, text -> module.resetContext()));
    }
  }

  @Test
  public void whatTheRuntimeRefusesIsToldAndReturned() {
    try (LlmModule module = open()) {
      Heard heard = new Heard();
      String tooLong = String.join("", Collections.nCopies(100, "a"));
      int error = module.generate(tooLong, greedy().build(), heard);
      assertEquals(ExecutorchRuntimeException.INVALID_ARGUMENT, error);
      assertEquals(error, heard.errorCode);
      assertTrue(heard.errorMessage, heard.errorMessage.contains("100"));
      assertThrows(IllegalArgumentException.class, () -> module.generate("abc", null));
    }
    assertThrows(RuntimeException.class, () -> new LlmModule(path("successor.pte"), path("add.pte"), 0));
    assertThrows(RuntimeException.class, () -> new LlmModule(path("missing.pte"), path("tokenizer.json"), 0));
    try (LlmModule module = new LlmModule(path("tokenizer.json"), path("tokenizer.json"), 0)) {
      assertNotEquals(0, module.load());
    } catch (ExecutorchRuntimeException e) {
      assertNotEquals(0, e.getErrorCode());
    }
  }

  @Test
  public void aClosedModuleSaysSo() {
    LlmModule module = open();
    module.close();
    module.close();
    module.stop();
    assertThrows(IllegalStateException.class, module::load);
    assertThrows(IllegalStateException.class, () -> module.generate("abc", new Heard()));
  }

  @Test
  public void configurationsAreChecked() {
    assertThrows(IllegalArgumentException.class, () -> LlmModuleConfig.create().modulePath("a.pte").build());
    assertThrows(IllegalArgumentException.class, () -> LlmGenerationConfig.create().seqLen(-2).build());
    assertThrows(IllegalArgumentException.class, () -> LlmGenerationConfig.create().temperature(Float.NaN).build());
    LlmModuleConfig config =
        LlmModuleConfig.create().modulePath("a.pte").tokenizerPath("t").dataPath("b.ptd").numBos(1).build();
    assertEquals("b.ptd", config.getDataPath());
    assertEquals(1, config.getNumBos());
    assertThrows(
        IllegalArgumentException.class, () -> new LlmModule(3, path("successor.pte"), path("tokenizer.json"), 0));
  }

  /** What the model says when what it was given adds up to this: each letter is the sum of all before it. */
  private static String following(int total, int count) {
    StringBuilder answer = new StringBuilder();
    for (int i = 0; i < count; i++) {
      char next = (char) ('a' + total % 26);
      answer.append(next);
      total += next;
    }
    return answer.toString();
  }

  /** Of 3 by 2 by 4, which add up to 276; its 20 positions have 19 besides. */
  private static float[] pixels() {
    float[] values = new float[24];
    for (int i = 0; i < values.length; i++) {
      values[i] = i;
    }
    return values;
  }

  private static final int OF_IMAGE = 276 + 19;

  @Test
  public void imagesAndAudioStandBeforeAPrompt() {
    int text = 'h' + 'i';
    LlmGenerationConfig config = greedy().maxNewTokens(3).echo(false).build();
    try (LlmModule module =
        new LlmModule(LlmModule.MODEL_TYPE_MULTIMODAL, path("multimodal.pte"), path("tokenizer.json"), 0)) {
      assertEquals(0, module.prefillImages(pixels(), 4, 2, 3));
      Heard ofImage = new Heard();
      assertEquals(ofImage.errorMessage, 0, module.generate("hi", config, ofImage));
      assertEquals(following(OF_IMAGE + text, 3), ofImage.text());

      module.resetContext();
      module.prefillPrompt("hi");
      assertEquals(0, module.prefillAudio(new byte[] {0, 1, 2, 3, 4, 5}, 1, 2, 3));
      Heard ofAudio = new Heard();
      assertEquals(ofAudio.errorMessage, 0, module.generate("", config, ofAudio));
      assertEquals(following(text + 15 + 1, 3), ofAudio.text());

      // What waits is forgotten with the rest.
      module.prefillPrompt("zzz");
      module.resetContext();
      Heard ofText = new Heard();
      assertEquals(0, module.generate("hi", config, ofText));
      assertEquals(following(text, 3), ofText.text());

      assertThrows(IllegalArgumentException.class, () -> module.prefillImages(pixels(), 4, 4, 3));
      assertThrows(IllegalArgumentException.class, () -> module.prefillImages(new int[0], 0, 2, 3));
    }
  }

  @Test
  public void imagesMayLieInBuffers() {
    LlmGenerationConfig config = greedy().maxNewTokens(3).echo(false).build();
    try (LlmModule module =
        new LlmModule(LlmModule.MODEL_TYPE_MULTIMODAL, path("multimodal.pte"), path("tokenizer.json"), 0)) {
      ByteBuffer floats = ByteBuffer.allocateDirect(4 * 24).order(ByteOrder.nativeOrder());
      floats.asFloatBuffer().put(pixels());
      assertEquals(0, module.prefillNormalizedImage(floats, 4, 2, 3));
      assertEquals(4 * 24, floats.remaining());
      Heard ofFloats = new Heard();
      assertEquals(ofFloats.errorMessage, 0, module.generate("hi", config, ofFloats));
      assertEquals(following(OF_IMAGE + 'h' + 'i', 3), ofFloats.text());

      // Bytes are as whole numbers are: the same answer, or the same refusal.
      int[] numbers = new int[24];
      ByteBuffer bytes = ByteBuffer.allocateDirect(24);
      for (int i = 0; i < 24; i++) {
        numbers[i] = i;
        bytes.put(i, (byte) i);
      }
      module.resetContext();
      module.prefillImages(numbers, 4, 2, 3);
      Heard ofNumbers = new Heard();
      int expected = module.generate("hi", config, ofNumbers);
      module.resetContext();
      module.prefillImages(bytes, 4, 2, 3);
      Heard ofBytes = new Heard();
      assertEquals(expected, module.generate("hi", config, ofBytes));
      assertEquals(ofNumbers.text(), ofBytes.text());

      assertThrows(IllegalArgumentException.class, () -> module.prefillImages(bytes, 4, 4, 3));
      assertThrows(IllegalArgumentException.class, () -> module.prefillNormalizedImage(bytes, 4, 2, 3));
    }
  }

  @Test
  public void everyLoadModeIsTaken() {
    for (int mode : new int[] {LlmModuleConfig.LOAD_MODE_FILE, LlmModuleConfig.LOAD_MODE_MMAP}) {
      LlmModuleConfig config =
          LlmModuleConfig.create()
              .modulePath(path("successor.pte"))
              .tokenizerPath(path("tokenizer.json"))
              .temperature(0)
              .dataPath("")
              .loadMode(mode)
              .build();
      assertEquals(mode, config.getLoadMode());
      LlmModule module = new LlmModule(config);
      Heard heard = new Heard();
      assertEquals(0, module.generate("abc", greedy().maxNewTokens(2).build(), heard));
      assertEquals("abcde", heard.text());
      module.resetNative();
      assertThrows(IllegalStateException.class, module::load);
    }
    LlmModuleConfig.Builder none = LlmModuleConfig.create().modulePath("a").tokenizerPath("b").loadMode(4);
    assertThrows(IllegalArgumentException.class, none::build);
  }

  @Test
  public void aModelOfTextTakesTextOnly() {
    try (LlmModule module = open()) {
      module.prefillPrompt("ab");
      Heard heard = new Heard();
      assertEquals(0, module.generate("c", greedy().maxNewTokens(2).echo(false).build(), heard));
      assertEquals("de", heard.text());
      ExecutorchRuntimeException error =
          assertThrows(ExecutorchRuntimeException.class, () -> module.prefillImages(pixels(), 4, 2, 3));
      assertEquals(ExecutorchRuntimeException.NOT_SUPPORTED, error.getErrorCode());
      assertTrue(error.getMessage(), error.getMessage().contains("model type"));
    }
  }
}
