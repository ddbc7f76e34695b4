import { hash } from 'node:crypto';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { Change as ChangeMessage, ChangeKind as KindNumber } from '../../../../gen/ts/mneme/v1/change.ts';
import { WatchMemoriesResponse } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import type { StreamCreated } from '../../../../gen/ts/mneme/v1/stream.ts';
import { MnemeError } from '../../../memory/errors.ts';
import type { Memory, MemoryView } from '../../../memory/memory.ts';
import type { Change, ChangeKind, LogPlace } from '../../../storage/change-log/change-log.ts';
import type { VisibleChange, WatchMessage } from '../../operations/streams/watch.ts';
import { encode } from '../edge/codec.ts';
import { type PageQuery, pageToken, positionIn } from '../edge/page-token.ts';
import { durationMessage, memoryName, namespaceName, timestampOf } from '../edge/request-checks.ts';
import { memoryMessage } from '../memories/memory-messages.ts';

/** Gaps end streams: no message reports them. */
const KINDS: Readonly<Record<ChangeKind, KindNumber>> = {
  stored: KindNumber.CHANGE_KIND_STORED,
  updated: KindNumber.CHANGE_KIND_UPDATED,
  deleted: KindNumber.CHANGE_KIND_DELETED,
  expired: KindNumber.CHANGE_KIND_EXPIRED,
  embedded: KindNumber.CHANGE_KIND_EMBEDDED,
  touched: KindNumber.CHANGE_KIND_TOUCHED,
  moved: KindNumber.CHANGE_KIND_MOVED,
  namespace_created: KindNumber.CHANGE_KIND_NAMESPACE_CREATED,
  namespace_updated: KindNumber.CHANGE_KIND_NAMESPACE_UPDATED,
  namespace_deleted: KindNumber.CHANGE_KIND_NAMESPACE_DELETED,
  vectors_replaced: KindNumber.CHANGE_KIND_VECTORS_REPLACED,
  gap: KindNumber.CHANGE_KIND_UNSPECIFIED,
};

/** Field numbers of `change.proto` with their wire types. */
const TAG = { changes: (1 << 3) | 2, fragment: (2 << 3) | 0, batch: (4 << 3) | 2 } as const;

/** Changes as they are sent, for as long as they are referenced: each is encoded once for all streams. */
const written = new WeakMap<Change, Map<string, Buffer>>();
/** Encoded messages, by the result of `watch` and the form of the request. */
const messages = new WeakMap<WatchMessage, Map<string, Buffer>>();

export interface Wording {
  readonly namespace: string;
  readonly view: MemoryView;
  readonly heartbeatMs: number;
  token(place: LogPlace): string;
}

/** The message as bytes. `key` is the same for streams that get the same changes. */
export function watchResponse(message: WatchMessage, wording: Wording, key: string): Buffer {
  if (message.kind !== 'batch') return encode(WatchMemoriesResponse, plainMessage(message, wording));
  return kept(messages, message, key, () => {
    const head = encode(WatchMemoriesResponse, headOf(message, wording));
    return Buffer.concat([head, batchField(TAG.batch, message.changes, message.isFragment, wording)]);
  });
}

function headOf(message: WatchMessage, wording: Wording): WatchMemoriesResponse {
  return { revision: BigInt(message.revision), resumeToken: wording.token(message.place), event: undefined };
}

function plainMessage(message: Exclude<WatchMessage, { kind: 'batch' }>, wording: Wording): WatchMemoriesResponse {
  const head = headOf(message, wording);
  switch (message.kind) {
    case 'created':
      return {
        ...head,
        event: { $case: 'created', value: createdMessage({ ...message, log: message.place.log }, wording.heartbeatMs) },
      };
    case 'progress':
      return { ...head, event: { $case: 'progress', value: {} } };
    case 'draining':
      return { ...head, event: { $case: 'draining', value: {} } };
  }
}

export interface StreamStart {
  readonly newestRevision: number;
  readonly compactRevision: number;
  /** Names the log that revisions are of. */
  readonly log: string;
}

export function createdMessage(
  { newestRevision, compactRevision, log }: StreamStart,
  heartbeatMs: number,
): StreamCreated {
  return {
    newestRevision: BigInt(newestRevision),
    compactRevision: BigInt(compactRevision),
    heartbeatInterval: durationMessage(heartbeatMs),
    log,
  };
}

/** A field that holds a `ChangeBatch`, written around changes that are bytes already. */
export function batchField(
  tag: number,
  changes: readonly VisibleChange[],
  isFragment: boolean,
  { namespace, view }: Pick<Wording, 'namespace' | 'view'>,
): Uint8Array {
  const batch = new BinaryWriter();
  for (const bytes of changeMessages(changes, { namespace, view })) batch.uint32(TAG.changes).bytes(bytes);
  if (isFragment) batch.uint32(TAG.fragment).bool(true);
  return new BinaryWriter().uint32(tag).bytes(batch.finish()).finish();
}

/** Each change as the bytes of its message. */
export function changeMessages(
  changes: readonly VisibleChange[],
  { namespace, view }: Pick<Wording, 'namespace' | 'view'>,
): Buffer[] {
  return changes.map(({ change, leaves }) =>
    kept(written, change, `${view}${leaves}`, () =>
      encode(ChangeMessage, changeMessage(namespace, change, leaves, view)),
    ),
  );
}

function changeMessage(namespace: string, change: Change, leaves: boolean, view: MemoryView): ChangeMessage {
  const { revision, kind, id, atUs, memory } = change;
  const isOfNamespace = kind.startsWith('namespace_') || kind === 'vectors_replaced';
  return {
    revision: BigInt(revision),
    kind: KINDS[kind],
    name: isOfNamespace ? namespaceName(namespace) : memoryName(namespace, id),
    time: timestampOf(atUs),
    memory: memory && !leaves ? memoryMessage(inView(memory, view)) : undefined,
    leaves,
  };
}

function inView(memory: Memory, view: MemoryView): Memory {
  if (view !== 'metadata') return memory;
  const { content: _, ...rest } = memory;
  return { ...rest, text: '' };
}

function kept<K extends object>(
  cache: WeakMap<K, Map<string, Buffer>>,
  of: K,
  key: string,
  make: () => Buffer,
): Buffer {
  const forms = cache.get(of) ?? new Map<string, Buffer>();
  if (forms.size === 0) cache.set(of, forms);
  let bytes = forms.get(key);
  if (!bytes) {
    bytes = make();
    forms.set(key, bytes);
  }
  return bytes;
}

/** Token to go on with behind a place, in a stream of the same query only, here or at another server over the same store. */
export function streamToken(query: PageQuery, { log, revision, epoch, origin, term }: LogPlace): string {
  const shared = epoch === '' ? {} : { epoch, origin };
  return pageToken(query, { revision, log, ...shared, ...(term === '' ? {} : { term }) });
}

/** The place in a token; `undefined` where there is none. Fails with RESUME_TOKEN_INVALID. */
export function placeIn(query: PageQuery, token: string): LogPlace | undefined {
  try {
    const found = positionIn<Partial<LogPlace> & { revision: number; log: string }>(query, token);
    return found && { epoch: '', origin: 0, term: '', ...found };
  } catch (cause) {
    if (!(cause instanceof MnemeError)) throw cause;
    const description = 'is damaged, or of another stream';
    throw new MnemeError('RESUME_TOKEN_INVALID', `resume_token: ${description}`, {
      violations: [{ field: 'resume_token', description }],
      cause,
    });
  }
}

/**
 * The query is encoded once, because a token is sent with every message, and replaced by its hash, because streams are
 * long.
 */
export function lasting({ method, request }: PageQuery): PageQuery {
  const digest = hash('sha256', request());
  return { method, request: () => Buffer.from(digest) };
}
