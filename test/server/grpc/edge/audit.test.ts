import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MaintainTiersRequest } from '../../../../gen/ts/mneme/v1/admin_service.ts';
import { DeleteMemoryRequest, ForgetMemoriesRequest } from '../../../../gen/ts/mneme/v1/memory_service.ts';
import { CreateNamespaceRequest, DeleteNamespaceRequest } from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { readAudit } from '../../../../src/server/audit/read-audit.ts';
import { AUDITED_METHODS } from '../../../../src/server/grpc/edge/audited-methods.ts';
import { loadDescriptors } from '../../../../src/server/grpc/edge/load-descriptors.ts';
import { runMneme } from '../../../cli/support/run-mneme.ts';
import { ask, refusal } from '../support/ask.ts';
import { FollowedStream } from '../support/followed-stream.ts';
import { store } from '../support/memories.ts';
import { sessionCalls } from '../support/sessions.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let folder: string;
let mneme: TestServer;
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'mneme-audit-')), 'log');
  mneme = await startTestServer({ auditFolder: folder });
});
afterEach(async () => {
  await mneme.stop();
  await rm(join(folder, '..'), { recursive: true, force: true });
});

const entries = async () => (await readAudit(folder, {}, 1000)).entries;

describe('the audit log of a server', () => {
  it('has administrative and destructive operations, and no others', async () => {
    const { memories, namespaces, admin } = mneme;
    const parent = 'namespaces/audited';
    await ask(
      namespaces,
      namespaces.createNamespace,
      CreateNamespaceRequest.fromPartial({ namespace: { name: parent } }),
    );
    const { name } = await store(mneme, parent, { text: 'secret words' });
    await store(mneme, parent, { text: 'more' });
    await ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name, requestId: 'r-1' }));
    const none = DeleteMemoryRequest.fromPartial({ name: `${parent}/memories/none` });
    await refusal(ask(memories, memories.deleteMemory, none));
    const forget = (dryRun: boolean) => ForgetMemoriesRequest.fromPartial({ parent, all: true, dryRun });
    await ask(memories, memories.forgetMemories, forget(true));
    await ask(memories, memories.forgetMemories, forget(false));
    await new FollowedStream(admin.maintainTiers(MaintainTiersRequest.fromPartial({ parent }))).outcome();
    await ask(
      namespaces,
      namespaces.deleteNamespace,
      DeleteNamespaceRequest.fromPartial({ name: parent, force: true }),
    );

    const shown = (await entries()).map(({ method, namespace, outcome, count, dryRun }) =>
      [method.replace(/.*\//, ''), namespace, outcome, count, dryRun].filter((part) => part !== undefined).join(' '),
    );
    expect(shown).toEqual([
      'CreateNamespace audited OK',
      'DeleteMemory audited OK',
      'DeleteMemory audited MEMORY_NOT_FOUND',
      'ForgetMemories audited OK 1 true',
      'ForgetMemories audited OK 1',
      'MaintainTiers audited OK',
      'DeleteNamespace audited OK 0',
    ]);
    const [, deleted] = await entries();
    expect(deleted).toMatchObject({ names: [name], request: 'r-1', identity: expect.stringMatching(/./) });
    expect(JSON.stringify(await entries())).not.toContain('secret');
  });

  it('has sessions that are resumed with memories of a snapshot, and no others', async () => {
    const { spawn, pause, resume } = sessionCalls(mneme);
    const { session } = await spawn({ parent: 'namespaces/audited', scope: { agent: 'ada' } });
    const name = session?.name ?? '';
    for (const restoreMemories of [false, true]) {
      await pause({ session: name, includeMemories: true });
      await resume({ session: name, restoreMemories });
    }
    expect(await entries()).toMatchObject([
      { method: 'mneme.v1.LifecycleService/ResumeSession', namespace: 'audited', names: [name], outcome: 'OK' },
    ]);
  });

  it('of names that are too long, or no names › has some characters of them', async () => {
    const { memories } = mneme;
    const line = '\u0000\u001b\n\u2028'.repeat(10_000);
    for (const name of [`namespaces/${'x'.repeat(1_000_000)}/memories/m`, `namespaces/n/memories/${line}`]) {
      await refusal(ask(memories, memories.deleteMemory, DeleteMemoryRequest.fromPartial({ name })));
    }
    const [long, odd] = await entries();
    expect(long).toMatchObject({ namespace: '', names: [`namespaces/${'x'.repeat(245)}`], outcome: 'FIELD_INVALID' });
    expect(odd).toMatchObject({ namespace: 'n', outcome: 'FIELD_INVALID' });
    expect(odd?.names[0]).toBe(`namespaces/n/memories/${'\ufffd'.repeat(234)}`);
  });

  it('is shown by mneme audit, filtered, as text and as JSON', async () => {
    const name = 'namespaces/gone/memories/m';
    const request = DeleteMemoryRequest.fromPartial({ name });
    await refusal(ask(mneme.memories, mneme.memories.deleteMemory, request));

    const text = await runMneme(['audit', '--folder', folder]);
    expect([text.code, text.stdout]).toEqual([
      0,
      expect.stringMatching(/ DeleteMemory {2}namespaces\/gone\/memories\/m {2}N/),
    ]);
    const json = await runMneme(['audit', '--folder', folder, '--namespace', 'other', '--json']);
    expect(JSON.parse(json.stdout)).toEqual({ entries: [], unreadableCount: 0 });
    expect((await runMneme(['audit', '--folder', join(folder, 'none')])).code).not.toBe(0);
    expect((await runMneme(['audit'])).stderr).toContain('MNEME_AUDIT_FOLDER');
  });

  it('names methods that the API has', async () => {
    const descriptors = await loadDescriptors();
    const unknown = [...AUDITED_METHODS].filter((path) => !descriptors.requestOf(path.slice(1)));
    expect(unknown).toEqual([]);
  });

  it('that cannot be written › the operation has no effect', async () => {
    const { name } = await store(mneme, 'namespaces/kept', { text: 'kept' });
    await rm(folder, { recursive: true });
    const request = DeleteMemoryRequest.fromPartial({ name });
    expect(await refusal(ask(mneme.memories, mneme.memories.deleteMemory, request))).toMatchObject({
      reason: 'STORAGE_UNAVAILABLE',
      metadata: { backend: 'audit' },
    });
    const again = await refusal(ask(mneme.memories, mneme.memories.deleteMemory, request));
    expect(again.reason).toBe('STORAGE_UNAVAILABLE');
  });
});
