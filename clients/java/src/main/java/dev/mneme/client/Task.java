package dev.mneme.client;

import dev.mneme.v1.TaskState;
import dev.mneme.v1.TaskStatus;
import dev.mneme.v1.UpdateTaskProgressRequest;
import java.time.Instant;

/**
 * A task.
 *
 * @param taskId its id
 * @param description description of the task
 * @param status its status
 * @param detail details of the status
 * @param currentStep the step that it is at
 * @param totalSteps how many steps there are; 0: not known
 * @param progressPercent 0 to 100
 * @param startTime when it was set
 * @param updateTime when it was changed last
 * @param version for changes on condition
 */
public record Task(String taskId, String description, Status status, String detail, long currentStep, long totalSteps,
    double progressPercent, Instant startTime, Instant updateTime, long version) {
  /** Status of a task. */
  public enum Status {
    /** To be begun. */
    PENDING,
    /** Under way. */
    IN_PROGRESS,
    /** Held up. */
    BLOCKED,
    /** Done. */
    COMPLETED,
    /** Not done. */
    FAILED,
    /** Given up. */
    CANCELLED
  }

  /** Progress of a task. */
  public static final class Progress {
    private final UpdateTaskProgressRequest.Builder message = UpdateTaskProgressRequest.newBuilder();
    private String taskId = "";

    /** Nothing is said yet. */
    public Progress() {}

    /** Id of the task; only for {@code setTaskState}. */
    public Progress taskId(String id) { taskId = id; return this; }

    /** Description of the task. */
    public Progress description(String text) { message.setDescription(text); return this; }

    /** Its status. Default {@code PENDING}. */
    public Progress status(Status status) { message.setStatus(Values.code(TaskStatus.class, "TASK_STATUS_", status)); return this; }

    /** Details of the status. */
    public Progress detail(String text) { message.setDetail(text); return this; }

    /** The step that it is at. */
    public Progress currentStep(long step) { message.setCurrentStep(step); return this; }

    /** How many steps there are; 0: not known. */
    public Progress totalSteps(long steps) { message.setTotalSteps(steps); return this; }

    /** 0 to 100; other values are clamped. */
    public Progress progressPercent(double percent) { message.setProgressPercent(percent); return this; }

    UpdateTaskProgressRequest.Builder update() { return message.clone(); }

    TaskState state() {
      return TaskState.newBuilder().setTaskId(taskId).setDescription(message.getDescription())
          .setStatus(message.getStatusValue() == 0 ? TaskStatus.TASK_STATUS_PENDING : message.getStatus())
          .setDetail(message.getDetail()).setCurrentStep(message.getCurrentStep()).setTotalSteps(message.getTotalSteps())
          .setProgressPercent(message.getProgressPercent()).build();
    }
  }
}
