import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { GetConfigRequest, MaintainTiersRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import {
  DeleteMemoryRequest,
  GetMemoryRequest,
  PromoteMemoriesRequest,
} from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { DeleteValueRequest } from '../../../../gen/ts/mneme/v1/working_memory_service.ts';
import { readAudit } from '../../../../src/server/audit/read-audit.ts';
import { runMneme } from '../../../cli/support/run-mneme.ts';
import { ask, refusal } from '../support/ask.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { Identities } from '../support/identities.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let folder: string;
let identities: Identities;
let mneme: TestServer;
let isStopped: boolean;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'mneme-audit-')), 'log');
  identities = new Identities({ mallory: [{ namespaces: ['own'], verbs: ['read'] }] });
  mneme = await startTestServer({ ...identities.flags, auditFolder: folder });
  isStopped = false;
});
afterEach(async () => {
  await stop();
  identities.remove();
  await rm(join(folder, '..'), { recursive: true, force: true });
});

/** A server that stops has written all lines. */
async function stop(): Promise<void> {
  if (!isStopped) await mneme.stop();
  isStopped = true;
}

const parent = 'namespaces/victim';
const memory = `${parent}/memories/m`;
const withHeaders = () => ({ metadata: identities.headers('mallory') });
const deleted = (name = memory, requestId = '') =>
  refusal(
    ask(
      mneme.memories,
      mneme.memories.deleteMemory,
      DeleteMemoryRequest.fromPartial({ name, requestId }),
      withHeaders(),
    ),
  );
const entries = async () => (await readAudit(folder, {}, 1000)).entries;

test('Audit log: calls refused for lack of permission › those for administrative and destructive operations are in it', async () => {
  const { memories, working, admin } = mneme;
  expect(await deleted(memory, 'r-1')).toMatchObject({ reason: 'PERMISSION_MISSING' });
  const promotion = PromoteMemoriesRequest.fromPartial({ parent, names: [memory] });
  await refusal(ask(memories, memories.promoteMemories, promotion, withHeaders()));
  const value = DeleteValueRequest.fromPartial({ session: `${parent}/sessions/s`, key: 'k' });
  await refusal(ask(working, working.deleteValue, value, withHeaders()));
  await refusal(ask(admin, admin.getConfig, GetConfigRequest.fromPartial({}), withHeaders()));
  const maintenance = MaintainTiersRequest.fromPartial({});
  await new FollowedStream(admin.maintainTiers(maintenance, identities.headers('mallory'))).outcome();
  await refusal(ask(memories, memories.getMemory, GetMemoryRequest.fromPartial({ name: memory }), withHeaders()));
  const everything = { metadata: identities.headers('mallory', '*') };
  const own = GetMemoryRequest.fromPartial({ name: 'namespaces/own/memories/m' });
  await refusal(ask(memories, memories.getMemory, own, everything));
  await stop();

  const refused = { identity: 'mallory', outcome: 'PERMISSION_MISSING', callCount: 1 };
  expect(await entries()).toMatchObject([
    {
      ...refused,
      method: 'mneme.v1.MemoryService/DeleteMemory',
      namespace: 'victim',
      names: [memory],
      request: 'r-1',
    },
    { ...refused, method: 'mneme.v1.MemoryService/PromoteMemories', namespace: 'victim', names: [memory] },
    { ...refused, method: 'mneme.v1.WorkingMemoryService/DeleteValue', namespace: 'victim' },
    { ...refused, method: 'mneme.v1.AdminService/GetConfig', namespace: '' },
    { ...refused, method: 'mneme.v1.AdminService/MaintainTiers', namespace: '' },
    { ...refused, method: 'mneme.v1.MemoryService/GetMemory', namespace: 'own' },
  ]);
});

test('Audit log: a flood of refused calls › has two lines, and operations have theirs', async () => {
  await Promise.all(Array.from({ length: 500 }, (_, at) => deleted(`namespaces/n${at}/memories/m`)));
  await stop();

  expect(await entries()).toMatchObject([
    { identity: 'mallory', callCount: 1 },
    { identity: 'mallory', callCount: 499, method: 'mneme.v1.MemoryService/DeleteMemory' },
  ]);
  const { stdout } = await runMneme(['audit', '--folder', folder]);
  expect(stdout).toMatch(/ {2}mallory {2}DeleteMemory {2}.* {2}PERMISSION_MISSING {2}499 calls\n$/);
});
