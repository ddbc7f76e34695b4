package dev.mneme.langchain4j;

import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.store.embedding.EmbeddingStore;
import dev.langchain4j.store.embedding.EmbeddingStoreWithRemovalIT;

/** LangChain4j's own suite of removals. */
class PublishedRemovalTest extends EmbeddingStoreWithRemovalIT {
  private final EmbeddingModel model = new HashingModel();
  private final EmbeddingStore<TextSegment> store = MnemeEmbeddingStore.builder().client(Servers.client()).build();

  @Override
  protected EmbeddingStore<TextSegment> embeddingStore() {
    return store;
  }

  @Override
  protected EmbeddingModel embeddingModel() {
    return model;
  }
}
