import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Caller } from '../servers/caller.ts';
import type { ServerProcess } from '../servers/child.ts';
import { pidOf } from '../servers/mneme.ts';
import { cpuUsOf, threadUsOf } from '../servers/process-usage.ts';
import type { Job, JobAnswer, Stop } from './client-process.ts';

const ENTRY = fileURLToPath(new URL('./client-process.ts', import.meta.url));

/** The result of a round of calls. */
export interface Measured {
  readonly perSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  /** CPU time of the server for a call, all its threads. */
  readonly serverUs: number;
  /** The part of it that each kind of thread has, by the kind's name. */
  readonly threadsUs?: ReadonlyMap<string, number>;
}

type Calls = Omit<Job, 'address' | 'tls'>;

/** A client's report on the first of the calls: the load generator itself does not read statuses. */
async function problemOf({ address, tls }: ServerProcess, { path, messages }: Calls): Promise<string> {
  const bytes = (message: Uint8Array): Buffer => Buffer.from(message);
  const caller = new Caller(address, tls);
  try {
    const method = { path, requestSerialize: bytes, responseDeserialize: bytes };
    await caller.ask(method, messages[0] ?? Buffer.alloc(0));
    return 'it succeeds';
  } catch (error) {
    return String(error);
  } finally {
    caller.close();
  }
}

/** A process that makes calls, separate from the servers and from the measuring process. */
export class LoadClient {
  private readonly child = fork(ENTRY, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });

  /** Ends with the given promise, if that is sooner. Fails when a call failed: a refusal must not count as fast. */
  async run(server: ServerProcess, load: Calls, until?: Promise<unknown>): Promise<Measured> {
    const cpuBeforeUs = cpuUsOf(server.pid);
    const threadsBefore = threadUsOf(server.pid);
    const answered = once(this.child, 'message') as Promise<[JobAnswer]>;
    const { address, tls } = server;
    this.child.send({ ...load, address, tls } satisfies Job);
    const stop = (): void => void this.child.send('stop' satisfies Stop);
    void until?.then(stop, stop);
    const [answer] = await answered;
    if ('problem' in answer) throw new Error(`${load.path}: ${answer.problem}`);
    const { calls, failed, elapsedMs, p50Us, p99Us } = answer.result;
    if (failed > 0) {
      const why = await problemOf(server, load);
      throw new Error(`${load.path}: ${failed} of ${calls + failed} calls failed; asked again: ${why}`);
    }
    const serverUs = (cpuUsOf(server.pid) - cpuBeforeUs) / calls;
    const threadsUs = new Map<string, number>();
    for (const [name, us] of threadUsOf(server.pid)) threadsUs.set(name, (us - (threadsBefore.get(name) ?? 0)) / calls);
    return { perSecond: (calls / elapsedMs) * 1000, p50Us, p99Us, serverUs, threadsUs };
  }

  get pid(): number {
    return pidOf(this.child);
  }

  close(): void {
    this.child.disconnect();
  }
}
