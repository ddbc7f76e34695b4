package dev.mneme.client;

import dev.mneme.v1.KnowledgeServiceGrpc;
import dev.mneme.v1.RecordEpisodeRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;

/** Records what was done and how it went. */
public final class Episodes extends Calls {
  Episodes(Connection connection, String namespace, Settings settings) {
    super(connection, namespace, settings);
  }

  /** Stores what was done and how it went, as a memory of type {@code episode}, and returns when it is durable. */
  public Episode record(NewEpisode episode) {
    return Answers.read(call(KnowledgeServiceGrpc.getRecordEpisodeMethod(), episode.copy().setParent(parent).build()), Episode.class);
  }

  /** Patterns of the episodes of the last 30 days. */
  public Reflection reflect() {
    return reflect(new Reflection.ReflectQuery());
  }

  /**
   * Patterns of recorded episodes: what goes with success, what fails, what is unusual and what changes. Reads only, and asks a model only
   * with {@link Reflection.ReflectQuery#phrase}.
   */
  public Reflection reflect(Reflection.ReflectQuery query) {
    var answer = call(KnowledgeServiceGrpc.getReflectMethod(), query.copy().setParent(parent).build());
    if (!answer.hasCounts()) throw Errors.incompleteAnswer("counts");
    return Answers.read(answer, Reflection.class);
  }

  /** A task, its actions and its outcome. */
  public static final class NewEpisode extends Query<NewEpisode, RecordEpisodeRequest.Builder> {
    /** Nothing yet: task and outcome are required. */
    public NewEpisode() { super(RecordEpisodeRequest.newBuilder()); }

    /** A task and how it went. */
    public static NewEpisode of(String task, TaskOutcome outcome) { return new NewEpisode().task(task).outcome(outcome); }

    /** Owner. Default: the whole namespace. */
    public NewEpisode scope(Scope scope) { message.setScope(scope.message()); return this; }

    /** The task. 1 to 2,048 bytes. */
    public NewEpisode task(String task) { message.setTask(task); return this; }

    /** How it went. */
    public NewEpisode outcome(TaskOutcome outcome) { message.setOutcome(outcome.code()); return this; }

    /** Lessons learned; at most 64. */
    public NewEpisode lessons(Collection<String> lessons) { message.addAllLessons(lessons); return this; }

    /** Actions, in order; at most 64. */
    public NewEpisode actions(Collection<String> actions) { message.addAllActions(actions); return this; }

    /** How long it took, at most 3,650 days. Default: not known. */
    public NewEpisode duration(Duration duration) { message.setDuration(Values.duration(duration)); return this; }

    /** Tokens that it took. Default: not known. */
    public NewEpisode tokensUsed(long tokens) { message.setTokensUsed(tokens); return this; }

    /** Importance, 0 to 1. Default: by outcome, lessons and duration. */
    public NewEpisode importance(double importance) { message.setImportance(importance); return this; }

    /** When it ended. Default: now. */
    public NewEpisode eventTime(Instant time) { message.setEventTime(Values.timestamp(time)); return this; }
  }

  /**
   * The memory of an episode.
   *
   * @param name resource name
   * @param id id
   * @param importance importance of the episode
   * @param revision revision of the change log
   */
  public record Episode(String name, String id, double importance, long revision) {}
}
