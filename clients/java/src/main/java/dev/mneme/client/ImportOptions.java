package dev.mneme.client;

import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** How memories are imported. Each setter changes this object and returns it. */
public final class ImportOptions {
  ConflictPolicy conflictPolicy = ConflictPolicy.KEEP;
  Consumer<ImportResult> onProgress = progress -> {};
  BiConsumer<String, MnemeException> onRefused;

  /** Options with their defaults. */
  public ImportOptions() {}

  /** Handling of a memory that already exists. Default {@code KEEP}. */
  public ImportOptions conflictPolicy(ConflictPolicy policy) { conflictPolicy = policy; return this; }

  /** Called after each acknowledgement of the server. */
  public ImportOptions onProgress(Consumer<ImportResult> listener) { onProgress = listener; return this; }

  /**
   * Receives the id of each memory that cannot be stored, such as one whose text is too long, and why; the others are
   * stored. Without it the first refusal ends the import with its error.
   */
  public ImportOptions onRefused(BiConsumer<String, MnemeException> listener) { onRefused = listener; return this; }
}
