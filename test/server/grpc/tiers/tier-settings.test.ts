import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  CreateNamespaceRequest,
  GetNamespaceRequest,
  UpdateNamespaceRequest,
} from '../../../../gen/ts/mneme/v1/namespace_service.ts';
import { ask, refusal } from '../support/ask.ts';
import { freshNamespace, store } from '../support/memories.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let mneme: TestServer;
beforeAll(async () => {
  mneme = await startTestServer({ maintenanceIntervalMs: '86400000' });
});
afterAll(() => mneme.stop());

type Settings = Record<string, string>;

const create = async (settings: Settings = {}) => {
  const name = freshNamespace();
  const request = CreateNamespaceRequest.fromPartial({ namespace: { name, settings } });
  await ask(mneme.namespaces, mneme.namespaces.createNamespace, request);
  return name;
};
const update = async (name: string, settings: Settings, more: { allowDemotion?: boolean; requestId?: string } = {}) => {
  const request = UpdateNamespaceRequest.fromPartial({
    namespace: { name, settings, description: 'new' },
    updateMask: ['settings', 'description'],
    ...more,
  });
  const { namespace } = await ask(mneme.namespaces, mneme.namespaces.updateNamespace, request);
  return namespace;
};
const read = async (name: string) => {
  const request = GetNamespaceRequest.fromPartial({ name });
  return (await ask(mneme.namespaces, mneme.namespaces.getNamespace, request)).namespace;
};

describe('settings of a namespace', () => {
  it('set at creation and by update › stored, key by key; an empty value removes one', async () => {
    const name = await create({ 'short_term.ttl': '2h', 'long_term.vector': 'i8' });
    await update(name, { 'short_term.ttl': '', 'importance.reward_weight': '0.6' });

    expect((await read(name))?.settings).toEqual({ 'long_term.vector': 'i8', 'importance.reward_weight': '0.6' });
  });

  it('mask without settings › leaves them alone', async () => {
    const name = await create({ 'short_term.ttl': '2h' });
    const request = UpdateNamespaceRequest.fromPartial({
      namespace: { name, settings: { 'short_term.ttl': '3h' }, description: 'x' },
      updateMask: ['description'],
    });
    await ask(mneme.namespaces, mneme.namespaces.updateNamespace, request);

    expect((await read(name))?.settings).toEqual({ 'short_term.ttl': '2h' });
  });

  it('one invalid key among valid ones › INVALID_ARGUMENT names it, nothing is changed', async () => {
    const name = await create();
    const before = await read(name);
    const refused = await refusal(
      update(name, { 'short_term.ttl': '1h', 'shortterm.ttl': '1h', 'intermediate.ttl': '0s' }),
    );

    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', reason: 'FIELD_INVALID' });
    expect(refused.fields).toEqual(['namespace.settings[shortterm.ttl]', 'namespace.settings[intermediate.ttl]']);
    expect(refused.descriptions[1]).toMatch(/^must be a span of time above zero .*, or none, got "0s"$/);
    expect(await read(name)).toEqual(before);
  });

  it('a bad setting at creation › no namespace is made', async () => {
    const name = freshNamespace();
    const request = CreateNamespaceRequest.fromPartial({ namespace: { name, settings: { 'short_term.ttl': '-1s' } } });

    expect(await refusal(ask(mneme.namespaces, mneme.namespaces.createNamespace, request))).toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect(await refusal(read(name))).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('a limit below the contents of the tier › INVALID_ARGUMENT names the number, unless allow_demotion', async () => {
    const name = await create();
    for (let i = 0; i < 3; i++) await store(mneme, name, { text: `memory ${i}`, type: 'state' });
    const refused = await refusal(
      update(name, {
        'short_term.memory_limit': '2',
        'short_term.bytes_limit': '3',
        'type.state.short_term.memory_limit': '1',
      }),
    );

    expect(refused.fields).toEqual([
      'namespace.settings[short_term.memory_limit]',
      'namespace.settings[short_term.bytes_limit]',
      'namespace.settings[type.state.short_term.memory_limit]',
    ]);
    expect(refused.descriptions[0]).toContain('at least the current 3 memories');
    expect((await read(name))?.settings).toEqual({});
    const allowed = await update(name, { 'short_term.memory_limit': '2' }, { allowDemotion: true });
    expect(allowed?.settings).toEqual({ 'short_term.memory_limit': '2' });
    expect((await update(name, { 'short_term.ttl': '1h' }))?.settings).toMatchObject({
      'short_term.memory_limit': '2',
    });
    expect((await update(name, { 'intermediate.memory_limit': '1' }))?.settings).toMatchObject({
      'intermediate.memory_limit': '1',
    });
  });

  it('the same request again › the first answer, although more is stored by then', async () => {
    const name = await create();
    const requestId = randomUUID();
    const first = await update(name, { 'short_term.memory_limit': '1' }, { requestId });
    for (let i = 0; i < 2; i++) await store(mneme, name, { text: `memory ${i}` });

    expect(await update(name, { 'short_term.memory_limit': '1' }, { requestId })).toEqual(first);
  });

  it('a namespace that is not there › NOT_FOUND', async () => {
    const refused = await refusal(update(freshNamespace(), { 'short_term.memory_limit': '1' }));

    expect(refused).toMatchObject({ code: 'NOT_FOUND', reason: 'NAMESPACE_NOT_FOUND' });
  });
});
