import { CallContext } from './call-context.ts';

/** A taking of the lease of a job. */
export interface Fence {
  readonly job: string;
  /** Later takings have higher numbers. */
  readonly number: number;
  /** To be called when another server has taken the lease. */
  lost(): void;
}

/** The fence of the work that runs: its writes carry it without an argument of each contract. */
const running = new CallContext<Fence>();

export function runFenced<T>(fence: Fence, work: () => Promise<T>): Promise<T> {
  return running.run(fence, work);
}

export function currentFence(): Fence | undefined {
  return running.current;
}

/** Another server runs the job now: the write had no effect. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor({ job }: Pick<Fence, 'job'>) {
    super(`the lease of the job "${job}" was lost: another server runs it`);
  }
}
