import type { LoggedRecords } from '../record-log.ts';
import type { NamespaceSize, TierStore, TierTotal } from '../tier-store.ts';
import type { ViewedReads } from './viewed-reads.ts';

/** Moves go to the records; members and totals are read from the view. */
export class ViewedTiers implements TierStore {
  private readonly reads: ViewedReads;
  private readonly records: LoggedRecords;
  private readonly view: TierStore;

  constructor(reads: ViewedReads, records: LoggedRecords, view: TierStore) {
    this.reads = reads;
    this.records = records;
    this.view = view;
  }

  move(write: Parameters<TierStore['move']>[0]): ReturnType<TierStore['move']> {
    return this.records.move(write);
  }
  tierSettings(namespace: string): ReturnType<TierStore['tierSettings']> {
    return this.records.tierSettings(namespace);
  }
  setTierSettings(write: Parameters<TierStore['setTierSettings']>[0]): Promise<void> {
    return this.records.setTierSettings(write);
  }
  setMaintained(write: Parameters<TierStore['setMaintained']>[0]): Promise<void> {
    return this.records.setMaintained(write);
  }
  maintainedAtUs(namespace: string): ReturnType<TierStore['maintainedAtUs']> {
    return this.records.maintainedAtUs(namespace);
  }

  members(read: Parameters<TierStore['members']>[0]): ReturnType<TierStore['members']> {
    return this.reads.one(read.namespace, () => this.view.members(read));
  }
  async totals(namespace?: string): Promise<TierTotal[]> {
    if (namespace !== undefined) return this.reads.one(namespace, () => this.view.totals(namespace));
    return (await this.reads.each((name) => this.view.totals(name))).flat();
  }
  size(namespace: string): Promise<NamespaceSize> {
    return this.reads.one(namespace, () => this.view.size(namespace));
  }
}
