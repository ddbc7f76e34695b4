package dev.mneme.langchain4j;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.output.Response;
import java.util.List;
import java.util.Random;

/** An embedding model without a file: the sum of one pseudorandom direction for each word and for each three letters of it. */
final class HashingModel implements EmbeddingModel {
  static final int DIMENSION = 64;

  @Override
  public Response<List<Embedding>> embedAll(List<TextSegment> segments) {
    return Response.from(segments.stream().map(segment -> vector(segment.text())).toList());
  }

  @Override
  public int dimension() {
    return DIMENSION;
  }

  private static Embedding vector(String text) {
    float[] sum = new float[DIMENSION];
    for (String word : text.toLowerCase(java.util.Locale.ROOT).split("\\W+")) {
      add(sum, word, 2);
      for (int i = 0; i + 3 <= word.length(); i++) add(sum, word.substring(i, i + 3), 1);
    }
    Embedding embedding = Embedding.from(sum);
    embedding.normalize();
    return embedding;
  }

  private static void add(float[] sum, String part, float weight) {
    Random random = new Random(part.hashCode());
    for (int i = 0; i < sum.length; i++) sum[i] += weight * (float) random.nextGaussian();
  }
}
