import type { Bench } from '../bench.ts';
import type { Corpus } from '../data/corpus.ts';
import { atMost } from '../report/row.ts';
import { freeAddress, type ServerProcess } from '../servers/child.ts';
import { loopDelayOf } from '../servers/loop-delay.ts';
import { type MnemeOptions, startMneme } from '../servers/mneme.ts';
import { getMessages, type Messages } from './call-messages.ts';
import { recallMessages } from './recall-messages.ts';

/** Memories in the namespace of the caller that is measured. */
export const MEMORIES = 1000;
const ASK_MS = 8000;
/** Between two calls of the caller that is measured. */
const PAUSE_MS = 10;
const RECALL_P99_MS = 150;
const GET_P99_MS = 30;

/** A load by other callers. */
export interface OtherLoad {
  readonly name: string;
  /** Goes on until the promise resolves, and resolves when it has ended. */
  run(until: Promise<void>): Promise<unknown>;
}

/** Calls of the caller that is measured, and the p99 that they may have beside any load. */
export interface Asked {
  readonly what: string;
  readonly messages: Messages;
  readonly p99Ms: number;
}

export function recallByText(corpus: Corpus): Asked {
  return { what: 'Recall by text', messages: recallMessages(corpus, 'text'), p99Ms: RECALL_P99_MS };
}

export function recallByVector(corpus: Corpus): Asked {
  return { what: 'Recall by vector', messages: recallMessages(corpus, 'vector'), p99Ms: RECALL_P99_MS };
}

export function gets(): Asked {
  return { what: 'Get', messages: getMessages(MEMORIES), p99Ms: GET_P99_MS };
}

export interface MeasuredServer {
  readonly server: ServerProcess;
  readonly metricsAddress: string;
}

export async function startMeasured({ flags = [], ...options }: MnemeOptions): Promise<MeasuredServer> {
  const metricsAddress = await freeAddress();
  const server = await startMneme({ ...options, flags: [...flags, '--metrics-listen', metricsAddress] });
  return { server, metricsAddress };
}

/** Calls of one caller alone, and again beside the load of others, with the delay of the event loop meanwhile. */
export async function measureBeside(
  bench: Bench,
  part: string,
  { server, metricsAddress }: MeasuredServer,
  { what, messages, p99Ms }: Asked,
  others: OtherLoad,
): Promise<void> {
  const load = { ...messages, client: 'raw', inFlight: 1, pauseMs: PAUSE_MS, durationMs: ASK_MS } as const;
  await loopDelayOf(metricsAddress);
  const limit = await bench.client.run(server, load);
  const calm = await loopDelayOf(metricsAddress);
  const end = Promise.withResolvers<void>();
  const loading = others.run(end.promise);
  const subject = await bench.client.run(server, load).finally(() => end.resolve());
  const delay = await loopDelayOf(metricsAddress);
  await loading;
  const beside = `${what} of ${MEMORIES} beside ${others.name}`;
  const wanted = atMost(subject.p99Us / 1000, p99Ms, 'p99 ms');
  bench.add({ part, what: beside, subject, limit, limitName: 'alone', wanted });
  for (const [name, of] of [
    ['p99', 'p99Ms'],
    ['max', 'maxMs'],
  ] as const) {
    const what = `event-loop delay by the metrics, ${name}, ${beside}`;
    bench.add({ part, what, value: delay[of], unit: 'ms', limit: calm[of], limitName: 'alone' });
  }
}
