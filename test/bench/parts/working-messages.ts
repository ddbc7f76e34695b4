import {
  GetValueRequest as GetRequest,
  WorkingMemoryServiceService as Service,
  SetValueRequest,
  TransactValuesRequest,
} from '../../../gen/ts/mneme/v1/working_memory_service.ts';
import { PARENT } from '../data/corpus.ts';
import type { Caller } from '../servers/caller.ts';
import type { Messages } from './call-messages.ts';

export const SESSION = `${PARENT}/sessions/bench`;
export const KEYS = 1000;
/** Placeholder in request ids for the count that makes them unique: 12 letters, see `Load.countAt`. */
const COUNT = '#'.repeat(12);
const REQUEST_ID = `6f1d2c3b-4a5e-4f60-8172-${COUNT}`;

export function workingGets(): Messages {
  const messages = Array.from({ length: KEYS }, (_, at) =>
    GetRequest.encode({ session: SESSION, key: `key-${at}` }).finish(),
  );
  return { path: Service.getValue.path, messages };
}

export function workingSets(texts: readonly string[]): Messages {
  const messages = Array.from({ length: KEYS }, (_, at) =>
    SetValueRequest.encode(
      SetValueRequest.fromPartial({
        ...{ session: SESSION, key: `key-${at}`, requestId: REQUEST_ID },
        value: { mediaType: 'text/plain', body: { $case: 'data' as const, value: Buffer.from(texts[at] ?? '') } },
      }),
    ).finish(),
  );
  const countAt = messages.map((message) => Buffer.from(message).lastIndexOf(COUNT));
  return { path: Service.setValue.path, messages, countAt };
}

/** Sets `KEYS` keys, from `key-{first}` on, in one transaction. */
export async function setKeys(caller: Caller, session: string, texts: readonly string[], first = 0): Promise<void> {
  const operations = Array.from({ length: KEYS }, (_, at) => ({
    kind: {
      $case: 'set' as const,
      value: {
        key: `key-${first + at}`,
        value: {
          mediaType: 'text/plain',
          body: { $case: 'data' as const, value: Buffer.from(texts[at % texts.length] ?? '') },
        },
      },
    },
  }));
  await caller.ask(Service.transactValues, TransactValuesRequest.fromPartial({ session, operations }));
}
