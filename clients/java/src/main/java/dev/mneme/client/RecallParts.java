package dev.mneme.client;

import com.google.protobuf.Message;
import dev.mneme.v1.RecallMerged;
import dev.mneme.v1.RecallStreamResponse;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Puts the parts of a streamed recall together. */
final class RecallParts implements BiConsumer<RecallStreamResponse, Consumer<RecallStreamEvent>> {
  private final Connection connection;
  private final Map<Tier, List<Hit>> hitsByTier = new EnumMap<>(Tier.class);

  RecallParts(Connection connection) {
    this.connection = connection;
  }

  @Override
  public void accept(RecallStreamResponse message, Consumer<RecallStreamEvent> out) {
    switch (message.getPartCase()) {
      case HITS -> {
        Tier tier = tierOf(message.getHits());
        List<Hit> hits = new ArrayList<>(message.getHits().getContinued() ? hitsByTier.getOrDefault(tier, List.of()) : List.of());
        message.getHits().getHitsList().forEach(each -> hits.add(Hit.of(each)));
        hitsByTier.put(tier, hits);
        out.accept(new RecallStreamEvent.Hits(tier, List.copyOf(hits)));
      }
      case MERGED -> out.accept(new RecallStreamEvent.Merged(answerOf(message.getMerged())));
      default -> { }
    }
  }

  private RecallResult answerOf(RecallMerged merged) {
    connection.seen(merged.getRevision());
    Map<String, Hit> byName = new HashMap<>();
    hitsByTier.values().forEach(hits -> hits.forEach(hit -> byName.put(hit.memory().name(), hit)));
    List<Hit> hits = new ArrayList<>();
    merged.getOrderList().forEach(each -> {
      Hit hit = byName.get(each.getName());
      if (hit != null) hits.add(hit.in(each.getScore(), tierOf(each)));
    });
    return Answers.read(merged, RecallResult.class, Map.of("hits", hits));
  }

  private static Tier tierOf(Message message) {
    Tier tier = Answers.enumIn(message, "tier", Tier.class);
    return tier == null ? Tier.SHORT_TERM : tier;
  }
}
