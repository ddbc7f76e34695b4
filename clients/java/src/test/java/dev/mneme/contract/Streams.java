package dev.mneme.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mneme.client.ConsumeQuery;
import dev.mneme.client.ConversationQueries;
import dev.mneme.client.Delivery;
import dev.mneme.client.EventStream;
import dev.mneme.client.Hook;
import dev.mneme.client.ImportOptions;
import dev.mneme.client.IngestOptions;
import dev.mneme.client.IngestProgress;
import dev.mneme.client.Lifecycle.HookAnswer;
import dev.mneme.client.LifecycleEvent;
import dev.mneme.client.LifecycleQueries;
import dev.mneme.client.Mneme;
import dev.mneme.client.MnemeException;
import dev.mneme.client.NewMemory;
import dev.mneme.client.RecallQuery;
import dev.mneme.client.WatchQuery;
import dev.mneme.client.SessionEvent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;

/** Streams of the protocol. */
abstract class Streams {
  /** Takes so many items, or fewer at the end. */
  JsonNode next(int count) {
    throw new IllegalArgumentException("nothing to be read");
  }

  void send(JsonNode item) {
    throw new IllegalArgumentException("nothing to be sent");
  }

  abstract Object end();

  static Streams open(String method, Mneme client, Arguments a) {
    return switch (method) {
      case "watch" -> new Reading(client.watch(a.fill(new WatchQuery())));
      case "subscribe" -> new Reading(client.subscribe(a.fill(new RecallQuery())));
      case "recall_stream" -> new Reading(client.recallStream(a.fill(new RecallQuery())));
      case "session.watch" -> new Reading(client.session(a.text("session")).watch(a.fill(new SessionEvent.WatchQuery())));
      case "lifecycle.watch_events" -> new Reading(client.lifecycle().watchEvents(events(a)));
      case "conversations.watch_extraction" ->
          new Reading(client.conversations().watchExtraction(a.fill(new ConversationQueries.Watch())));
      case "subscriptions.consume" -> new Consuming(client, a);
      case "lifecycle.serve_hook" -> new Hooking(client, a);
      case "conversations.serve_extractor" -> new Extracting(client, a);
      case "ingest" -> new Ingesting(client, a);
      case "import_memories" -> new Importing(client, a);
      default -> throw new IllegalArgumentException("no stream " + method);
    };
  }

  private static LifecycleQueries.Events events(Arguments a) {
    LifecycleQueries.Events query = a.fill(new LifecycleQueries.Events());
    if (a.at("start").isTextual()) query.fromOldest();
    else if (a.has("start")) query.resumeToken(a.at("start").get("resume_token").asText());
    return query;
  }

  static JsonNode items(Iterator<?> source, int count) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    List<JsonNode> items = new ArrayList<>();
    boolean ended = false;
    while (items.size() < count && !ended) {
      if (source.hasNext()) items.add(Results.of(source.next()));
      else ended = true;
    }
    answer.putArray("items").addAll(items);
    return answer.put("ended", ended);
  }

  private static class Reading extends Streams {
    final EventStream<?> stream;

    Reading(EventStream<?> stream) {
      this.stream = stream;
    }

    @Override
    JsonNode next(int count) {
      return items(stream, count);
    }

    @Override
    Object end() {
      stream.close();
      return Map.of();
    }
  }

  private static final class Consuming extends Streams {
    private final Map<Long, Delivery> deliveries = new ConcurrentHashMap<>();
    private final EventStream<Delivery> stream;

    Consuming(Mneme client, Arguments a) {
      stream = client.subscriptions().consume(a.text("id"), a.text("consumer"), a.fill(new ConsumeQuery()));
    }

    @Override
    JsonNode next(int count) {
      return items(new Iterator<Delivery>() {
        @Override
        public boolean hasNext() {
          return stream.hasNext();
        }

        @Override
        public Delivery next() {
          Delivery delivery = stream.next();
          deliveries.put(delivery.revision(), delivery);
          return delivery;
        }
      }, count);
    }

    @Override
    void send(JsonNode item) {
      deliveries.get(item.get("acknowledge").asLong()).acknowledge();
    }

    @Override
    Object end() {
      stream.close();
      return Map.of();
    }
  }

  /** Items pushed on one side are read on the other. */
  static final class Pushed<T> implements Iterator<T> {
    private static final Object END = new Object();
    private final BlockingQueue<Object> queue = new LinkedBlockingQueue<>();
    private Object upcoming;

    void push(T item) {
      queue.add(item);
    }

    void close() {
      queue.add(END);
    }

    @Override
    public boolean hasNext() {
      try {
        if (upcoming == null) upcoming = queue.take();
      } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
        return false;
      }
      return upcoming != END;
    }

    @Override
    @SuppressWarnings("unchecked")
    public T next() {
      if (!hasNext()) throw new NoSuchElementException();
      T item = (T) upcoming;
      upcoming = null;
      return item;
    }
  }

  private static final class Hooking extends Streams {
    private final Pushed<LifecycleEvent> questions = new Pushed<>();
    private final Map<String, CompletableFuture<JsonNode>> replies = new ConcurrentHashMap<>();
    private final Hook hook;

    Hooking(Mneme client, Arguments a) {
      List<LifecycleEvent.Phase> phases = Arguments.listOf(a.at("phases"), each -> Arguments.enumOf(LifecycleEvent.Phase.class, each));
      hook = client.lifecycle().serveHook(a.fill(new LifecycleQueries.HookRegistration(a.text("hook"), phases)), this::answer);
    }

    private HookAnswer answer(LifecycleEvent event) {
      CompletableFuture<JsonNode> reply = new CompletableFuture<>();
      replies.put(event.id(), reply);
      questions.push(event);
      JsonNode answer;
      try {
        answer = reply.get();
      } catch (InterruptedException | ExecutionException stop) {
        throw new IllegalStateException(stop);
      }
      if (answer.has("failure")) throw new IllegalStateException(answer.get("failure").asText());
      if (answer.has("veto")) return new HookAnswer.Veto(answer.get("veto").asText());
      Map<String, String> notes = new HashMap<>();
      answer.path("proceed").properties().forEach(each -> notes.put(each.getKey(), each.getValue().asText()));
      return new HookAnswer.Proceed(notes);
    }

    @Override
    JsonNode next(int count) {
      return items(questions, count);
    }

    @Override
    void send(JsonNode item) {
      replies.get(item.get("event").asText()).complete(item);
    }

    @Override
    Object end() {
      hook.close();
      return Map.of();
    }
  }

  private static final class Ingesting extends Streams {
    private final Pushed<NewMemory> memories = new Pushed<>();
    private final EventStream<IngestProgress> stream;
    private final List<IngestProgress.Refused> refused = new ArrayList<>();
    private final List<Object> receipts = new ArrayList<>();
    private JsonNode last = JsonNodeFactory.instance.objectNode();

    Ingesting(Mneme client, Arguments a) {
      stream = client.ingest(() -> memories, a.fill(new IngestOptions()));
    }

    @Override
    JsonNode next(int count) {
      List<IngestProgress> taken = new ArrayList<>();
      boolean ended = false;
      while (taken.size() < count && !ended) {
        ended = !stream.hasNext();
        if (!ended) taken.add(noted(stream.next()));
      }
      ObjectNode answer = JsonNodeFactory.instance.objectNode();
      answer.set("items", Results.of(taken));
      return answer.put("ended", ended);
    }

    private IngestProgress noted(IngestProgress progress) {
      refused.addAll(progress.refused());
      receipts.addAll(progress.receipts());
      last = Results.of(progress);
      return progress;
    }

    @Override
    void send(JsonNode item) {
      memories.push(Arguments.memoryOf(item));
    }

    @Override
    Object end() {
      memories.close();
      stream.forEachRemaining(this::noted);
      ObjectNode answer = last.deepCopy();
      answer.set("refused", Results.of(refused));
      answer.set("receipts", Results.of(receipts));
      return answer;
    }
  }

  private static final class Importing extends Streams {
    private final Pushed<NewMemory> memories = new Pushed<>();
    private final List<Map<String, Object>> refused = Collections.synchronizedList(new ArrayList<>());
    private final boolean skips;
    private final CompletableFuture<?> imported;

    Importing(Mneme client, Arguments a) {
      skips = a.flag("skip_refused");
      ImportOptions options = a.fill(new ImportOptions());
      if (skips) options.onRefused((id, error) -> refused.add(Map.of("id", id, "error", error)));
      imported = client.async(m -> m.importMemories(() -> memories, options));
    }

    @Override
    void send(JsonNode item) {
      memories.push(Arguments.memoryOf(item));
    }

    @Override
    Object end() {
      memories.close();
      try {
        ObjectNode answer = (ObjectNode) Results.of(imported.get());
        if (skips) answer.set("refused", Results.of(refused));
        return answer;
      } catch (ExecutionException failed) {
        if (failed.getCause() instanceof MnemeException error) throw error;
        throw new IllegalStateException(failed.getCause());
      } catch (InterruptedException stop) {
        throw new IllegalStateException(stop);
      }
    }
  }
}
