import { sql } from '#kysely';
import { type Fence, LeaseLost } from '../job-fence.ts';
import type { Session } from './database.ts';

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
