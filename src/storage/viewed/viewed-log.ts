import type { ChangeLog, ChangeRead, LogPlace, WatchedNamespace } from '../../change-log/change-log.ts';
import type { Records } from '../memory-store.ts';
import type { RecordCopies } from '../record-copies.ts';

interface View extends Pick<Records, 'getNamespace'> {
  readonly copies: Pick<RecordCopies, 'position'>;
}

/**
 * The log of a view. A place in it from before the namespace was evicted is found as a place of another server is: by
 * the log that all servers share.
 */
export class ViewedLog implements ChangeLog {
  private readonly log: ChangeLog;
  private readonly view: View;

  constructor(log: ChangeLog, view: View) {
    this.log = log;
    this.view = view;
  }

  get revision(): number {
    return this.log.revision;
  }
  async revisionAt(namespace: WatchedNamespace, place: LogPlace): Promise<number> {
    const isFormer = await this.isOfFormerView(namespace, place);
    return this.log.revisionAt(namespace, isFormer ? { ...place, log: '' } : place);
  }

  changedNamespaces(read: Parameters<ChangeLog['changedNamespaces']>[0]): ReturnType<ChangeLog['changedNamespaces']> {
    return this.log.changedNamespaces(read);
  }
  compactedRevision(): Promise<number> {
    return this.log.compactedRevision();
  }
  place(namespace: WatchedNamespace, revision: number): Promise<LogPlace> {
    return this.log.place(namespace, revision);
  }
  termAt(revision: number): Promise<string> {
    return this.log.termAt(revision);
  }
  watchedNamespace(name: string): Promise<WatchedNamespace> {
    return this.log.watchedNamespace(name);
  }
  readChanges(read: ChangeRead): ReturnType<ChangeLog['readChanges']> {
    return this.log.readChanges(read);
  }
  readTail(read: Parameters<ChangeLog['readTail']>[0]): ReturnType<ChangeLog['readTail']> {
    return this.log.readTail(read);
  }
  onCommit(listener: () => void): () => void {
    return this.log.onCommit(listener);
  }
  measure(read: Parameters<ChangeLog['measure']>[0]): ReturnType<ChangeLog['measure']> {
    return this.log.measure(read);
  }
  compact(write: Parameters<ChangeLog['compact']>[0]): Promise<boolean> {
    return this.log.compact(write);
  }

  /** Whether the place is of the present life of the namespace, but of an earlier one in the view. */
  private async isOfFormerView({ name }: WatchedNamespace, place: LogPlace): Promise<boolean> {
    if (place.epoch === '') return false;
    const { copies } = this.view;
    // The row of a namespace in a view has the revision of its making.
    const [position, { revision }] = await Promise.all([copies.position(name), this.view.getNamespace(name)]);
    return position?.epoch === place.epoch && place.revision < revision;
  }
}
