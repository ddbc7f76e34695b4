import { bodyBytesOf } from '../../memory/body-bytes.ts';
import type { RecallEvent, SubscribeMessage, SubscribeRequest } from './subscribe-request.ts';

type Batch = Pick<Extract<SubscribeMessage, { kind: 'batch' }>, 'kind' | 'events' | 'isSnapshot' | 'isFragment'>;

/** An empty answer is told as well: it replaces what the reader has. */
export function* batchesOf(
  events: readonly RecallEvent[],
  { batchMax, batchBytesMax }: SubscribeRequest,
  isSnapshot: boolean,
): Generator<Batch> {
  let from = 0;
  do {
    let [to, bytes] = [from, 0];
    for (; to < events.length && to - from < batchMax; to++) {
      bytes += bytesOf(events[to]);
      if (to > from && bytes > batchBytesMax) break;
    }
    if (events.length > 0 || isSnapshot) {
      yield { kind: 'batch', events: events.slice(from, to), isSnapshot, isFragment: to < events.length };
    }
    from = to;
  } while (from < events.length);
}

function bytesOf(event: RecallEvent | undefined): number {
  if (!event || event.kind === 'leave') return 200;
  const { memory, before, after } = event.hit;
  return [memory, ...before, ...after].reduce(
    (sum, each) => sum + 500 + bodyBytesOf(each) + (each.embedding?.values.byteLength ?? 0),
    0,
  );
}
