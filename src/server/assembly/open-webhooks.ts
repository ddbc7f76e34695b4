import type { Clock, Timers } from '../../memory/clock.ts';
import type { Config } from '../config/config.ts';
import { packageVersion } from '../config/version.ts';
import { webhookBody } from '../grpc/streams/webhook-body.ts';
import type { WebhookTerms } from '../grpc/streams/webhook-messages.ts';
import type { Leased } from '../jobs/leased-work.ts';
import { RepeatingJob } from '../jobs/repeating-job.ts';
import type { Logger } from '../logger.ts';
import { OpenSubscriptions } from '../operations/streams/open-subscriptions.ts';
import type { WebhookNotices } from '../operations/streams/webhook-delivery.ts';
import { Webhooks } from '../operations/streams/webhooks.ts';
import type { VisibilityRules } from '../operations/visibility/visibility.ts';
import { HttpWebhooks } from '../webhooks/http-webhooks.ts';
import { WebhookHosts } from '../webhooks/webhook-hosts.ts';
import { isWebhookSecret, newWebhookSecret } from '../webhooks/webhook-signature.ts';
import type { LeasedAs } from './shared-jobs.ts';
import type { OpenedStorage } from './storage-parts.ts';
import type { StreamParts } from './stream-parts.ts';

/** Time between looks for webhooks of calls at other servers, and after which another server takes over. */
const SHARED_LOOK_MS = 5000;
/** A server that shares nothing hears of all calls. */
const LOOK_MS = 600_000;

export interface WebhookInputs {
  readonly storage: Pick<OpenedStorage, 'jobLeases'>;
  readonly parts: StreamParts;
  readonly visibilityRules: VisibilityRules;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly leased: LeasedAs;
  readonly closers: (() => Promise<void>)[];
}

export interface WebhookParts {
  readonly webhooks: Webhooks;
  readonly terms: WebhookTerms;
  readonly job: RepeatingJob;
}

export function openWebhooks(config: Config, inputs: WebhookInputs, parentLogger: Logger): WebhookParts {
  const { storage, parts, visibilityRules, clock, timers, leased, closers } = inputs;
  const { feed, streams, subscriptionStore: store } = parts;
  const hosts = new WebhookHosts(config.webhookHosts);
  const sender = new HttpWebhooks({ hosts, clock, timers, userAgent: `mneme/${packageVersion()}` });
  closers.push(async () => sender.close());
  const logger = parentLogger.child({ part: 'webhooks' });
  const lookMs = storage.jobLeases ? SHARED_LOOK_MS : LOOK_MS;
  const webhooks = new Webhooks({
    feed,
    streams,
    // Its writes are those of the job, and fail where another server has taken it over.
    subscriptions: new OpenSubscriptions(store, clock, { isClaimed: false }),
    visibilityRules,
    store,
    sender,
    clock,
    timers,
    random: Math.random,
    bodyOf: webhookBody,
    notices: noticesTo(logger),
    lookMs,
  });
  const job = webhookJob(webhooks, lookMs, logger, leased('webhooks', lookMs));
  webhooks.onChanged = () => job.wake();
  const terms = {
    newSecret: newWebhookSecret,
    isSecret: isWebhookSecret,
    refusalOf: (url: URL) => hosts.refusalOf(url),
  };
  return { webhooks, terms, job };
}

function noticesTo(logger: Logger): WebhookNotices {
  return {
    parked: (about) => logger.warn(about, 'a webhook is parked: nothing is delivered until ResumeWebhook'),
    failing: (about) => logger.warn(about, 'a webhook does not answer as it should, and is tried again'),
    recovered: (about) => logger.info(about, 'a webhook is delivered to again'),
    faulted: (about) => logger.warn(about, 'changes could not be delivered to a webhook, and are tried again'),
  };
}

function webhookJob(webhooks: Webhooks, lookMs: number, logger: Logger, leased: Leased): RepeatingJob {
  const work = async (signal: AbortSignal): Promise<number> => {
    try {
      return await webhooks.run(signal);
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error }, 'webhooks could not be read');
      return Math.min(lookMs, SHARED_LOOK_MS);
    }
  };
  return new RepeatingJob(leased(work), '');
}
