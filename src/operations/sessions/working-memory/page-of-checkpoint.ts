import { compareTexts } from '../../../memory/compare-text.ts';
import { globOf } from '../../../memory/glob.ts';
import type { EntryListRead, EntryPage } from '../../../storage/session-store.ts';
import { snapshotOf } from './fork-checkpoint.ts';
import type { WorkingMemoryDeps } from './working-memory-deps.ts';

/** A page of the keys of a checkpoint with their values. Fails with CHECKPOINT_NOT_FOUND. */
export async function pageOfCheckpoint(
  deps: Pick<WorkingMemoryDeps, 'sessions' | 'clock'>,
  { namespace, session, pattern, afterKey, limit, bytesMax }: EntryListRead,
  checkpoint: string,
): Promise<EntryPage> {
  const { entries, revision } = await snapshotOf(deps, { namespace, session }, checkpoint);
  const glob = pattern === undefined ? undefined : globOf(pattern);
  const rest = entries
    .filter(({ key }) => !glob || glob.matches(key))
    .filter(({ key }) => afterKey === undefined || compareTexts(key, afterKey) > 0)
    .sort((one, other) => compareTexts(one.key, other.key));
  let bytes = 0;
  const end = rest.findIndex((entry, at) => {
    bytes += entry.bytes;
    return at >= limit || (at > 0 && bytes > bytesMax);
  });
  return { revision, entries: end < 0 ? rest : rest.slice(0, end), isLast: end < 0 };
}
