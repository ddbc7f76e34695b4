import { MnemeError } from '../memory/errors.ts';
import { SUBSCRIPTIONS_MAX } from './subscription-store.ts';

export function subscriptionNotFound(namespace: string, id: string): MnemeError {
  const name = `namespaces/${namespace}/subscriptions/${id}`;
  return new MnemeError('SUBSCRIPTION_NOT_FOUND', `${name} does not exist`, { metadata: { name } });
}

export function subscriptionExists(namespace: string, id: string): MnemeError {
  const name = `namespaces/${namespace}/subscriptions/${id}`;
  return new MnemeError('SUBSCRIPTION_EXISTS', `${name} is there already`, { metadata: { name } });
}

export function tooManySubscriptions(namespace: string): MnemeError {
  const limit = String(SUBSCRIPTIONS_MAX);
  return new MnemeError('TOO_MANY_STREAMS', `namespaces/${namespace} has ${limit} subscriptions, as many as it may`, {
    metadata: { limit },
  });
}
