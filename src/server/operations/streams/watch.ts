import type { Call } from '../../../memory/call.ts';
import { compactedFor, namespaceNotFound, revisionAhead } from '../../../memory/errors.ts';
import { admits } from '../../../memory/evaluate-filter.ts';
import type { Filter } from '../../../memory/filter.ts';
import type { Scope } from '../../../memory/memory.ts';
import { bytesOfChange, type ChangeFeed, type NamespaceTail } from '../../../storage/change-log/change-feed.ts';
import { type Change, type LogPlace, NOWHERE } from '../../../storage/change-log/change-log.ts';
import { turns } from '../turns.ts';
import { type VisibilityRules, withVisibility } from '../visibility/visibility.ts';
import { draining, type OpenStreams } from './open-streams.ts';
import { type AwaitedNamespaces, StreamWait } from './stream-wait.ts';

export interface WatchDeps {
  readonly feed: ChangeFeed;
  readonly streams: OpenStreams;
  readonly visibilityRules: VisibilityRules;
  /** Absent where namespaces are not created automatically. */
  readonly awaited?: AwaitedNamespaces;
}

export interface WatchRequest {
  readonly namespace: string;
  /** Starts after this revision; with the next change where it is absent. */
  readonly afterRevision?: number;
  /** The same, of this server or another; in place of the revision. */
  readonly afterPlace?: LogPlace;
  /** Filter and scope together. */
  readonly filter?: Filter;
  /** The scope that it is for, where the call does not specify one. */
  readonly scope?: Scope;
  readonly includeTouched: boolean;
  readonly includeMoved: boolean;
  readonly heartbeatMs: number;
  readonly batchMax: number;
  readonly batchBytesMax: number;
  /** The same for requests that get the same changes in the same form. */
  readonly fingerprint: string;
}

/** `revision`: everything up to it was sent or skipped; `place`: the same, valid on other servers. */
export type WatchMessage = { readonly revision: number; readonly place: LogPlace } & (
  | { readonly kind: 'created'; readonly newestRevision: number; readonly compactRevision: number }
  | { readonly kind: 'batch'; readonly changes: readonly VisibleChange[]; readonly isFragment: boolean }
  | { readonly kind: 'progress' }
  | { readonly kind: 'draining' }
);

/** Yields the changes of a namespace in order, then waits for more, until the call ends. */
export async function* watch(deps: WatchDeps, request: WatchRequest, call: Call): AsyncGenerator<WatchMessage> {
  const { feed, streams } = deps;
  const leave = streams.enter(call.caller, 'watch');
  const wait = new StreamWait(call, streams, request.heartbeatMs);
  let tail: NamespaceTail | undefined;
  try {
    const before = feed.log.revision;
    const isAwaited = (await deps.awaited?.isMissing(request.namespace)) ?? false;
    if (isAwaited) yield* beforeFirst(deps, request, before, wait);
    tail = await feed.open(request.namespace);
    tail.listeners.add(wait.wake);
    const { afterPlace, afterRevision = isAwaited ? before : undefined } = request;
    if (afterPlace === undefined && afterRevision === undefined) await feed.current(request.namespace);
    const asked = afterPlace ? await feed.revisionAt(tail, afterPlace) : afterRevision;
    const newestRevision = feed.log.revision;
    let revision = asked ?? newestRevision;
    const compactRevision = await checkStart(feed, request.namespace, revision);
    let place = await feed.log.place(tail.namespace, revision);
    if (!isAwaited) yield { kind: 'created', revision, place, newestRevision, compactRevision };
    let isCaughtUp = false;
    for (;;) {
      const message = await nextBatch(deps, tail, request, place);
      const isNews = message.kind === 'batch';
      revision = message.revision;
      place = message.place;
      const isBehind = revision < tail.throughRevision || (!isCaughtUp && revision < newestRevision);
      if (isNews) {
        wait.spoke();
        yield message;
        endWithNamespace(message, tail);
      }
      if (isBehind) {
        // A tail that has come no further than others' changes is not waited for.
        if (!isNews) await new Promise(setImmediate);
        call.signal.throwIfAborted();
        if (!streams.isDraining) continue;
      } else if (!isCaughtUp) {
        isCaughtUp = true;
        wait.spoke();
        yield { kind: 'progress', revision, place };
      }
      const woken = await wait.next();
      if (woken === 'draining') {
        yield { kind: 'draining', revision, place };
        throw draining();
      }
      if (woken === 'silent') {
        wait.spoke();
        revision = Math.max(revision, tail.after(revision, 1)?.changes.length === 0 ? tail.throughRevision : revision);
        place = { ...place, revision, term: await feed.log.termAt(revision) };
        yield { kind: 'progress', revision, place };
      }
    }
  } finally {
    wait.close();
    if (tail) {
      tail.listeners.delete(wait.wake);
      feed.close(tail);
    }
    leave();
  }
}

/** Messages sent before the namespace exists. */
async function* beforeFirst(
  { feed, awaited }: WatchDeps,
  { namespace, afterPlace, afterRevision }: WatchRequest,
  newestRevision: number,
  wait: StreamWait,
): AsyncGenerator<WatchMessage, void, undefined> {
  const revision = afterPlace?.revision ?? afterRevision ?? newestRevision;
  const place = afterPlace ?? (await feed.log.place(NOWHERE, revision));
  const compactRevision = afterPlace ? await feed.log.compactedRevision() : await checkStart(feed, namespace, revision);
  yield { kind: 'created', revision, place, newestRevision, compactRevision };
  yield { kind: 'progress', revision, place };
  for await (const woken of awaited?.until(namespace, wait) ?? []) {
    yield { kind: woken === 'silent' ? 'progress' : woken, revision, place };
    if (woken === 'draining') throw draining();
  }
}

/**
 * Fails with REVISION_AHEAD, REVISION_COMPACTED, STORAGE_UNAVAILABLE; returns the revision up to which the log is
 * compacted.
 */
export async function checkStart(feed: ChangeFeed, namespace: string, afterRevision: number): Promise<number> {
  const { log } = feed;
  await feed.reach(namespace, afterRevision);
  if (afterRevision > log.revision) throw revisionAhead(afterRevision + 1, log.revision);
  const compactRevision = await log.compactedRevision();
  if (afterRevision >= compactRevision) return compactRevision;
  throw compactedFor(afterRevision, compactRevision);
}

type Next = Extract<WatchMessage, { kind: 'batch' | 'progress' }>;

/** Watchers of the same request at the same place share one object, which is encoded once. */
async function nextBatch(
  { feed, visibilityRules }: WatchDeps,
  tail: NamespaceTail,
  request: WatchRequest,
  after: LogPlace,
): Promise<Next> {
  const afterRevision = after.revision;
  const visibility = await visibilityRules.of(request.namespace, request.scope);
  const isCatchingUp = tail.isBefore(afterRevision);
  const limits = isCatchingUp ? stepOf(request) : request;
  if (isCatchingUp) await turns.waitBehind();
  const group = `${request.fingerprint}${JSON.stringify(visibility.filters)}`;
  const known = tail.shared.get(group) as { after: number; through: number; next: Next } | undefined;
  if (known?.after === afterRevision && known.through === tail.throughRevision) return known.next;
  // Changes that reach the tail during the read may not be on the page.
  const through = tail.throughRevision;
  const page = await feed.read(tail, afterRevision, limits.batchMax, limits.batchBytesMax);
  const filter = withVisibility(request.filter, visibility);
  const admitted = { ...request, ...(filter && { filter }) };
  const { changes, revision, origin } = visibleChangesOf(page.changes, page.throughRevision, admitted);
  const isFragment = revision < tail.throughRevision;
  const term = await feed.log.termAt(revision);
  const place = { ...after, revision, origin: Math.max(after.origin, origin), term };
  const next: Next =
    changes.length > 0
      ? { kind: 'batch', revision, place, changes, isFragment }
      : { kind: 'progress', revision, place };
  if (tail.shared.size >= SHARED_MAX) tail.shared.clear();
  tail.shared.set(group, { after: afterRevision, through, next });
  return next;
}

const SHARED_MAX = 64;

/** Changes that one step reads from the log and encodes: some milliseconds of work. */
export const STEP = { max: 128, bytesMax: 262_144 };

const stepOf = ({ batchMax, batchBytesMax }: WatchRequest) => ({
  batchMax: Math.min(batchMax, STEP.max),
  batchBytesMax: Math.min(batchBytesMax, STEP.bytesMax),
});

function endWithNamespace(message: WatchMessage, { namespace }: NamespaceTail): void {
  if (message.kind !== 'batch') return;
  if (message.changes.at(-1)?.change.kind === 'namespace_deleted') throw namespaceNotFound(namespace.name);
}

export interface VisibleChange {
  readonly change: Change;
  /** The filter does not admit the memory any more. */
  readonly leaves: boolean;
}

export interface ChangeReport {
  readonly filter?: Filter;
  readonly includeTouched: boolean;
  /** Otherwise, moves between tiers are sent only when they bring a memory into the filter or out of it. */
  readonly includeMoved: boolean;
  readonly batchBytesMax: number;
  /** Changes of other servers up to this one may be missing. */
  readonly passedOrigin?: number;
}

/**
 * The part of a page to be sent, limited to the size of a message. Fails with REVISION_COMPACTED where the next change
 * of another server is missing.
 */
export function visibleChangesOf(
  page: readonly Change[],
  throughRevision: number,
  telling: ChangeReport,
): { readonly changes: VisibleChange[]; readonly revision: number; readonly origin: number } {
  const { batchBytesMax, passedOrigin = 0 } = telling;
  const changes: VisibleChange[] = [];
  let bytes = 0;
  let revision = 0;
  let origin = 0;
  for (const change of page) {
    if (change.kind === 'gap' && (change.origin ?? 0) > passedOrigin) {
      if (changes.length > 0) return { changes, revision, origin };
      throw compactedFor(change.revision - 1, change.revision);
    }
    const visible = visibleChange(change, telling);
    if (visible) {
      bytes += bytesOfChange(visible.change);
      if (changes.length > 0 && bytes > batchBytesMax) return { changes, revision, origin };
      changes.push(visible);
    }
    revision = change.revision;
    origin = Math.max(origin, change.origin ?? 0);
  }
  return { changes, revision: throughRevision, origin };
}

/** Nothing where the filter admits neither the former nor the new state; a deletion is sent to all. */
function visibleChange(
  change: Change,
  { filter, includeTouched, includeMoved }: ChangeReport,
): VisibleChange | undefined {
  const { kind, memory, former, formerTier } = change;
  if (kind === 'gap' || (kind === 'touched' && !includeTouched)) return undefined;
  const isMove = kind === 'moved';
  const isOfMemory = isMove || kind === 'stored' || kind === 'updated' || kind === 'embedded' || kind === 'touched';
  if (!filter) return isMove && !includeMoved ? undefined : { change, leaves: false };
  if (!isOfMemory) return { change, leaves: false };
  const before = memory && formerTier ? { ...memory, tier: formerTier } : former;
  const wasAdmitted = () => before !== undefined && admits(filter, before);
  if (memory && admits(filter, memory)) {
    return isMove && !includeMoved && wasAdmitted() ? undefined : { change, leaves: false };
  }
  return memory && wasAdmitted() ? { change, leaves: true } : undefined;
}
