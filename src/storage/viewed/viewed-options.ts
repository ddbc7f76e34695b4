import type { Clock } from '../../memory/clock.ts';
import type { MemoryStore } from '../memory-store.ts';
import type { Mirror } from '../mirror-store.ts';
import type { LoggedRecords } from '../record-log.ts';
import type { ReembeddingStore } from '../reembedding-store.ts';
import type { TierStore } from '../tier-store.ts';

export interface ViewedOptions {
  readonly records: LoggedRecords;
  /** Holds copies alone: without it, all of them are made again. */
  readonly view: MemoryStore & { readonly tiers: TierStore & Mirror; readonly reembedding: ReembeddingStore };
  readonly clock: Clock;
  /** Called when the view could not follow in the background; the next read tries again. */
  readonly onFailure: (namespace: string, error: unknown) => void;
}
