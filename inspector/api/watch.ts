import type { Change } from '../../gen/ts/mneme/v1/change.ts';
import { watchMemories } from './calls.ts';
import { follow, type WatchState } from './follow.ts';

export type { WatchState } from './follow.ts';

type Draft = Parameters<typeof watchMemories>[0];

export interface Watcher {
  onChanges(changes: readonly Change[], token: string): void;
  onState(state: WatchState): void;
}

/** Reads changes until the signal; a stream that breaks goes on from its token. */
export function watch(draft: Draft, watcher: Watcher, signal: AbortSignal): Promise<void> {
  let token = draft.resumeToken ?? '';
  return follow(
    {
      open: (stop) => watchMemories(token === '' ? draft : { ...draft, startRevision: 0n, resumeToken: token }, stop),
      onMessage({ event, resumeToken }) {
        token = resumeToken;
        watcher.onChanges(event?.$case === 'batch' ? event.value.changes : [], token);
      },
      onState: watcher.onState,
    },
    signal,
  );
}
