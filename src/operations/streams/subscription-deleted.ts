import { MnemeError } from '../../memory/errors.ts';

/** Why the streams of its consumers end. */
export function subscriptionDeleted(namespace: string, id: string): MnemeError {
  const name = `namespaces/${namespace}/subscriptions/${id}`;
  return new MnemeError('SUBSCRIPTION_NOT_FOUND', `${name} was deleted`, { metadata: { name } });
}
