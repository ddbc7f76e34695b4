package dev.mneme.client;

import dev.mneme.v1.AgentServiceGrpc;
import dev.mneme.v1.CreateAgentSnapshotRequest;
import dev.mneme.v1.DeleteAgentSnapshotRequest;
import dev.mneme.v1.DiffAgentSnapshotsRequest;
import dev.mneme.v1.ForkAgentSnapshotRequest;
import dev.mneme.v1.ListAgentSnapshotsRequest;
import dev.mneme.v1.RestoreAgentSnapshotRequest;
import java.time.Instant;
import java.util.List;

/** Snapshots of the memories of agents. */
public final class Agents extends Calls {
  Agents(Connection connection, String namespace, Settings settings) {
    super(connection, namespace, settings);
  }

  /** Takes a snapshot of an agent's memories, with a new id. */
  public Snapshot createSnapshot(Scope scope) {
    return createSnapshot(scope, "", "");
  }

  /** Takes a snapshot of an agent's memories; an empty id is a new one. */
  public Snapshot createSnapshot(Scope scope, String snapshotId, String description) {
    return Answers.required(call(AgentServiceGrpc.getCreateAgentSnapshotMethod(), CreateAgentSnapshotRequest.newBuilder()
        .setParent(parent).setScope(scope.message()).setSnapshotId(snapshotId).setDescription(description).build()),
        "snapshot", Snapshot.class, "snapshot");
  }

  /** All snapshots, in the order of their ids. */
  public Iterable<Snapshot> listSnapshots() {
    return Pages.of(token -> {
      var page = call(AgentServiceGrpc.getListAgentSnapshotsMethod(),
          ListAgentSnapshotsRequest.newBuilder().setParent(parent).setPageToken(token).build());
      return Pages.page(Answers.list(page.getSnapshotsList(), Snapshot.class), page.getNextPageToken());
    });
  }

  /** Deletes a snapshot. */
  public void deleteSnapshot(String id) {
    call(AgentServiceGrpc.getDeleteAgentSnapshotMethod(),
        DeleteAgentSnapshotRequest.newBuilder().setParent(parent).setSnapshotId(id).build());
  }

  /** Changes from a snapshot to now. */
  public SnapshotDiff diffSnapshots(String id) {
    return diff(DiffAgentSnapshotsRequest.newBuilder().setSnapshotId(id));
  }

  /** Changes from one snapshot to another. */
  public SnapshotDiff diffSnapshots(String id, String toSnapshotId) {
    return diff(DiffAgentSnapshotsRequest.newBuilder().setSnapshotId(id).setToSnapshotId(toSnapshotId));
  }

  /** Changes from a snapshot to the present memories of an agent, such as a branch. */
  public SnapshotDiff diffSnapshots(String id, Scope to) {
    return diff(DiffAgentSnapshotsRequest.newBuilder().setSnapshotId(id).setToScope(to.message()));
  }

  /** Restores the agent's memories to the snapshot, all of them or none. */
  public Restored restoreSnapshot(String id) {
    return Answers.read(call(AgentServiceGrpc.getRestoreAgentSnapshotMethod(),
        RestoreAgentSnapshotRequest.newBuilder().setParent(parent).setSnapshotId(id).build()), Restored.class);
  }

  /** Copies the memories of a snapshot to another agent, all of them or none. Returns how many. */
  public int forkSnapshot(String id, Scope to) {
    return call(AgentServiceGrpc.getForkAgentSnapshotMethod(), ForkAgentSnapshotRequest.newBuilder()
        .setParent(parent).setSnapshotId(id).setToScope(to.message()).build()).getCopiedCount();
  }

  private SnapshotDiff diff(DiffAgentSnapshotsRequest.Builder request) {
    return Answers.read(call(AgentServiceGrpc.getDiffAgentSnapshotsMethod(), request.setParent(parent).build()), SnapshotDiff.class);
  }

  /**
   * The memories of an agent as they were.
   *
   * @param id its id
   * @param scope whose memories
   * @param description its purpose
   * @param createTime when it was taken
   * @param revision revision of the change log that it is of
   */
  public record Snapshot(String id, Scope scope, String description, Instant createTime, long revision) {}

  /**
   * Differences. Ids of the first 1,000 memories of each kind.
   *
   * @param addedIds ids of memories that are new
   * @param removedIds ids of memories that are gone
   * @param changedIds ids of memories that are other ones
   * @param addedCount how many are new
   * @param removedCount how many are gone
   * @param changedCount how many are other ones
   */
  public record SnapshotDiff(List<String> addedIds, List<String> removedIds, List<String> changedIds, int addedCount, int removedCount,
      int changedCount) {}

  /**
   * Result of restoring a snapshot.
   *
   * @param restoredCount memories that were brought back
   * @param erasedCount memories that were stored since and erased
   */
  public record Restored(int restoredCount, int erasedCount) {}
}
