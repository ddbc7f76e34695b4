package dev.mneme.client;

/** How a task went. */
public enum TaskOutcome {
  /** It succeeded. */
  SUCCESS,
  /** It failed. */
  FAILURE,
  /** It succeeded in part. */
  PARTIAL;

  dev.mneme.v1.TaskOutcome code() {
    return Values.code(dev.mneme.v1.TaskOutcome.class, "TASK_OUTCOME_", this);
  }
}
