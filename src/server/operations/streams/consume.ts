import type { Asker } from '../../../memory/call.ts';
import { invalidFields, type MnemeError } from '../../../memory/errors.ts';
import { scopedFilter } from '../../../memory/filter.ts';
import { WHOLE_NAMESPACE } from '../../../memory/scope.ts';
import type { ChangeFeed, NamespaceTail } from '../../../storage/change-log/change-feed.ts';
import { subscriptionNotFound } from '../../../storage/subscription-store.ts';
import { turns } from '../turns.ts';
import { seesScope, type VisibilityRules, withVisibility } from '../visibility/visibility.ts';
import type { Ledger, LedgerPage, TakeLimits } from './ledger.ts';
import { draining, type OpenStreams } from './open-streams.ts';
import type { Consumer, OpenSubscription, OpenSubscriptions } from './open-subscriptions.ts';
import { StreamWait } from './stream-wait.ts';
import { checkStart, STEP, type VisibleChange, visibleChangesOf } from './watch.ts';

export interface ConsumeDeps {
  readonly feed: ChangeFeed;
  readonly streams: OpenStreams;
  readonly subscriptions: OpenSubscriptions;
  readonly visibilityRules: VisibilityRules;
}

export interface ConsumeStart {
  readonly namespace: string;
  readonly id: string;
  readonly consumer: string;
  readonly outstandingMax: number;
  readonly heartbeatMs: number;
  /** Moves the cursor: the next revision to be delivered. */
  readonly startRevision?: number;
}

export interface Acknowledgement {
  readonly upToRevision: number;
  readonly revisions: readonly number[];
}

export type ConsumeMessage = { readonly acknowledgedRevision: number } & (
  | {
      readonly kind: 'created';
      readonly newestRevision: number;
      readonly compactRevision: number;
      readonly log: string;
    }
  | { readonly kind: 'batch'; readonly changes: readonly VisibleChange[] }
  | { readonly kind: 'progress' }
  | { readonly kind: 'draining' }
);

/** The position of a stream in its subscription; another consumer of a work queue may have reset it since. */
interface Hands {
  ledger: Ledger;
  reached: number;
}

/** Maximum unacknowledged bytes of a consumer that the server keeps. */
const OUTSTANDING_BYTES_MAX = 8 * 1_048_576;

/** Delivers the changes of a subscription to one consumer, until the call ends or the caller closes its side. */
export async function* consume(
  deps: ConsumeDeps,
  start: ConsumeStart,
  acknowledgements: AsyncIterable<Acknowledgement>,
  call: Asker,
): AsyncGenerator<ConsumeMessage> {
  const { feed, streams, subscriptions } = deps;
  const leave = streams.enter(call.caller, 'consume');
  const wait = new StreamWait(call, streams, start.heartbeatMs);
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    failure ??= { error };
    wait.wake();
  };
  const consumer: Consumer = { name: start.consumer, wake: wait.wake, end: (error: MnemeError) => fail(error) };
  let tail: NamespaceTail | undefined;
  let open: OpenSubscription | undefined;
  try {
    tail = await feed.open(start.namespace);
    tail.listeners.add(wait.wake);
    // How far the consumer has come elsewhere is known from deliveries of other servers.
    await feed.current(start.namespace);
    open = await subscriptions.enter(start.namespace, start.id, consumer);
    const isSeen = await seesScope(deps.visibilityRules, start.namespace, open.subscription.scope);
    if (!isSeen) throw subscriptionNotFound(start.namespace, start.id);
    if (start.startRevision !== undefined) {
      await checkStart(feed, start.namespace, start.startRevision - 1);
      open.move(start.consumer, start.startRevision - 1, subscriptions.nowMs);
      await subscriptions.save();
    }
    const { position } = open.ledgerOf(start.consumer, subscriptions.nowMs);
    const compactRevision = await checkStart(feed, start.namespace, position);
    const hands: Hands = { ledger: open.ledgerOf(start.consumer, subscriptions.nowMs), reached: position };
    let sent = open.acknowledgedBy(start.consumer);
    const { log } = await feed.log.place(tail.namespace, 0);
    yield { kind: 'created', acknowledgedRevision: sent, log, newestRevision: feed.log.revision, compactRevision };
    let isFinished = false;
    noteAll(acknowledgements, hands, start.consumer, () => subscriptions.save()).then(() => {
      isFinished = true;
      wait.wake();
    }, fail);
    const read = pageReader(deps, tail, open, start.consumer);
    const limits = limitsOf(start);
    for (;;) {
      if (failure) throw failure.error;
      hands.ledger = open.ledgerOf(start.consumer, subscriptions.nowMs);
      const { ledger } = hands;
      const position = ledger.position;
      const changes = isFinished ? [] : await ledger.take(start.consumer, limits, read);
      hands.reached = Math.max(hands.reached, ledger.position);
      const acknowledgedRevision = open.acknowledgedBy(start.consumer);
      if (changes.length > 0) {
        sent = acknowledgedRevision;
        wait.spoke();
        yield { kind: 'batch', changes, acknowledgedRevision };
        continue;
      }
      if (sent !== acknowledgedRevision) {
        sent = acknowledgedRevision;
        wait.spoke();
        yield { kind: 'progress', acknowledgedRevision };
        continue;
      }
      if (isFinished) return;
      // One read may find only changes that the filter refuses.
      if (ledger.position > position && ledger.position < tail.throughRevision) continue;
      const woken = await wait.next(ledger.dueInMs);
      if (woken === 'draining') {
        yield { kind: 'draining', acknowledgedRevision };
        throw draining();
      }
      if (woken === 'silent') {
        wait.spoke();
        await subscriptions.save();
        sent = open.acknowledgedBy(start.consumer);
        yield { kind: 'progress', acknowledgedRevision: sent };
      }
    }
  } finally {
    wait.close();
    if (open) await subscriptions.leave(open, consumer);
    if (tail) {
      tail.listeners.delete(wait.wake);
      feed.close(tail);
    }
    leave();
  }
}

function limitsOf({ outstandingMax }: ConsumeStart): TakeLimits {
  return {
    outstandingMax,
    outstandingBytesMax: OUTSTANDING_BYTES_MAX,
    batchMax: STEP.max,
    bytesMax: STEP.bytesMax,
  };
}

function pageReader(
  { feed, visibilityRules }: ConsumeDeps,
  tail: NamespaceTail,
  open: OpenSubscription,
  consumer: string,
): (afterRevision: number) => Promise<LedgerPage> {
  const { subscription } = open;
  const scoped = scopedFilter(subscription);
  const { name: namespace } = tail.namespace;
  return async (afterRevision) => {
    // All consumers of a subscription get the same changes: those visible from its scope.
    const visibility = await visibilityRules.from(subscription.scope ?? WHOLE_NAMESPACE, namespace);
    const filter = withVisibility(scoped, visibility);
    const passedOrigin = open.passedGapsOf(consumer);
    const { includeMoved = false } = subscription;
    const passed = { includeTouched: false, includeMoved, passedOrigin };
    const request = { filter, ...passed, batchBytesMax: STEP.bytesMax };
    if (tail.isBefore(afterRevision)) await turns.waitBehind();
    const page = await feed.read(tail, afterRevision, STEP.max, STEP.bytesMax);
    return visibleChangesOf(page.changes, page.throughRevision, request);
  };
}

/** Records acknowledgements as they arrive. Fails with FIELD_INVALID for a revision that was not delivered yet. */
async function noteAll(
  acknowledgements: AsyncIterable<Acknowledgement>,
  hands: Hands,
  consumer: string,
  save: () => Promise<void>,
): Promise<void> {
  for await (const { upToRevision, revisions } of acknowledgements) {
    const reached = Math.max(hands.reached, hands.ledger.position);
    if (Math.max(upToRevision, ...revisions) > reached) {
      const description = `must be a revision that was delivered, at most ${reached}`;
      throw invalidFields([{ field: 'acknowledge', description }]);
    }
    hands.ledger.acknowledge(consumer, upToRevision, revisions);
    await save();
  }
}
