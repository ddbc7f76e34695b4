import { credentials, type Metadata } from '@grpc/grpc-js';
import { WorkingMemoryServiceClient } from '../../../support/service-clients.ts';
import type { Identities } from './identities.ts';
import { type Clients, connect } from './test-server.ts';

export interface ScopedClients extends Clients {
  readonly wm: WorkingMemoryServiceClient;
}

interface Address {
  readonly address: string;
}

/** Clients with a caller scope, such as `agent=ada`, or without one where it is empty. */
export function callingFrom(server: Address, scope: string): ScopedClients {
  return callingWith(server, scope === '' ? {} : { 'mneme-scope': scope });
}

/** Clients with the key of an identity. */
export function callingAs(server: Address, identities: Identities, identity: string): ScopedClients {
  return callingWith(server, { authorization: `Bearer ${identities.keyOf(identity)}` });
}

function callingWith({ address }: Address, headers: Readonly<Record<string, string>>): ScopedClients {
  const interceptors = [
    (options: object, next: (options: object) => never) => {
      const call = next(options) as { start(metadata: Metadata, listener: never): void };
      const start = call.start.bind(call);
      call.start = (metadata, listener) => {
        for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
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
