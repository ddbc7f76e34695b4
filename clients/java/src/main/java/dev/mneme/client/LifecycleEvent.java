package dev.mneme.client;

import dev.mneme.v1.LifecycleTransition;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * A step in the life of a session.
 *
 * @param id the same when the event is sent again
 * @param transition what happens
 * @param phase whether it is to happen, has happened or was refused
 * @param session the session
 * @param time when
 * @param metadata notes of callers and hooks
 * @param checkpointId the checkpoint that it is about, or null
 * @param episodeId id of the memory that tells of the session, or null
 * @param refusal why it was refused, or null
 * @param duration how long it took until then, with the hooks that were asked before it
 * @param resumeToken continues after it; null in questions to hooks
 */
public record LifecycleEvent(String id, Transition transition, Phase phase, Session session, Instant time, Map<String, String> metadata,
    @From(optional = true) String checkpointId, @From(value = "episode", optional = true) String episodeId,
    @From(optional = true) String refusal, Duration duration, String resumeToken) {
  /** A transition of a session. */
  public enum Transition {
    /** It is made. */
    SPAWN,
    /** It is let rest. */
    PAUSE,
    /** It is woken. */
    RESUME,
    /** It ends. */
    TERMINATE,
    /** It is deleted. */
    DELETE
  }

  /** Phase of a transition at which an event is sent. */
  public enum Phase {
    /** Before the transition, which may still be refused. */
    BEFORE,
    /** After it. */
    AFTER,
    /** It was refused. */
    REFUSED
  }

  static LifecycleTransition code(Transition transition) {
    return Values.code(LifecycleTransition.class, "LIFECYCLE_TRANSITION_", transition);
  }

  static LifecycleEvent of(dev.mneme.v1.LifecycleEvent message, String resumeToken) {
    return Answers.read(message, LifecycleEvent.class, resumeToken == null ? Map.of() : Map.of("resumeToken", resumeToken));
  }
}
