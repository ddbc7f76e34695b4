import { Lanes } from './lanes.ts';
import type { Job } from './namespace-lane.ts';

/** Writes of memories. */
export class NamespaceLanes extends Lanes<Job<unknown>> {
  override submit<O>(name: string, job: Job<O>): Promise<O> {
    return super.submit(name, job) as Promise<O>;
  }
}
