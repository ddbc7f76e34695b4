import { ChangeKind } from '../../../gen/ts/mneme/v1/change.ts';
import type { Memory } from '../../../gen/ts/mneme/v1/memory.ts';
import {
  RecallEventKind,
  RecallServiceService,
  SubscribeRecallRequest,
  SubscribeRecallResponse,
  WatchMemoriesRequest,
  WatchMemoriesResponse,
} from '../../../gen/ts/mneme/v1/recall_service.ts';
import { MessageReader } from '../load/message-reader.ts';
import type { RawTransport } from '../load/raw-transport.ts';
import { nameIn, type Query } from './standing-streams.ts';

/** Events of streams of one kind at one server. */
class Events {
  /** Instant at which the event of each write arrived. */
  readonly arrivedMs = new Map<string, number>();
  protected faults = 0;

  /** Notes the event of a memory; returns the name of its write. */
  note({ text }: Pick<Memory, 'text'>, isInOrder: boolean): string | undefined {
    const name = nameIn(text);
    if (!isInOrder || name === undefined || this.arrivedMs.has(name)) this.faults++;
    else this.arrivedMs.set(name, performance.now());
    return name;
  }

  /** Events that came twice, or not in the order of their changes. */
  get outOfOrder(): number {
    return this.faults;
  }
}

/** Changes of a watch. */
export class ChangeEvents extends Events {
  readonly name = 'WatchMemories';
  /** Revisions of writes in the log of the server. */
  readonly revisions = new Map<string, bigint>();
}

/** Memories that come into the answers of standing queries at the server of a watch. */
export class AnswerEvents extends Events {
  readonly name = 'SubscribeRecall';
  /** Revision that the stream of each write said to reflect before it had the write. */
  readonly passed = new Map<string, bigint>();
  private readonly changes: ChangeEvents;

  constructor(changes: ChangeEvents) {
    super();
    this.changes = changes;
  }

  override get outOfOrder(): number {
    const late = [...this.passed].filter(([name, passed]) => (this.changes.revisions.get(name) ?? passed) <= passed);
    return this.faults + late.length;
  }
}

/** Opens a watch of a namespace from now on; resolves when it has begun. Writes have the order of their versions, too. */
export function watched(reader: RawTransport, parent: string, events: ChangeEvents): Promise<void> {
  const request = WatchMemoriesRequest.encode(WatchMemoriesRequest.fromPartial({ parent })).finish();
  let [passed, version] = [0n, 0n];
  return opened(reader, RecallServiceService.watchMemories.path, request, (message) => {
    const { event } = WatchMemoriesResponse.decode(message);
    for (const { kind, memory, revision } of event?.$case === 'batch' ? event.value.changes : []) {
      if (kind !== ChangeKind.CHANGE_KIND_STORED || !memory) continue;
      const name = events.note(memory, revision > passed && memory.version > version);
      [passed, version] = [revision, memory.version];
      if (name !== undefined) events.revisions.set(name, revision);
    }
    return event?.$case === 'progress';
  });
}

/** Opens a standing query whose answer loses no memory; resolves when it stands. */
export function followed(reader: RawTransport, query: Query, events: AnswerEvents): Promise<void> {
  const request = SubscribeRecallRequest.encode(SubscribeRecallRequest.fromPartial({ query })).finish();
  let passed = 0n;
  return opened(reader, RecallServiceService.subscribeRecall.path, request, (message) => {
    const { event, revision } = SubscribeRecallResponse.decode(message);
    const batch = event?.$case === 'batch' ? event.value : undefined;
    for (const { kind, hit } of batch?.events ?? []) {
      if (kind !== RecallEventKind.RECALL_EVENT_KIND_ENTER || !hit?.memory) continue;
      const name = events.note(hit.memory, revision >= passed);
      if (name !== undefined) events.passed.set(name, passed);
    }
    if (!batch?.fragment) passed = revision;
    return event?.$case === 'progress';
  });
}

/** Passes the messages of a stream on, and resolves with the first one that `isBegun` returns true for. */
function opened(
  reader: RawTransport,
  path: string,
  request: Uint8Array,
  isBegun: (message: Buffer) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const messages = new MessageReader((message) => {
      if (isBegun(message)) resolve();
    });
    const onEnd = (): void => reject(new Error(`${path}: the server has ended the stream`));
    reader.listen(path, request, (bytes) => messages.read(bytes), onEnd);
  });
}
