package dev.mneme.langchain4j.example;

import dev.langchain4j.data.document.Metadata;
import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.memory.chat.MessageWindowChatMemory;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.output.Response;
import dev.langchain4j.rag.content.retriever.EmbeddingStoreContentRetriever;
import dev.langchain4j.service.AiServices;
import dev.langchain4j.store.embedding.filter.MetadataFilterBuilder;
import dev.mneme.client.Mneme;
import dev.mneme.langchain4j.MnemeChatMemoryStore;
import dev.mneme.langchain4j.MnemeEmbeddingStore;
import java.util.List;

/**
 * An assistant that answers from documents in an embedding store and remembers the conversation, both on Mneme. Its models are scripted, so
 * that it runs without a key: {@code Example ADDRESS}.
 */
public final class Example {
  private Example() {}

  /** What LangChain4j implements. */
  interface Assistant {
    /** Answers a message of the user. */
    String chat(String message);
  }

  /** Runs it on the server of the first argument and prints the answers. */
  public static void main(String[] args) {
    try (Mneme mneme = Mneme.connect(args[0])) {
      MnemeEmbeddingStore store = MnemeEmbeddingStore.builder().client(mneme).namespace("documents").build();
      EmbeddingModel embeddings = new TwoSubjects();
      for (String text : List.of("The museum is closed on Mondays.", "The ferry leaves at nine.")) {
        TextSegment segment = TextSegment.from(text, Metadata.from("city", "Bern"));
        store.add(embeddings.embed(segment).content(), segment);
      }
      System.out.println(assistant(mneme, store, embeddings).chat("When is the museum closed?"));
      // Another assistant, as after a restart: it has the conversation of the first.
      System.out.println(assistant(mneme, store, embeddings).chat("And the ferry?"));
    }
  }

  private static Assistant assistant(Mneme mneme, MnemeEmbeddingStore store, EmbeddingModel embeddings) {
    MnemeChatMemoryStore memories = MnemeChatMemoryStore.builder().client(mneme).namespace("chats").build();
    return AiServices.builder(Assistant.class)
        .chatModel(new ScriptedModel())
        .chatMemory(MessageWindowChatMemory.builder().id("ann").maxMessages(10).chatMemoryStore(memories).build())
        .contentRetriever(EmbeddingStoreContentRetriever.builder().embeddingStore(store).embeddingModel(embeddings).maxResults(1)
            .filter(MetadataFilterBuilder.metadataKey("city").isEqualTo("Bern")).build())
        .build();
  }

  /** One dimension for each of the two subjects. */
  private static final class TwoSubjects implements EmbeddingModel {
    @Override
    public Response<List<Embedding>> embedAll(List<TextSegment> segments) {
      return Response.from(segments.stream().map(each -> Embedding.from(
          new float[] {each.text().contains("museum") ? 1 : 0.1f, each.text().contains("ferry") ? 1 : 0.1f})).toList());
    }
  }

  /** Says how many messages it has seen, and the last line of the last one, which is what was retrieved. */
  private static final class ScriptedModel implements ChatModel {
    @Override
    public ChatResponse doChat(ChatRequest request) {
      List<ChatMessage> messages = request.messages();
      String[] lines = ((UserMessage) messages.get(messages.size() - 1)).singleText().split("\n");
      return ChatResponse.builder().aiMessage(AiMessage.from(messages.size() + ": " + lines[lines.length - 1])).build();
    }
  }
}
