import { expect, test } from '@jest/globals';
import { WatchMemoriesResponse } from '../../../../gen/ts/mneme/v1/recall_service.ts';
import { watchResponse } from '../../../../src/server/grpc/streams/watch-messages.ts';
import type { WatchMessage } from '../../../../src/server/operations/streams/watch.ts';
import type { Change } from '../../../../src/storage/change-log/change-log.ts';
import { newMemory } from '../../../support/new-memory.ts';

test('A change sent to many watchers › is encoded once, and once more for limited ones', () => {
  let readCount = 0;
  const memory = { ...newMemory({ id: 'a', text: 'told' }), namespace: 'n', revision: 7 };
  const change: Change = {
    revision: 7,
    kind: 'stored',
    id: 'a',
    atUs: 1,
    get memory() {
      readCount++;
      return memory;
    },
  };
  const place = { log: 'l', revision: 7, epoch: '', origin: 0, term: 't' };
  const messageFor = (changes: readonly Change[]): WatchMessage => {
    const received = changes.map((each) => ({ change: each, leaves: false }));
    return { kind: 'batch', revision: 7, place, changes: received, isFragment: false };
  };
  const received = (view: 'basic' | 'metadata', key: string, message = messageFor([change])) =>
    watchResponse(message, { namespace: 'n', view, heartbeatMs: 1000, token: () => key }, key);

  const shared = messageFor([change]);
  const first = received('basic', 'same', shared);
  const reads = readCount;
  expect(received('basic', 'same', shared)).toBe(first);
  // Another filter, in a separate message.
  for (let at = 0; at < 100; at++) received('basic', `other ${at}`);
  expect(readCount).toBe(reads);
  const { event } = WatchMemoriesResponse.decode(received('metadata', 'less'));
  expect(readCount).toBeGreaterThan(reads);
  expect(event?.$case === 'batch' && event.value.changes[0]?.memory?.text).toBe('');
});
