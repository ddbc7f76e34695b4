import type { Checkpoint, SessionKey } from '../../../memory/session.ts';
import type { WorkingMemoryDeps } from './working-memory-deps.ts';

export interface CheckpointListing extends SessionKey {
  /** Only checkpoints of this kind. Default: all. */
  readonly kind?: Checkpoint['kind'];
  readonly limit: number;
  readonly beforeRevision?: number;
}

/** One page of the checkpoints of a session, newest first. `nextBefore` is present where there are more. */
export async function listCheckpoints(
  { sessions, clock }: Pick<WorkingMemoryDeps, 'sessions' | 'clock'>,
  { namespace, session, kind, limit, beforeRevision }: CheckpointListing,
): Promise<{ checkpoints: readonly Checkpoint[]; nextBefore?: number }> {
  const nowUs = clock.nowUs();
  const found: Checkpoint[] = [];
  let before = beforeRevision;
  for (;;) {
    const page = await sessions.checkpoints({
      namespace,
      session,
      limit: limit + 1,
      nowUs,
      ...(before === undefined ? {} : { beforeRevision: before }),
    });
    for (const checkpoint of page) {
      if (kind === undefined || checkpoint.kind === kind) {
        if (found.length === limit && before !== undefined) return { checkpoints: found, nextBefore: before };
        found.push(checkpoint);
      }
      before = checkpoint.revision;
    }
    if (page.length <= limit) return { checkpoints: found };
  }
}
