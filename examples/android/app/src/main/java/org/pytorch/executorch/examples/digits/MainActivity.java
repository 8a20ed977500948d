package org.pytorch.executorch.examples.digits;

import android.app.Activity;
import android.os.Bundle;
import android.widget.TextView;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Shows which digit the network sees in a drawing; the network runs on a thread of its own. */
public class MainActivity extends Activity {
  /** A one, as somebody might write it. */
  private static final String DRAWING =
      "...##..." + "..###..." + ".####..." + "...##..." + "...##..." + "...##..." + "...##..." + "..####..";

  private final ExecutorService worker = Executors.newSingleThreadExecutor();
  private TextView text;

  @Override
  protected void onCreate(Bundle state) {
    super.onCreate(state);
    text = new TextView(this);
    setContentView(text);
    worker.execute(this::classify);
  }

  @Override
  protected void onDestroy() {
    worker.shutdown();
    super.onDestroy();
  }

  private void classify() {
    String said;
    try (DigitClassifier classifier = new DigitClassifier(modelFile().getPath())) {
      said = "This is a " + classifier.classify(drawing());
    } catch (IOException | RuntimeException e) {
      said = e.getMessage();
    }
    String shown = said;
    runOnUiThread(() -> text.setText(shown));
  }

  static float[] drawing() {
    float[] made = new float[DRAWING.length()];
    for (int i = 0; i < made.length; ++i) {
      made[i] = DRAWING.charAt(i) == '#' ? 1 : 0;
    }
    return made;
  }

  /** The network as a file, which the runtime maps; an asset is a part of the application's archive. */
  private File modelFile() throws IOException {
    File file = new File(getFilesDir(), "digits.pte");
    try (InputStream asset = getAssets().open("digits.pte");
        OutputStream copy = new FileOutputStream(file)) {
      byte[] buffer = new byte[1 << 16];
      for (int read = asset.read(buffer); read >= 0; read = asset.read(buffer)) {
        copy.write(buffer, 0, read);
      }
    }
    return file;
  }
}
