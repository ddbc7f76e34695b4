import type { Bench } from '../bench.ts';
import { collectGarbage } from '../load/collect-garbage.ts';
import { quantile } from '../quantile.ts';
import { atMost } from '../report/row.ts';
import { startBareLog } from '../servers/bare-log.ts';
import { threadUsOf, usedByThread, cpuUsOf as usedCpuUs } from '../servers/process-usage.ts';
import { type Store, timesBetween, writeAll, writesOf } from './standing-writes.ts';

/** Before the measurement, at the same rate: V8 first compiles the code of the writes. */
const WARM_UP_S = 3;
const LIMIT_NAME = 'p99 of a bare log at the same time';

interface Load {
  readonly bench: Bench;
  readonly part: string;
  /** Folder of the plain log: on the disk of the server's data. */
  readonly folder: string;
  readonly pid: number;
  readonly store: Store;
  readonly vectors: readonly Float32Array[];
  /** Time at which the event of each text arrived. */
  readonly arrivedMs: Map<string, number>;
  readonly perS: number;
  readonly seconds: number;
  readonly wantedP99Ms?: number;
}

/**
 * Writes at the rate and, concurrently and at the same rate, to a plain log on the same disk: no durable write is
 * faster.
 */
export async function measureWrites(load: Load): Promise<void> {
  const { bench, part, folder, pid, vectors, perS, seconds, wantedP99Ms } = load;
  const count = seconds * perS;
  const warmUp = writesOf(vectors, `warm-up ${perS}`, WARM_UP_S * perS);
  const writes = writesOf(vectors, `write ${perS}`, count);
  const log = startBareLog(folder, perS, writes[0]?.request.length ?? 0);
  await writeAll(load, warmUp);
  collectGarbage();
  const cpuUs = usedCpuUs(pid);
  const threadsUs = threadUsOf(pid);
  const startedMs = performance.now();
  const { sentMs, acknowledgedMs, writtenS } = await writeAll(load, writes);
  const cores = (usedCpuUs(pid) - cpuUs) / ((performance.now() - startedMs) * 1000);
  const bare = await log.end();
  const latencies = timesBetween(sentMs, load.arrivedMs);
  const ackMs = timesBetween(sentMs, acknowledgedMs);
  const what = `with ${vectors.length} queries standing and ${perS} writes a second for ${seconds} s`;
  const p99 = quantile(latencies, 0.99);
  const ackP99 = quantile(ackMs, 0.99);
  const beside = (value: number) => ({ limit: bare.p99Ms, limitName: LIMIT_NAME, ratio: value / bare.p99Ms });
  bench.add({ part, what: `writes acknowledged ${what}`, value: sentMs.size / writtenS, unit: 'writes/s' });
  bench.add({ part, what: `store to acknowledgement, p50, ${what}`, value: quantile(ackMs, 0.5), unit: 'ms' });
  bench.add({ part, what: `store to acknowledgement, p99, ${what}`, value: ackP99, unit: 'ms', ...beside(ackP99) });
  bench.add({ part, what: `events told ${what}`, value: (latencies.length / sentMs.size) * 100, unit: '%' });
  bench.add({ part, what: `store to event, p50, ${what}`, value: quantile(latencies, 0.5), unit: 'ms' });
  const wanted = wantedP99Ms === undefined ? {} : { wanted: atMost(p99, wantedP99Ms, 'ms') };
  bench.add({ part, what: `store to event, p99, ${what}`, value: p99, unit: 'ms', ...beside(p99), ...wanted });
  bench.add({ part, what: `CPU of the server ${what}`, value: cores, unit: 'cores' });
  const costUs = (usedCpuUs(pid) - cpuUs) / count;
  bench.add({ part, what: `CPU of the server for a write and its event ${what}`, value: costUs, unit: 'µs' });
  for (const [thread, us] of usedByThread(pid, threadsUs, count)) {
    bench.add({ part, what: `of it in threads named ${thread}`, value: us, unit: 'µs' });
  }
}
