import type { ClientDuplexStream } from '@grpc/grpc-js';
import type { Change } from '../../../../gen/ts/mneme/v1/change.ts';
import {
  ConsumeSubscriptionRequest,
  type ConsumeSubscriptionResponse,
} from '../../../../gen/ts/mneme/v1/subscription_service.ts';
import { FollowedStream } from './followed-stream.ts';
import type { Clients } from './test-server.ts';

/** A consumer of a durable subscription. */
export class Consumer extends FollowedStream<ConsumeSubscriptionResponse> {
  private readonly call: ClientDuplexStream<ConsumeSubscriptionRequest, ConsumeSubscriptionResponse>;

  constructor(
    { subscriptions }: Clients,
    name: string,
    consumer: string,
    options: { readonly startRevision?: bigint; readonly maxOutstanding?: number } = {},
  ) {
    const call = subscriptions.consumeSubscription();
    super(call);
    this.call = call;
    call.write(
      ConsumeSubscriptionRequest.fromPartial({ request: { $case: 'start', value: { name, consumer, ...options } } }),
    );
  }

  changes(): Change[] {
    return this.messages.flatMap(({ event }) => (event?.$case === 'batch' ? event.value.changes : []));
  }

  texts(): string[] {
    return this.changes().map(({ memory }) => memory?.text ?? '');
  }

  acknowledge(upToRevision: bigint, revisions: bigint[] = []): void {
    const value = { upToRevision, revisions };
    this.call.write(ConsumeSubscriptionRequest.fromPartial({ request: { $case: 'acknowledge', value } }));
  }

  /** Closes the client's side: the stream ends when its acknowledgements are durable. */
  finish(): void {
    this.call.end();
  }

  has(count: number): Promise<ConsumeSubscriptionResponse> {
    return this.until(() => this.changes().length >= count);
  }
}
