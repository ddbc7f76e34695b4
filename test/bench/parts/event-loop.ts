import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HealthCheckRequest, HealthService } from '../../../gen/ts/grpc/health/v1/health.ts';
import { MemoryServiceService } from '../../../gen/ts/mneme/v1/memory_service.ts';
import type { Bench, Group } from '../bench.ts';
import { makeCorpus } from '../data/corpus.ts';
import { LoadClient, type Measured } from '../load/load-client.ts';
import { atMost } from '../report/row.ts';
import { freeAddress, type ServerProcess } from '../servers/child.ts';
import type { Stretch } from '../servers/loop-probe.ts';
import { startMneme } from '../servers/mneme.ts';
import { batchMessages } from './call-messages.ts';

const PROBE = fileURLToPath(new URL('../servers/loop-probe.ts', import.meta.url));
const STORM_MS = 15_000;
const IN_FLIGHT = 4;
const PING_EVERY_MS = 5;
const SNAPSHOT_EVERY_MS = 2000;
const MEMORIES = 4000;
const WANTED_MS = 20;

/** How long the server's loop is held up while it stores as much as it can, builds its graph and saves it again and again. */
export const eventLoopGroup: Group = {
  parts: ['event-loop'],
  async run(bench) {
    const folder = join(bench.folder, 'event-loop');
    mkdirSync(folder);
    const probeFile = join(folder, 'probe.json');
    const metrics = await freeAddress();
    const mneme = await startMneme({
      folder: join(folder, 'data'),
      flags: ['--metrics-listen', metrics, '--vector-snapshot-interval-ms', String(SNAPSHOT_EVERY_MS)],
      env: { NODE_OPTIONS: `--import=${PROBE}`, MNEME_TEST_LOOP_PROBE: probeFile },
    });
    const storm = batchMessages(makeCorpus(MEMORIES, 0), true);
    await gaugeOf(metrics);
    const pinger = new LoadClient();
    const [stored, pings] = await Promise.all([
      bench.client.run(mneme, { ...storm, client: 'raw', inFlight: IN_FLIGHT, durationMs: STORM_MS }),
      ping(pinger, mneme),
    ]);
    const gauge = await gaugeOf(metrics);
    pinger.close();
    await mneme.stop();
    report(bench, { stored, pings, gauge, probeFile });
  },
};

function ping(client: LoadClient, server: ServerProcess): Promise<Measured> {
  const messages = [HealthCheckRequest.encode({ service: '' }).finish()];
  const load = { path: HealthService.check.path, messages, inFlight: 1, durationMs: STORM_MS, pauseMs: PING_EVERY_MS };
  return client.run(server, { ...load, client: 'raw' });
}

async function gaugeOf(address: string): Promise<number> {
  const text = await (await fetch(`http://${address}/metrics`)).text();
  return Number(/^mneme_event_loop_lag_seconds (.+)$/m.exec(text)?.[1]) * 1000;
}

function report(
  bench: Bench,
  { stored, pings, gauge, probeFile }: { stored: Measured; pings: Measured; gauge: number; probeFile: string },
): void {
  const { byElapsed, byCpu } = JSON.parse(readFileSync(probeFile, 'utf8')) as {
    byElapsed: Stretch[];
    byCpu: Stretch[];
  };
  const part = 'event-loop';
  const during = `while ${MemoryServiceService.batchStoreMemories.path.split('/').at(-1)} storms, the graph grows and is saved`;
  const busiest = byCpu[0]?.cpuMs ?? Number.NaN;
  const longest = byElapsed[0]?.elapsedMs ?? Number.NaN;
  bench.add({ part, what: `memories stored ${during}`, value: stored.perSecond * 100, unit: 'memories/s' });
  bench.add({
    part,
    what: `busiest stretch of the main loop (CPU) ${during}`,
    value: busiest,
    unit: 'ms',
    wanted: atMost(busiest, WANTED_MS, 'ms'),
  });
  bench.add({ part, what: `longest stretch (elapsed, with waits for a core) ${during}`, value: longest, unit: 'ms' });
  bench.add({ part, what: `gauge of /metrics (10 ms is its zero) ${during}`, value: gauge, unit: 'ms' });
  bench.add({ part, what: `health Check p50 ${during}`, value: pings.p50Us / 1000, unit: 'ms' });
  bench.add({ part, what: `health Check p99 ${during}`, value: pings.p99Us / 1000, unit: 'ms' });
}
