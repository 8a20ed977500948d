package android.app;

import android.content.Context;
import android.os.Bundle;
import android.view.View;

public class Activity extends Context {
  protected void onCreate(Bundle state) {}

  protected void onDestroy() {}

  public void setContentView(View view) {}

  public final void runOnUiThread(Runnable action) {
    action.run();
  }
}
