import { type CallCounts, MnemeProcess, type ServerSpec } from './mneme-process.ts';

/** An idle server has some 130 MB of memory. */
const IDLE_MAX = 20;

/**
 * Servers that scenarios have finished with, by how they were started: a scenario gets one of them for itself, as a start
 * takes most of a second of CPU. Namespaces are of one scenario, so nothing of an earlier one is seen.
 */
export class ServerPool {
  private readonly idle = new Map<string, MnemeProcess[]>();
  private readonly counts: CallCounts;

  constructor(counts: CallCounts) {
    this.counts = counts;
  }

  /** A running server. */
  async take(spec: ServerSpec): Promise<MnemeProcess> {
    const found = this.idle.get(keyOf(spec))?.pop();
    if (found) return found;
    const server = new MnemeProcess(spec, this.counts);
    try {
      await server.start();
    } catch (error) {
      await server.remove();
      throw error;
    }
    return server;
  }

  /** A server that may have been left broken is removed. */
  async giveBack(server: MnemeProcess, isSound: boolean): Promise<void> {
    // Limits count what callers did over a day.
    const isReusable = isSound && server.isRunning && server.spec.limits === undefined;
    if (!isReusable || this.idleCount >= IDLE_MAX) return server.remove();
    const key = keyOf(server.spec);
    this.idle.set(key, [...(this.idle.get(key) ?? []), server]);
  }

  private get idleCount(): number {
    return [...this.idle.values()].reduce((sum, servers) => sum + servers.length, 0);
  }

  async close(): Promise<void> {
    await Promise.all([...this.idle.values()].flat().map((server) => server.remove()));
    this.idle.clear();
  }
}

function keyOf(spec: ServerSpec): string {
  return JSON.stringify([
    Object.entries(spec.flags ?? {}).sort(),
    Object.entries(spec.env ?? {}).sort(),
    spec.tls,
    spec.limits,
  ]);
}
