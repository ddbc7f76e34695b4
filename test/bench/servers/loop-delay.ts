/** Delay of a server's event loop since the last reading of its metrics; 10 ms, the time between samples, is its zero. */
export interface LoopDelay {
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Reads the server's own measurement at the address of its metrics, and begins another one. */
export async function loopDelayOf(metricsAddress: string): Promise<LoopDelay> {
  const response = await fetch(`http://${metricsAddress}/metrics`);
  if (!response.ok) throw new Error(`${metricsAddress}/metrics: HTTP status ${response.status}`);
  const text = await response.text();
  const ms = (name: string): number => Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]) * 1000;
  return { p99Ms: ms('nodejs_eventloop_lag_p99_seconds'), maxMs: ms('mneme_event_loop_lag_seconds') };
}
