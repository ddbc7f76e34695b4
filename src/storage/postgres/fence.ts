import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from '#kysely';
import type { Session } from './database.ts';

/** A taking of the lease of a job. */
export interface Fence {
  readonly job: string;
  /** Later takings have higher numbers. */
  readonly number: number;
  /** To be called when another server has taken the lease. */
  lost(): void;
}

/** The fence of the work that runs: its writes carry it without an argument of each contract. */
const running = new AsyncLocalStorage<Fence>();

export function runFenced<T>(fence: Fence, work: () => Promise<T>): Promise<T> {
  return running.run(fence, work);
}

export function currentFence(): Fence | undefined {
  return running.getStore();
}

/** Another server runs the job now: the write had no effect. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';

  constructor({ job }: Fence) {
    super(`the lease of the job "${job}" was lost: another server runs it`);
  }
}

/** The fences among these whose lease another server has taken. Until the end of the transaction, no other is taken. */
export async function lostAmong(session: Session, fences: ReadonlySet<Fence>): Promise<ReadonlySet<Fence>> {
  if (fences.size === 0) return fences;
  const jobs = [...fences].map(({ job }) => job);
  const rows = await session.run(
    sql<{ job: string; fence: number }>`SELECT job, fence FROM job_lease WHERE job = ANY(${jobs}::text[])
      ORDER BY job FOR SHARE`,
  );
  const present = new Map(rows.map(({ job, fence }) => [job, fence]));
  const lost = new Set([...fences].filter(({ job, number }) => present.get(job) !== number));
  for (const fence of lost) fence.lost();
  return lost;
}

/** Fails with LeaseLost. */
export async function checkFence(session: Session, fence: Fence | undefined): Promise<void> {
  if (fence && (await lostAmong(session, new Set([fence]))).size > 0) throw new LeaseLost(fence);
}
