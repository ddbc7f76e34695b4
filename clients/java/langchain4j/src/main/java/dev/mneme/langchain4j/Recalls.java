package dev.mneme.langchain4j;

import dev.mneme.client.Hit;
import dev.mneme.client.Mneme;
import dev.mneme.client.MnemeException;
import dev.mneme.client.RecallQuery;
import dev.mneme.client.RecallResult;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Recalls whose hits are all that a caller gets: what an answer lacks is logged. */
final class Recalls {
  private static final Logger LOG = LoggerFactory.getLogger("dev.mneme.langchain4j");

  private Recalls() {}

  /** The hits, best first; none where the namespace does not exist, which it does from the first write on. */
  static List<Hit> hits(Mneme mneme, RecallQuery query) {
    try {
      RecallResult answer = mneme.recall(query);
      if (!answer.degraded().isEmpty()) LOG.warn("Mneme searched {} only in part: {}", mneme.namespace(), answer.degraded());
      if (!answer.damagedIds().isEmpty()) LOG.warn("Memories of {} are damaged and left out: {}", mneme.namespace(), answer.damagedIds());
      return answer.hits();
    } catch (MnemeException.NotFound fault) {
      return List.of();
    }
  }
}
