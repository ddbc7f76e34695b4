import type { Logger } from '../logger.ts';
import type { Clock } from '../memory/clock.ts';
import type { LogRetention } from '../operations/streams/log-retention.ts';
import type { OpenSubscriptions } from '../operations/streams/open-subscriptions.ts';
import type { SubscriptionStore } from '../storage/subscription-store.ts';
import { RepeatingJob } from './repeating-job.ts';

export interface LogJobDeps {
  readonly retention: LogRetention;
  readonly subscriptions: SubscriptionStore;
  readonly open: OpenSubscriptions;
  readonly clock: Clock;
}

/** Forgets what the change log has too much of, and consumers of subscriptions that were not seen for long. */
export function logJob(
  { retention, subscriptions, open, clock }: LogJobDeps,
  intervalMs: number,
  logger: Logger,
): RepeatingJob {
  return new RepeatingJob(async (signal) => {
    try {
      const { isDone, forgottenCount } = await retention.enforce();
      if (forgottenCount > 0) logger.debug({ count: forgottenCount }, 'changes forgotten');
      // Who is connected is seen, however long it has said nothing.
      await open.save();
      const consumers = await subscriptions.forgetConsumers({ atUs: clock.nowUs() });
      if (consumers > 0) logger.info({ count: consumers }, 'consumers forgotten that were not seen for long');
      return isDone ? intervalMs : 0;
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'the change log could not be kept within its limits');
      return intervalMs;
    }
  });
}
