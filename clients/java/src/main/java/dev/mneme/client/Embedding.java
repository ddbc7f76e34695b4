package dev.mneme.client;

/**
 * A vector and the model it was made with. The first one of a namespace fixes model and dimension for it.
 *
 * @param values the numbers, all of them finite; not copied
 * @param model name of the model
 */
public record Embedding(float[] values, String model) {
  dev.mneme.v1.Embedding message() {
    return dev.mneme.v1.Embedding.newBuilder()
        .setDataF32Le(Values.bytes(values))
        .setDimension(values.length)
        .setModel(model)
        .build();
  }

  static Embedding of(dev.mneme.v1.Embedding message) {
    return new Embedding(Values.floats(message.getDataF32Le()), message.getModel());
  }
}
