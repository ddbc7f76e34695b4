package dev.mneme.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.mneme.client.ConversationQueries;
import dev.mneme.client.ExtractedMemories;
import dev.mneme.client.ExtractionJob;
import dev.mneme.client.Mneme;
import dev.mneme.client.ServedExtractor;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Gives jobs of extraction as items; what is sent answers them. */
final class Extracting extends Streams {
  private final Pushed<JsonNode> jobs = new Pushed<>();
  private final Map<String, CompletableFuture<JsonNode>> replies = new ConcurrentHashMap<>();
  private final ServedExtractor served;

  Extracting(Mneme client, Arguments a) {
    served = client.conversations().serveExtractor(a.fill(new ConversationQueries.ServeExtractor()), this::answer);
  }

  private ExtractedMemories answer(ExtractionJob job) throws Exception {
    CompletableFuture<JsonNode> reply = new CompletableFuture<>();
    replies.put(job.id(), reply);
    ObjectNode item = (ObjectNode) Results.of(job);
    for (int i = 0; i < job.messages().size(); i++) {
      ((ObjectNode) item.get("messages").get(i)).put("text", job.messages().get(i).text());
    }
    jobs.push(item);
    JsonNode answer = reply.get();
    if (answer.has("failure")) throw new ServedExtractor.Refusal(answer.get("failure").asText());
    if (answer.has("error")) throw new IllegalStateException(answer.get("error").asText());
    ExtractedMemories extracted = new ExtractedMemories();
    answer.path("claims").forEach(each -> extracted.claim(new Arguments(each).fill(new ExtractedMemories.Claim())));
    answer.path("noted").forEach(each -> extracted.note(new Arguments(each).fill(new ExtractedMemories.Note())));
    return extracted;
  }

  @Override
  JsonNode next(int count) {
    return items(jobs, count);
  }

  @Override
  void send(JsonNode item) {
    replies.get(item.get("job").asText()).complete(item);
  }

  @Override
  Object end() {
    served.close();
    return Map.of();
  }
}
