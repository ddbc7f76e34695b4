package dev.mneme.client;

import com.google.protobuf.Message;
import dev.mneme.v1.DeleteSessionRequest;
import dev.mneme.v1.InitialValue;
import dev.mneme.v1.ListSessionsRequest;
import dev.mneme.v1.PauseSessionRequest;
import dev.mneme.v1.RegisterHook;
import dev.mneme.v1.ResumeSessionRequest;
import dev.mneme.v1.SessionAction;
import dev.mneme.v1.SpawnSessionRequest;
import dev.mneme.v1.TerminateSessionRequest;
import dev.mneme.v1.WatchLifecycleEventsRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Options of the calls of {@link Lifecycle}. */
public final class LifecycleQueries {
  private LifecycleQueries() {}

  /** A query with notes for its event. */
  public abstract static class Noted<S extends Noted<S, B>, B extends Message.Builder> extends Query<S, B> {
    Noted(B message) {
      super(message);
    }

    /** Notes for its event. */
    public S metadata(Map<String, String> notes) {
      var field = message.getDescriptorForType().findFieldByName("metadata");
      notes.forEach((key, value) -> {
        Message.Builder entry = message.newBuilderForField(field);
        entry.setField(entry.getDescriptorForType().findFieldByNumber(1), key);
        entry.setField(entry.getDescriptorForType().findFieldByNumber(2), value);
        message.addRepeatedField(field, entry.build());
      });
      return self();
    }
  }

  /** Options of a new session. */
  public static final class Spawn extends Noted<Spawn, SpawnSessionRequest.Builder> {
    /** A session with a new id and nothing in it. */
    public Spawn() { super(SpawnSessionRequest.newBuilder()); }

    /** Default: a new id. */
    public Spawn sessionId(String id) { message.setSessionId(id); return this; }

    /** Project, agent type and agent. */
    public Spawn scope(Scope scope) { message.setScope(scope.message()); return this; }

    /** A value that it starts with: a {@link Content}, or a value that is stored as JSON. */
    public Spawn initialValue(String key, Object value) {
      message.addInitialValues(InitialValue.newBuilder().setKey(key).setValue(Content.from(value, "initial_values." + key).message()));
      return this;
    }

    /** Values that it starts with. */
    public Spawn initialValues(Map<String, ?> values) { values.forEach(this::initialValue); return this; }

    /** Time to live of values that are set without an expiry; null: they stay. Default: the server's. */
    public Spawn defaultTtl(Duration ttl) {
      if (ttl == null) message.setNoDefaultTtl(true);
      else message.setDefaultTtl(Values.duration(ttl));
      return this;
    }

    /** Time without a write after which the session ends; null: it does not. Default: the server's. */
    public Spawn idleTtl(Duration ttl) {
      if (ttl == null) message.setNoIdleTtl(true);
      else message.setIdleTtl(Values.duration(ttl));
      return this;
    }
  }

  /** How a session is paused. */
  public static final class Pause extends Noted<Pause, PauseSessionRequest.Builder> {
    /** With a new checkpoint, for 7 days. */
    public Pause() { super(PauseSessionRequest.newBuilder()); }

    /** Default: a new id. An existing checkpoint is never overwritten. */
    public Pause checkpointId(String id) { message.setCheckpointId(id); return this; }

    /** Description of the checkpoint. */
    public Pause description(String text) { message.setDescription(text); return this; }

    /** How long the checkpoint is kept once the pause has ended. Default: 7 days. */
    public Pause checkpointTtl(Duration ttl) { message.setCheckpointTtl(Values.duration(ttl)); return this; }

    /** Keeps the checkpoint until it is deleted or the session ends. */
    public Pause pin(boolean pin) { message.setPin(pin); return this; }

    /** Keeps working memory writable while the session is paused. */
    public Pause allowWrites(boolean allow) { message.setAllowWrites(allow); return this; }

    /** Also takes a snapshot of the memories of the session's agent. */
    public Pause includeMemories(boolean include) { message.setIncludeMemories(include); return this; }
  }

  /** How a session is resumed. */
  public static final class Resume extends Noted<Resume, ResumeSessionRequest.Builder> {
    /** From the checkpoint of its pause. */
    public Resume() { super(ResumeSessionRequest.newBuilder()); }

    /** Default: the checkpoint of the pause. */
    public Resume checkpointId(String id) { message.setCheckpointId(id); return this; }

    /** Default {@code REPLACE}. */
    public Resume mode(Checkpoint.RestoreMode mode) {
      message.setMode(Values.code(dev.mneme.v1.RestoreMode.class, "RESTORE_MODE_", mode));
      return this;
    }

    /** Restores the memories of the session's agent from the snapshot of the pause. */
    public Resume restoreMemories(boolean restore) { message.setRestoreMemories(restore); return this; }
  }

  /** How a session ends. */
  public static final class Terminate extends Noted<Terminate, TerminateSessionRequest.Builder> {
    /** With success. */
    public Terminate() { super(TerminateSessionRequest.newBuilder()); outcome(Session.Outcome.SUCCESS); }

    /** Default {@code SUCCESS}. */
    public Terminate outcome(Session.Outcome outcome) {
      message.setOutcome(Values.code(dev.mneme.v1.SessionOutcome.class, "SESSION_OUTCOME_", outcome));
      return this;
    }

    /** Default: the description of the task state. */
    public Terminate taskDescription(String text) { message.setTaskDescription(text); return this; }

    /** Lessons learned. */
    public Terminate lessons(Collection<String> lessons) { message.addAllLessons(lessons); return this; }

    /** Lessons learned. */
    public Terminate lessons(String... lessons) { return lessons(Arrays.asList(lessons)); }

    /** The actions. */
    public Terminate action(String description) { return action(description, null); }

    /** The actions, and when; null for no time. */
    public Terminate action(String description, Instant time) {
      SessionAction.Builder action = SessionAction.newBuilder().setDescription(description);
      if (time != null) action.setTime(Values.timestamp(time));
      message.addActions(action);
      return this;
    }

    /** 0 to 1. Default: from outcome, lessons and length. */
    public Terminate importance(double importance) { message.setImportance(importance); return this; }

    /** Tokens that the session has used. */
    public Terminate tokensUsed(long tokens) { message.setTokensUsed(tokens); return this; }

    /** Keys whose values are left out of the episode, as globs. */
    public Terminate redactKeys(Collection<String> globs) { message.addAllRedactKeys(globs); return this; }

    /** Makes no memory of it. */
    public Terminate skipEpisode(boolean skip) { message.setSkipEpisode(skip); return this; }

    /** Leaves working memory as it is. */
    public Terminate keepWorkingMemory(boolean keep) { message.setKeepWorkingMemory(keep); return this; }
  }

  /** How a session is deleted. */
  public static final class Delete extends Noted<Delete, DeleteSessionRequest.Builder> {
    /** Only a session that is not active. */
    public Delete() { super(DeleteSessionRequest.newBuilder()); }

    /** Deletes a session that is active, too. */
    public Delete force(boolean force) { message.setForce(force); return this; }
  }

  /** Which sessions are listed. */
  public static final class Sessions extends Query<Sessions, ListSessionsRequest.Builder> {
    /** All of them. */
    public Sessions() { super(ListSessionsRequest.newBuilder()); }

    /** Whose sessions. */
    public Sessions scope(Scope scope) { message.setScope(scope.message()); return this; }

    /** Only sessions in one of these states. */
    public Sessions states(List<Session.State> states) {
      states.forEach(each -> message.addStates(Values.code(dev.mneme.v1.SessionState.class, "SESSION_STATE_", each)));
      return this;
    }
  }

  /** Which events are watched. */
  public static final class Events extends Query<Events, WatchLifecycleEventsRequest.Builder> {
    /** From the next event on. */
    public Events() { super(WatchLifecycleEventsRequest.newBuilder()); }

    /**
     * Begins with the oldest that is kept. Default: after the consumer's last acknowledgement; without one, with the
     * next event.
     */
    public Events fromOldest() { message.setFromOldest(true); return this; }

    /** Begins behind the event with this token. */
    public Events resumeToken(String token) { message.setResumeToken(token); return this; }

    /** Name of the consumer: the server stores its acknowledgements. */
    public Events consumer(String name) { message.setConsumer(name); return this; }

    /** Whose sessions. */
    public Events scope(Scope scope) { message.setScope(scope.message()); return this; }

    /** Only these transitions. */
    public Events transitions(List<LifecycleEvent.Transition> transitions) {
      transitions.forEach(each -> message.addTransitions(LifecycleEvent.code(each)));
      return this;
    }
  }

  /** The transitions that a hook is called for. */
  public static final class HookRegistration extends Query<HookRegistration, RegisterHook.Builder> {
    /** A hook with a name for reports, asked before or after transitions. */
    public HookRegistration(String hook, List<LifecycleEvent.Phase> phases) {
      super(RegisterHook.newBuilder().setHook(hook));
      phases.forEach(each -> message.addPhases(Values.code(dev.mneme.v1.LifecyclePhase.class, "LIFECYCLE_PHASE_", each)));
    }

    /** Only these transitions. Default: all. */
    public HookRegistration transitions(List<LifecycleEvent.Transition> transitions) {
      transitions.forEach(each -> message.addTransitions(LifecycleEvent.code(each)));
      return this;
    }

    /** Whose sessions. Default: all. */
    public HookRegistration scope(Scope scope) { message.setScope(scope.message()); return this; }

    /** Longest wait for an answer, up to 10 s. Default 1 s. */
    public HookRegistration timeout(Duration time) { message.setTimeout(Values.duration(time)); return this; }

    /** Hooks of a higher one are asked first, -1,000 to 1,000. Default 0. */
    public HookRegistration priority(int priority) { message.setPriority(priority); return this; }

    /** Refuses the transition when the hook fails or does not answer in time. */
    public HookRegistration required(boolean required) { message.setRequired(required); return this; }
  }
}
