import {
  RecallEventKind,
  type RecallHit,
  RecallRequest,
  SubscribeRecallRequest,
  type SubscribeRecallResponse,
} from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { ask } from './ask.ts';
import { FollowedStream } from './followed-stream.ts';
import type { Clients } from './test-server.ts';

export type Query = Parameters<typeof RecallRequest.fromPartial>[0];

/**
 * A subscription whose events are combined into a state, as in a client; it may go on from the token of another one. It includes all hits of Recall, relevant or
 * not.
 */
export class FollowedAnswer extends FollowedStream<SubscribeRecallResponse> {
  readonly query: RecallRequest;
  private readonly places = new Map<string, { place: number; hit: RecallHit | undefined }>();
  private applied = 0;
  private inSnapshot = false;

  constructor({ recalls }: Clients, asked: Query, resumeToken = '') {
    const query = asked?.text ? { minRelevance: 0, ...asked } : asked;
    const request = SubscribeRecallRequest.fromPartial({ query, resumeToken, heartbeatInterval: { seconds: 1n } });
    super(recalls.subscribeRecall(request));
    this.query = RecallRequest.fromPartial(query);
  }

  /** Names by position, once the stream has reached the revision. */
  async at(revision: bigint): Promise<string[]> {
    await this.until((message) => isBarrier(message) && message.revision >= revision);
    return this.names();
  }

  names(): string[] {
    for (; this.applied < this.messages.length; this.applied++) this.apply(this.messages[this.applied]);
    return [...this.places].sort(([, a], [, b]) => a.place - b.place).map(([name]) => name);
  }

  hit(name: string): RecallHit | undefined {
    return this.places.get(name)?.hit;
  }

  private apply(message: SubscribeRecallResponse | undefined): void {
    if (message?.event?.$case !== 'batch') return;
    const { events, snapshot, fragment } = message.event.value;
    if (snapshot && !this.inSnapshot) this.places.clear();
    this.inSnapshot = snapshot && fragment;
    for (const { kind, name, hit, place } of events) {
      if (kind === RecallEventKind.RECALL_EVENT_KIND_LEAVE) {
        if (!this.places.delete(name)) throw new Error(`${name} leaves without having been there`);
      } else {
        const isNew = kind === RecallEventKind.RECALL_EVENT_KIND_ENTER;
        if (isNew === this.places.has(name)) throw new Error(`${name} enters twice, or changes without being there`);
        this.places.set(name, { place, hit });
      }
    }
  }
}

/** With all previous events, the state is the answer at its revision. */
function isBarrier({ event }: SubscribeRecallResponse): boolean {
  if (event?.$case === 'batch') return !event.value.fragment && event.value.events.length > 0;
  return event?.$case === 'progress';
}

/** The answer of Recall to the same query. */
export async function recalledNames({ recalls }: Clients, query: RecallRequest): Promise<string[]> {
  const { hits } = await ask(recalls, recalls.recall, query);
  return hits.map(({ memory }) => memory?.name ?? '');
}
