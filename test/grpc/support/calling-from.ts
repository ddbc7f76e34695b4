import { credentials, type Metadata } from '@grpc/grpc-js';
import { WorkingMemoryServiceClient } from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import { type Clients, connect } from './test-server.ts';

export interface ScopedClients extends Clients {
  readonly wm: WorkingMemoryServiceClient;
}

/** Clients with a caller scope, such as `agent=ada`, or without one where it is empty. */
export function callingFrom({ address }: { readonly address: string }, scope: string): ScopedClients {
  const interceptors = [
    (options: object, next: (options: object) => never) => {
      const call = next(options) as { start(metadata: Metadata, listener: never): void };
      const start = call.start.bind(call);
      call.start = (metadata, listener) => {
        if (scope !== '') metadata.set('mneme-scope', scope);
        start(metadata, listener);
      };
      return call as never;
    },
  ];
  const options = { interceptors } as object;
  const clients = connect(address, credentials.createInsecure(), options);
  const wm = new WorkingMemoryServiceClient(address, credentials.createInsecure(), options);
  return {
    ...clients,
    wm,
    close() {
      wm.close();
      clients.close();
    },
  };
}
