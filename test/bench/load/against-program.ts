import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cpuUsOfTree } from '../servers/process-tree.ts';
import { LineProgram } from './line-program.ts';
import type { Measured } from './load-client.ts';

const DRIVER = fileURLToPath(new URL('../../../clients/python/against-driver', import.meta.url));

export const SYSTEMS = ['mneme', 'pgvector', 'echo', 'sqlite'] as const;
export type SystemName = (typeof SYSTEMS)[number];

/** Filter of queries: by type and a range of steps, by a value of the JSON content, or none. */
export type FilterName = '' | 'steps' | 'zones';

/** Calls that are repeated. `batch` adds 100 memories in one transaction. */
export interface Calls {
  readonly work: 'add' | 'batch' | 'query' | 'get';
  readonly filter?: FilterName;
  readonly in_flight: number;
  readonly duration_ms: number;
}

/** With the number of calls. */
export interface MeasuredCalls extends Measured {
  readonly calls: number;
}

interface Answer {
  readonly calls: number;
  readonly elapsed_ms: number;
  readonly p50_us: number;
  readonly p99_us: number;
}

export interface Filled {
  readonly stored_ms: number;
  /** Of indexes that are made after the first memories. */
  readonly finished_ms: number;
}

/** Installs the driver and PostgreSQL, once. */
export function installAgainstTools(): void {
  execFileSync(DRIVER, ['--install'], { stdio: ['ignore', 'inherit', 'inherit'] });
}

/** One Python program that calls all systems. */
export class AgainstProgram {
  private readonly program: LineProgram;
  private readonly pids = new Map<SystemName, number>();

  /** `folder` has the data. */
  constructor(folder: string) {
    this.program = new LineProgram(DRIVER, [folder]);
  }

  /** Waits until the system serves. `address` is that of a server, the folder of a socket, or a file. */
  async open(system: SystemName, address: string, pid?: number): Promise<void> {
    if (pid !== undefined) this.pids.set(system, pid);
    await this.program.ask({ work: 'open', system, address });
  }

  fill(system: SystemName): Promise<Filled> {
    return this.program.ask({ work: 'fill', system });
  }

  /** Share of the ten nearest memories that queries find. */
  async found(system: SystemName, filter: FilterName): Promise<number> {
    const { share } = await this.program.ask<{ share: number }>({ work: 'found', system, filter });
    return share;
  }

  /** Resolves when a server that is starting has answered a first Get. */
  async firstGet(system: SystemName, address: string): Promise<void> {
    await this.program.ask({ work: 'first', system, address });
  }

  async run(system: SystemName, calls: Calls): Promise<MeasuredCalls> {
    const pid = this.pids.get(system);
    const cpuUs = (): number => (pid === undefined ? Number.NaN : cpuUsOfTree(pid));
    const beforeUs = cpuUs();
    const answer = await this.program.ask<Answer>({ ...calls, system });
    return {
      calls: answer.calls,
      perSecond: (answer.calls / answer.elapsed_ms) * 1000,
      p50Us: answer.p50_us,
      p99Us: answer.p99_us,
      serverUs: (cpuUs() - beforeUs) / answer.calls,
    };
  }

  stop(): Promise<void> {
    return this.program.stop();
  }
}
