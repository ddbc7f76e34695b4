import { fileURLToPath } from 'node:url';
import type { ServerProcess } from '../servers/child.ts';
import { cpuUsOf, threadUsOf } from '../servers/process-usage.ts';
import { LineProgram } from './line-program.ts';
import type { Measured } from './load-client.ts';

const CLIENTS = fileURLToPath(new URL('../../../clients', import.meta.url));

/** The caller: the client of the language, or its generated stubs over a channel with the same options. */
export type By = 'client' | 'stub';

/**
 * Requests to the program, one line of JSON each.
 *
 * - `get` reads `turn-0` to `turn-<count - 1>` one after the other, then from the first again.
 * - `store` stores memories of a sentence, type, scope and speaker, each with its own request id.
 * - `ingest` sends `count` memories of a sentence and a vector of 384 dimensions over one stream and waits until they
 *   are
 *   durable. Texts and vectors exist before the time begins, in the form of the language; messages are made of them in it.
 * - `export` reads every memory of the namespace over one stream.
 *
 * `get` and `store` keep `in_flight` calls in progress for `duration_ms`, each with a deadline of 10 s.
 */
export interface Work {
  readonly work: 'get' | 'store' | 'ingest' | 'export';
  readonly namespace: string;
  readonly in_flight: number;
  readonly duration_ms: number;
  readonly count: number;
}

/** Its answer: number of calls made, or of memories that were streamed. */
interface Done {
  readonly count: number;
  readonly elapsed_ms: number;
}

/**
 * `clients/<folder>/bench-driver`: a program in the language of a client. It exits when it cannot execute a request.
 */
export class ClientProgram {
  private readonly program: LineProgram;
  private readonly server: ServerProcess;
  private readonly usedUs = { client: 0, stub: 0 };
  private readonly done = { client: 0, stub: 0 };

  constructor(language: string, flags: readonly string[], server: ServerProcess) {
    this.server = server;
    this.program = new LineProgram(`${CLIENTS}/${language}/bench-driver`, [server.address, ...flags]);
  }

  /** Fails when the work is incomplete: lost work must not count as fast. */
  async run(work: Work, by: By): Promise<Measured> {
    const ownBeforeUs = cpuUsOf(this.program.pid);
    const [cpuBeforeUs, threadsBefore] = [cpuUsOf(this.server.pid), threadUsOf(this.server.pid)];
    const { count, elapsed_ms: elapsedMs } = await this.program.ask<Done>({ ...work, by });
    this.usedUs[by] += cpuUsOf(this.program.pid) - ownBeforeUs;
    this.done[by] += count;
    const isStream = work.work === 'ingest' || work.work === 'export';
    if (isStream && count !== work.count) throw new Error(`${work.work} by ${by}: ${count} of ${work.count} memories`);
    const threadsUs = new Map<string, number>();
    for (const [name, us] of threadUsOf(this.server.pid)) {
      threadsUs.set(name, (us - (threadsBefore.get(name) ?? 0)) / count);
    }
    const serverUs = (cpuUsOf(this.server.pid) - cpuBeforeUs) / count;
    return { perSecond: (count / elapsedMs) * 1000, p50Us: Number.NaN, p99Us: Number.NaN, serverUs, threadsUs };
  }

  /** CPU time of the program for a call or memory since the previous reading, including its preparation. */
  takeOwnUs(by: By): number {
    const us = this.usedUs[by] / this.done[by];
    this.usedUs[by] = this.done[by] = 0;
    return us;
  }

  stop(): Promise<void> {
    return this.program.stop();
  }
}
