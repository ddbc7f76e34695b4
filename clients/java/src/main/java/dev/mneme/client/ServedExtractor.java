package dev.mneme.client;

import dev.mneme.v1.ConversationServiceGrpc;
import dev.mneme.v1.ExtractionAnswer;
import dev.mneme.v1.ExtractionFailure;
import dev.mneme.v1.ExtractionJobClosed;
import dev.mneme.v1.ServeExtractorRequest;
import dev.mneme.v1.ServeExtractorResponse;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;

/** The extractor of a namespace that this client serves, until it is closed. */
public final class ServedExtractor extends Served<ServeExtractorRequest, ServeExtractorResponse> {
  private final Handler handler;
  private final ConversationQueries.ServeExtractor query;
  private final Map<String, InHand> inHand = new ConcurrentHashMap<>();
  private volatile String extractor = "";

  private record InHand(ExtractionJob job, FutureTask<Void> task) {}

  ServedExtractor(Connection connection, Settings settings, String parent, ConversationQueries.ServeExtractor query, Handler handler) {
    super(connection, settings, ConversationServiceGrpc.getServeExtractorMethod(),
        ServeExtractorRequest.newBuilder().setStart(query.copy().setParent(parent)).build());
    this.query = query;
    this.handler = handler;
    begin();
  }

  /** Extractor in use by the namespace when the stream was opened: jobs come only while it is {@code client}. */
  public String extractor() {
    return extractor;
  }

  /** Done when it is closed; fails when its stream broke for good. */
  @Override
  public CompletableFuture<Void> closed() {
    return super.closed();
  }

  /** Ends serving, and interrupts the handlers; the server gives jobs in hand to other clients. */
  @Override
  public void close() {
    super.close();
  }

  @Override
  void take(ServeExtractorResponse message, Duplex<ServeExtractorRequest, ServeExtractorResponse> from) {
    switch (message.getMessageCase()) {
      case STARTED -> extractor = message.getStarted().getExtractor();
      case JOB -> begin(Answers.read(message.getJob(), ExtractionJob.class), from);
      case CLOSED -> close(message.getClosed());
      // A heartbeat is answered by one: proxies see that both sides are there.
      case HEARTBEAT -> send(from, ServeExtractorRequest.getDefaultInstance());
      default -> {}
    }
  }

  @Override
  void ended() {
    inHand.values().forEach(each -> each.task.cancel(true));
    inHand.clear();
  }

  /** Jobs are answered as their answers are there, so a slow one holds up none of the others. */
  private void begin(ExtractionJob job, Duplex<ServeExtractorRequest, ServeExtractorResponse> from) {
    FutureTask<Void> task = new FutureTask<>(() -> {
      ExtractionAnswer answer = answerTo(job);
      boolean isWanted = answer.hasFailure() ? inHand.remove(job.id()) != null : inHand.containsKey(job.id());
      if (isWanted) send(from, ServeExtractorRequest.newBuilder().setAnswer(answer).build());
      return null;
    });
    inHand.put(job.id(), new InHand(job, task));
    handlers.execute(task);
  }

  private ExtractionAnswer answerTo(ExtractionJob job) {
    ExtractionAnswer.Builder answer = ExtractionAnswer.newBuilder().setJobId(job.id());
    try {
      ExtractedMemories extracted = handler.extract(job);
      return answer.setExtracted(Texts.whole((extracted == null ? new ExtractedMemories() : extracted).copy().build())).build();
    } catch (Exception fault) {
      boolean isRetryable = !(fault instanceof Refusal);
      return answer.setFailure(ExtractionFailure.newBuilder().setMessage(textOf(fault)).setRetryable(isRetryable)).build();
    }
  }

  private void close(ExtractionJobClosed closed) {
    InHand known = inHand.remove(closed.getJobId());
    if (known == null) return;
    if (closed.hasWithdrawn()) known.task.cancel(true);
    if (closed.hasRejected()) query.onRejected.accept(known.job, closed.getRejected());
  }

  /** Extracts from a job. */
  @FunctionalInterface
  public interface Handler {
    /**
     * What the messages of the job state; null is nothing. Its thread is interrupted when the server takes the job back. What it throws is
     * reported, and the job comes again, later after each failure; after a {@link Refusal} only a few times.
     */
    ExtractedMemories extract(ExtractionJob job) throws Exception;
  }

  /** Nothing can be extracted from the messages of a job. It counts as an attempt: after several of them the messages are given up. */
  public static final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** With its reason. */
    public Refusal(String reason) {
      super(reason);
    }
  }
}
