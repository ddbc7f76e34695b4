package dev.mneme.client;

import dev.mneme.client.MnemeException.Details;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Items of all pages, read on demand. */
final class Pages<T> implements Iterator<T> {
  record Page<T>(List<T> items, List<String> damagedIds, String nextToken) {}

  private final Function<String, Page<T>> read;
  private final Damaged damaged;
  private Iterator<T> items = List.<T>of().iterator();
  private String token = "";
  private boolean isLast;

  private Pages(Function<String, Page<T>> read, Damaged damaged) {
    this.read = read;
    this.damaged = damaged;
  }

  /** What is iterated again is read again. {@code settings} are asked for once for all pages. */
  static <T> Iterable<T> of(
      String what, Consumer<List<String>> onDamaged, Function<Settings, Function<String, Page<T>>> reader, Supplier<Settings> settings) {
    return () -> new Pages<>(reader.apply(settings.get()), new Damaged(what, onDamaged));
  }

  /** Without items that may be damaged. */
  static <T> Iterable<T> of(Function<String, Page<T>> read) {
    return () -> new Pages<>(read, new Damaged("", null));
  }

  static <T> Page<T> page(List<T> items, String nextToken) {
    return new Page<>(items, List.of(), nextToken);
  }

  @Override
  public boolean hasNext() {
    while (!items.hasNext() && !isLast) {
      Page<T> page = read.apply(token);
      damaged.note(page.damagedIds);
      items = page.items.iterator();
      if (!page.nextToken.isEmpty() && page.nextToken.equals(token)) throw Errors.incompleteAnswer("new page token: the server repeats the last one");
      token = page.nextToken;
      isLast = token.isEmpty();
    }
    if (items.hasNext()) return true;
    damaged.finish();
    return false;
  }

  @Override
  public T next() {
    if (!hasNext()) throw new NoSuchElementException();
    return items.next();
  }

  /** Reports unreadable items to the listener; without a listener fails after all other items. */
  static final class Damaged {
    private final String what;
    private final Consumer<List<String>> listener;
    private final List<String> ids = new ArrayList<>();

    Damaged(String what, Consumer<List<String>> listener) {
      this.what = what;
      this.listener = listener;
    }

    void note(List<String> some) {
      if (some.isEmpty()) return;
      if (listener == null) ids.addAll(some);
      else listener.accept(some);
    }

    void finish() {
      if (ids.isEmpty()) return;
      String message = ids.size() + " " + what + " cannot be read, their bytes are damaged: "
          + String.join(", ", ids.subList(0, Math.min(10, ids.size())));
      throw MnemeException.of(Status.Code.DATA_LOSS, message,
          new Details("CHECKSUM_MISMATCH", Map.of(), List.of(), null, MnemeException.Family.BASE, null));
    }
  }
}
