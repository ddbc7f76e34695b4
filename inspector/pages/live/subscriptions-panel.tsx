import { useState } from 'preact/hooks';
import { type Subscription, type Webhook, WebhookState } from '../../../gen/ts/mneme/v1/subscription_service.ts';
import { getServerInfo } from '../../api/calls.ts';
import { asFailure, type CallFailure } from '../../api/failure.ts';
import { idOf, namespaceName } from '../../api/names.ts';
import { listSubscriptions, resumeWebhook } from '../../api/subscription-calls.ts';
import { countOf } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';
import { Empty, Failure, Loading } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { usePolled } from '../../ui/use-asked.ts';

const EVERY_MS = 2000;

/** Durable subscriptions: how far each consumer has read, and the state of webhooks. */
export function SubscriptionsPanel({ namespace }: { readonly namespace: string }) {
  const asked = usePolled((signal) => subscriptionsOf(namespace, signal), EVERY_MS);
  const { value, failure, again } = asked;
  return (
    <section class="panel">
      <h2>Subscriptions</h2>
      {failure && <Failure failure={failure} again={again} />}
      {!value && !failure && <Loading />}
      {value?.subscriptions.length === 0 && <Empty>No durable subscription reads this namespace.</Empty>}
      <ul class="stack">
        {value?.subscriptions.map((subscription) => (
          <SubscriptionRow
            key={subscription.name}
            subscription={subscription}
            newestRevision={value.newestRevision}
            changed={again}
          />
        ))}
      </ul>
    </section>
  );
}

async function subscriptionsOf(namespace: string, signal: AbortSignal) {
  const [listed, info] = await Promise.all([
    listSubscriptions({ parent: namespaceName(namespace) }, signal),
    getServerInfo({}, signal),
  ]);
  return { subscriptions: listed.subscriptions, newestRevision: info.revision };
}

interface SubscriptionRowProps {
  readonly subscription: Subscription;
  readonly newestRevision: bigint;
  readonly changed: () => void;
}

function SubscriptionRow({ subscription, newestRevision, changed }: SubscriptionRowProps) {
  const { name, mode, filterText, webhook, cursors } = subscription;
  return (
    <li class="stack">
      <div class="row">
        <strong>
          <PlainText text={idOf(name)} />
        </strong>
        <span class="badge">{mode === 2 ? 'work queue' : 'broadcast'}</span>
        {webhook && <WebhookBadge webhook={webhook} />}
      </div>
      {filterText !== '' && (
        <code>
          <PlainText text={filterText} max={200} />
        </code>
      )}
      {webhook && <WebhookLines name={name} webhook={webhook} changed={changed} />}
      {cursors.length === 0 && (
        <p class="small quiet">{webhook ? 'Nothing was delivered yet.' : 'No consumer has read yet.'}</p>
      )}
      <ul class="small">
        {cursors.map(({ consumer, acknowledgedRevision, seenTime }) => (
          <li key={consumer} class="row">
            <PlainText text={consumer === '' ? (webhook ? 'webhook' : 'all workers') : consumer} max={64} />
            <span>{lagText(newestRevision - acknowledgedRevision)}</span>
            {seenTime && (
              <span class="quiet">
                last seen <Time at={seenTime} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </li>
  );
}

/** Revisions of other namespaces and changes that the filter refuses are part of the distance. */
function lagText(revisions: bigint): string {
  return revisions <= 0n ? 'has read everything' : `up to ${countOf(Number(revisions), 'change', 'changes')} behind`;
}

function WebhookBadge({ webhook }: { readonly webhook: Webhook }) {
  switch (webhook.state) {
    case WebhookState.WEBHOOK_STATE_PARKED:
      return <span class="badge bad">webhook parked</span>;
    case WebhookState.WEBHOOK_STATE_FAILING:
      return <span class="badge warn">webhook failing</span>;
    default:
      return <span class="badge good">webhook active</span>;
  }
}

interface WebhookLinesProps {
  readonly name: string;
  readonly webhook: Webhook;
  readonly changed: () => void;
}

function WebhookLines({ name, webhook, changed }: WebhookLinesProps) {
  const [failure, setFailure] = useState<CallFailure>();
  const { url, failure: reason, failureCount, nextAttemptTime } = webhook;
  const resume = () => {
    setFailure(undefined);
    resumeWebhook({ name }).then(changed, (error: unknown) => setFailure(asFailure(error)));
  };
  return (
    <div class="stack small">
      <p class="prose">
        <PlainText text={url} max={200} />
      </p>
      {reason !== '' && (
        <p>
          {countOf(failureCount, 'failure', 'failures')} in a row, the last: <PlainText text={reason} max={200} />
          {nextAttemptTime && (
            <>
              ; next attempt <Time at={nextAttemptTime} />
            </>
          )}
        </p>
      )}
      {reason !== '' && (
        <div class="row">
          <button type="button" onClick={resume}>
            Deliver again now
          </button>
        </div>
      )}
      {failure && <Failure failure={failure} />}
    </div>
  );
}
