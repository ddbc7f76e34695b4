package dev.mneme.contract;

/** Something that this language cannot say. */
@SuppressWarnings("serial")
final class Unsupported extends RuntimeException {
  Unsupported(String why) {
    super(why);
  }
}
