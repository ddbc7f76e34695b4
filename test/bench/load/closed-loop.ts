import { quantile } from '../quantile.ts';
import type { Transport } from './transport.ts';

export interface Load {
  readonly path: string;
  /** Sent one after the other, then from the first again. */
  readonly messages: readonly Uint8Array[];
  readonly inFlight: number;
  /** How long calls are begun, or until `callsMax` have been. */
  readonly durationMs: number;
  readonly callsMax?: number;
  /** Pause between the end of a call and the next one. */
  readonly pauseMs?: number;
  /** Place in every message of 12 letters to be replaced by a count, which makes request ids unique. */
  readonly countAt?: readonly number[];
}

export interface LoadResult {
  readonly calls: number;
  readonly failed: number;
  readonly elapsedMs: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly maxUs: number;
}

const COUNT_DIGITS = 12;
let count = Date.now();

/** Keeps as many calls in flight as asked for: the next one begins when one ends, until the signal at the latest. */
export async function runLoad(transport: Transport, load: Load, signal: AbortSignal): Promise<LoadResult> {
  const latenciesUs: number[] = [];
  let failed = 0;
  let begun = 0;
  let open = 0;
  const startedMs = performance.now();
  const untilMs = startedMs + load.durationMs;
  await new Promise<void>((resolve) => {
    const begin = (): void => {
      const message = nextMessage(load, begun++);
      const begunMs = performance.now();
      open++;
      transport.call(load.path, message, (isAnswered) => {
        const endedMs = performance.now();
        if (isAnswered) latenciesUs.push((endedMs - begunMs) * 1000);
        else failed++;
        open--;
        const isLeft = endedMs < untilMs && begun < (load.callsMax ?? Number.POSITIVE_INFINITY);
        const goesOn = isLeft && !signal.aborted;
        if (goesOn && load.pauseMs !== undefined) setTimeout(begin, load.pauseMs);
        else if (goesOn) begin();
        else if (open === 0) resolve();
      });
    };
    for (let i = 0; i < load.inFlight && i < (load.callsMax ?? load.inFlight); i++) begin();
  });
  latenciesUs.sort((a, b) => a - b);
  return {
    calls: latenciesUs.length,
    failed,
    elapsedMs: performance.now() - startedMs,
    p50Us: quantile(latenciesUs, 0.5),
    p99Us: quantile(latenciesUs, 0.99),
    maxUs: latenciesUs.at(-1) ?? Number.NaN,
  };
}

function nextMessage({ messages, countAt }: Load, at: number): Uint8Array {
  const message = messages[at % messages.length];
  if (!message) throw new Error('nothing to send');
  if (!countAt) return message;
  const place = countAt[at % countAt.length] ?? 0;
  const digits = (++count).toString(16).padStart(COUNT_DIGITS, '0');
  for (let i = 0; i < COUNT_DIGITS; i++) message[place + i] = digits.charCodeAt(i);
  return message;
}
