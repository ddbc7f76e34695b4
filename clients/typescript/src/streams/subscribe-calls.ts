import {
  RecallEventKind as Kind,
  RecallServiceService as methods,
  type RecallEvent,
  type RecallEventBatch,
  type SubscribeRecallResponse,
} from '../../../../gen/ts/mneme/v1/recall_service.ts';
import type { Connection } from '../connection.ts';
import { OutOfRangeError } from '../errors.ts';
import { partsOfName } from '../names.ts';
import { hitOf, requestOf } from '../recall-messages.ts';
import type { RecallHit, RecallQuery, RecallResult } from '../recall-types.ts';
import type { Attempt } from './attempt.ts';
import { heartbeatMsOf } from './heartbeat.ts';
import { noteLoss } from './note-loss.ts';
import { type Runs, resuming, type StreamOptions } from './resuming.ts';

/** The current answer of a standing query, and the changes since the previous one. */
export interface StandingAnswer {
  /** The answer, best first: the result of recall at `revision`. */
  readonly hits: readonly RecallHit[];
  readonly entered: readonly RecallHit[];
  /** It, its place, its neighbours or its score has changed. */
  readonly updated: readonly RecallHit[];
  /** Ids of memories that left the answer. */
  readonly leftIds: readonly string[];
  readonly revision: number;
  /** True when the answer is unchanged and still valid at `revision`. */
  readonly isProgress: boolean;
  /** Parts that could not be searched, or not in full. */
  readonly degraded: RecallResult['degraded'];
}

export interface SubscribeCalls {
  /**
   * Recalls, and yields the changes of the answer indefinitely: the whole answer first, then each change. A broken
   * stream is reopened, and changes in between are included. Leaving the loop, or the signal, ends it.
   */
  subscribe(
    query: string | Omit<RecallQuery, 'touch' | 'focus'>,
    options?: StreamOptions,
  ): AsyncGenerator<StandingAnswer, void, undefined>;
}

export function subscribeCalls(connection: Connection, namespace: string): SubscribeCalls {
  return {
    subscribe(query, options = {}) {
      const request = requestOf(typeof query === 'string' ? { text: query } : query, namespace);
      return resuming(connection, new SubscribeRuns(connection, { ...request, minRevision: 0n }), options);
    },
  };
}

type Query = ReturnType<typeof requestOf> & { readonly minRevision: bigint };

class SubscribeRuns implements Runs<StandingAnswer> {
  readonly isEndless = true;
  private readonly connection: Connection;
  private readonly query: Query;
  private resumeToken = '';
  private state = new Map<string, RecallEvent>();
  /** Events of a change whose last fragment has not come yet. */
  private gathered: RecallEvent[] = [];
  private degraded: RecallResult['degraded'] = [];

  constructor(connection: Connection, query: Query) {
    this.connection = connection;
    this.query = query;
  }

  async *open(attempt: Attempt): AsyncGenerator<StandingAnswer> {
    this.gathered = [];
    const request = {
      query: { ...this.query, minRevision: this.connection.minRevision() },
      resumeToken: this.resumeToken,
      heartbeatInterval: undefined,
      maxBatchEvents: 0,
      maxBatchBytes: 0,
    };
    for await (const message of this.connection.readStream(methods.subscribeRecall, request, {
      signal: attempt.signal,
    })) {
      attempt.heard();
      const standing = this.standingOf(message, attempt);
      this.resumeToken = message.resumeToken;
      if (standing) yield standing;
    }
  }

  /** The revision of the token is lost; a stream without it begins with the whole answer as well. */
  recover(error: unknown): boolean {
    const isLost =
      error instanceof OutOfRangeError && (error.reason === 'REVISION_COMPACTED' || error.reason === 'REVISION_AHEAD');
    if (!isLost || this.resumeToken === '') return false;
    noteLoss(this.connection, error);
    this.resumeToken = '';
    return true;
  }

  private standingOf({ event, revision }: SubscribeRecallResponse, attempt: Attempt): StandingAnswer | undefined {
    if (event?.$case === 'created') attempt.expectEvery(heartbeatMsOf(event.value.heartbeatInterval));
    if (event?.$case === 'progress') return { ...this.standing(revision, new Set(), []), isProgress: true };
    if (event?.$case !== 'batch') return undefined;
    this.gathered.push(...event.value.events);
    if (event.value.fragment) return undefined;
    const events = this.gathered;
    this.gathered = [];
    this.degraded = event.value.degraded;
    return this.changed(event.value, events, revision);
  }

  private changed({ snapshot }: RecallEventBatch, events: readonly RecallEvent[], revision: bigint): StandingAnswer {
    const before = this.state;
    const after = snapshot ? new Map<string, RecallEvent>() : new Map(before);
    const touched = new Set<string>();
    for (const event of events) {
      if (event.kind === Kind.RECALL_EVENT_KIND_LEAVE) after.delete(event.name);
      else after.set(event.name, event);
      touched.add(event.name);
    }
    this.state = after;
    const left = [...before.keys()].filter((name) => !after.has(name)).map((name) => partsOfName(name).id);
    const changed = new Set([...touched].filter((name) => !snapshot || differs(before.get(name), after.get(name))));
    return this.standing(revision, changed, left, before);
  }

  private standing(
    revision: bigint,
    changed: ReadonlySet<string>,
    left: readonly string[],
    before: ReadonlyMap<string, RecallEvent> = this.state,
  ): StandingAnswer {
    const inOrder = [...this.state.values()].sort((a, b) => a.place - b.place);
    const hits = inOrder.flatMap(({ name, hit }) => (hit ? [{ name, hit: hitOf(hit) }] : []));
    const of = (isNew: boolean) =>
      hits.filter(({ name }) => changed.has(name) && before.has(name) !== isNew).map(({ hit }) => hit);
    return {
      hits: hits.map(({ hit }) => hit),
      entered: of(true),
      updated: of(false),
      leftIds: left,
      revision: this.connection.seen(revision),
      isProgress: false,
      degraded: this.degraded,
    };
  }
}

/** Differences between a repeated answer and the known one. */
function differs(before: RecallEvent | undefined, after: RecallEvent | undefined): boolean {
  if (!before?.hit || !after?.hit) return before !== after;
  return (
    before.place !== after.place ||
    before.hit.score !== after.hit.score ||
    before.hit.memory?.version !== after.hit.memory?.version
  );
}
