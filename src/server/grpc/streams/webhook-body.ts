import { fromBinary, toJsonString } from '@bufbuild/protobuf';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { WebhookBatch as BatchMessage } from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import type { WebhookBatch } from '../../operations/streams/webhook-delivery.ts';
import { encode } from '../edge/codec.ts';
import { loadDescriptors } from '../edge/load-descriptors.ts';
import { subscriptionName } from './subscription-messages.ts';
import { changeMessages } from './watch-messages.ts';

/** Tag of `WebhookBatch.changes`. */
const CHANGES = (3 << 3) | 2;

/** The body of a request to a webhook: `WebhookBatch` in the JSON of proto3. */
export async function webhookBody({ namespace, id, log, changes }: WebhookBatch): Promise<Buffer> {
  const descriptors = await loadDescriptors();
  const head = encode(BatchMessage, { subscription: subscriptionName(namespace, id), log, changes: [] });
  const rest = new BinaryWriter();
  for (const bytes of changeMessages(changes, { namespace, view: 'basic' })) rest.uint32(CHANGES).bytes(bytes);
  const schema = descriptors.messageOf('mneme.v1.WebhookBatch');
  return Buffer.from(toJsonString(schema, fromBinary(schema, Buffer.concat([head, rest.finish()]))));
}
