package dev.mneme.langchain4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.rag.content.Content;
import dev.langchain4j.rag.content.ContentMetadata;
import dev.langchain4j.rag.query.Query;
import dev.mneme.client.Mneme;
import dev.mneme.client.NewMemory;
import dev.mneme.client.Scope;
import dev.mneme.client.Where;
import java.util.List;
import org.junit.jupiter.api.Test;

class ContentRetrieverTest {
  private final Mneme client = Servers.client();

  @Test
  void memories_of_every_kind_are_retrieved_with_id_and_relevance() {
    MnemeContentRetriever retriever = MnemeContentRetriever.builder().client(client).minScore(0.07).build();
    assertThat(retriever.retrieve(Query.from("museum"))).isEmpty();
    String id = client.store(NewMemory.of("The museum is closed on Mondays.").scope(Scope.ofAgent("guide"))).id();
    client.store(NewMemory.of("The ferry leaves at nine."));
    MnemeChatMemoryStore.builder().client(client).build().updateMessages("talk", List.of(UserMessage.from("I like the museum of ships.")));
    List<Content> contents = retriever.retrieve(Query.from("When is the museum closed?"));
    assertThat(contents).extracting(each -> each.textSegment().text())
        .startsWith("The museum is closed on Mondays.");
    assertThat(retriever.retrieve(Query.from("I like the museum of ships"))).extracting(each -> each.textSegment().text())
        .startsWith("I like the museum of ships.");
    assertThat(contents.get(0).metadata()).containsEntry(ContentMetadata.EMBEDDING_ID, id);
    assertThat((Double) contents.get(0).metadata().get(ContentMetadata.SCORE)).isBetween(0.07, 1.0);
    MnemeContentRetriever narrow = MnemeContentRetriever.builder().client(client).maxResults(1).filter(Where.TYPE.equalTo("message")).build();
    assertThat(narrow.retrieve(Query.from("museum"))).extracting(each -> each.textSegment().text()).containsExactly("I like the museum of ships.");
  }

  @Test
  void a_long_query_is_searched_up_to_its_limit() {
    client.store(NewMemory.of("The museum is closed on Mondays."));
    MnemeContentRetriever retriever = MnemeContentRetriever.builder().client(client).build();
    for (String filler : List.of("a", "é", "語", "🙂", "\0")) {
      assertThat(retriever.retrieve(Query.from("museum " + filler.repeat(9_000)))).as(filler).hasSize(1);
    }
  }

  @Test
  void bad_input_is_refused() {
    assertThatThrownBy(() -> MnemeContentRetriever.builder().maxResults(0)).hasMessage("maxResults: must be 1 to 1,000, got 0");
    assertThatThrownBy(() -> MnemeContentRetriever.builder().minScore(Double.NaN)).hasMessage("minScore: must be 0 to 1, got NaN");
    assertThatThrownBy(() -> MnemeContentRetriever.builder().client(client).build().retrieve(null))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
