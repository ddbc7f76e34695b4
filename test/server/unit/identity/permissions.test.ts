import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Grant, Principal } from '../../../../src/memory/principal.ts';
import { METHODS, permissions } from '../../../../src/server/grpc/edge/permissions.ts';
import { fieldsThatName, isWalked, messagesWithin, methodsOfApi } from '../../grpc/support/named-requests.ts';

const principal = (...grants: Grant[]): Principal => ({ identity: 'ada', proof: 'key', credential: 'mnk_0', grants });
const may = (who: Principal, method: string, request: object, from?: 'everything') => {
  try {
    return permissions.check(`mneme.v1.${method}`, request, who, from) ?? 'whole';
  } catch (error) {
    return (error as { reason?: string }).reason;
  }
};

describe('the table of permissions', () => {
  it('every method of the descriptors is in it, with the fields of its request that name resources, and no other', async () => {
    const methods = await methodsOfApi();
    const found = Object.fromEntries(methods.map(({ path, fields }) => [path, fields.toSorted()]));
    const listed = Object.entries(METHODS).flatMap(([service, of]) =>
      Object.entries(of).map(([method, text]) => [
        `mneme.v1.${service}/${method}`,
        text
          .split(' ')
          .slice(1)
          .filter((field) => field !== 'server')
          .map((field) => field.replace(/[?+]$/, ''))
          .toSorted(),
      ]),
    );
    expect(Object.fromEntries(listed)).toEqual(found);
  });

  it('fields of other messages in requests with such names › name no resource', async () => {
    const methods = await methodsOfApi();
    const types = [...new Set(methods.flatMap(({ input }) => [...messagesWithin(input)]))];
    expect(
      types
        .filter((type) => !isWalked(type.typeName))
        .flatMap(fieldsThatName)
        .toSorted(),
    ).toEqual(['ConversationMessage.name', 'RecallPreset.name', 'Scope.session', 'ToolCall.name']);
  });
});

describe('docs/identity.md', () => {
  it('has the verb of every method', () => {
    const page = readFileSync('docs/identity.md', 'utf8');
    for (const [service, methods] of Object.entries(METHODS)) {
      const row = page.split('\n').find((line) => line.startsWith(`| ${service} |`)) ?? '';
      const [read, write, remove, admin, any] = row.split('|').slice(2);
      const cells = { read, write, delete: remove, admin, '': any };
      for (const [method, text] of Object.entries(methods)) {
        const [verb = ''] = text.split(' ');
        const mark = verb.endsWith('~') ? '~' : text.endsWith('?') ? '?' : '';
        const cell = cells[verb.replace('~', '') as keyof typeof cells] ?? '';
        expect([method, cell.split(',').map((one) => one.trim())]).toEqual([
          method,
          expect.arrayContaining([`${method}${mark}`]),
        ]);
      }
    }
  });
});

describe('permissions', () => {
  const reader = principal({ namespaces: ['team-*', 'own'], verbs: ['read'] });

  it('a granted verb in a granted namespace › allowed; another verb, another namespace › PERMISSION_MISSING', () => {
    expect(may(reader, 'MemoryService/GetMemory', { name: 'namespaces/team-a/memories/m' })).toBe('whole');
    expect(may(reader, 'MemoryService/GetMemory', { name: 'namespaces/own/memories/m' })).toBe('whole');
    expect(may(reader, 'MemoryService/GetMemory', { name: 'namespaces/owner/memories/m' })).toBe('PERMISSION_MISSING');
    expect(may(reader, 'MemoryService/DeleteMemory', { name: 'namespaces/own/memories/m' })).toBe('PERMISSION_MISSING');
  });

  it('one name of several in another namespace › PERMISSION_MISSING', () => {
    const request = { parent: 'namespaces/own', names: ['namespaces/own/memories/a', 'namespaces/b/memories/a'] };
    expect(may(reader, 'MemoryService/BatchGetMemories', request)).toBe('PERMISSION_MISSING');
  });

  it('no namespace where one is required › FIELD_INVALID; where none means all › a grant for the server', () => {
    const admin = principal({ namespaces: ['*'], verbs: ['admin'] });
    const part = principal({ namespaces: ['own*'], verbs: ['admin'] });
    expect(may(reader, 'MemoryService/GetMemory', { name: '' })).toBe('FIELD_INVALID');
    expect(may(reader, 'MemoryService/GetMemory', { name: 'own/memories/m' })).toBe('FIELD_INVALID');
    expect(may(admin, 'AdminService/MaintainTiers', { parent: '' })).toBe('whole');
    expect(may(part, 'AdminService/MaintainTiers', { parent: '' })).toBe('PERMISSION_MISSING');
    expect(may(part, 'AdminService/MaintainTiers', { parent: 'namespaces/own' })).toBe('whole');
    expect(may(part, 'AdminService/UpdateConfig', {})).toBe('PERMISSION_MISSING');
  });

  it('a namespace that has not the form of one › FIELD_INVALID', () => {
    const anywhere = principal({ namespaces: ['*'], verbs: ['read'] });
    for (const name of ['Own', 'a b', 'x'.repeat(64), '']) {
      const request = { name: `namespaces/${name}/memories/m` };
      expect([name, may(anywhere, 'MemoryService/GetMemory', request)]).toEqual([name, 'FIELD_INVALID']);
    }
  });

  it('an id of a conversation or a session › is no name of a resource', () => {
    const request = { parent: 'namespaces/own', conversation: 'c-1', session: 's-1' };
    expect(may(reader, 'ConversationService/GetExtractionStatus', request)).toBe('whole');
    expect(may(reader, 'ContextService/BuildContext', request)).toBe('whole');
  });

  it('an import › may have names of other namespaces, and no parent in its later messages', () => {
    const writer = principal({ namespaces: ['own'], verbs: ['write'] });
    const memories = [{ name: 'namespaces/other/memories/m' }];
    expect(may(writer, 'MemoryService/ImportMemories', { parent: 'namespaces/own', memories })).toBe('whole');
    expect(may(writer, 'MemoryService/ImportMemories', { parent: '', memories })).toBe('whole');
    expect(may(writer, 'MemoryService/ImportMemories', { parent: 'namespaces/other', memories })).toBe(
      'PERMISSION_MISSING',
    );
  });

  it('reads with focus › need write too', () => {
    const both = principal({ namespaces: ['own'], verbs: ['read', 'write'] });
    const get = { name: 'namespaces/own/memories/m', focus: true };
    const recall = { parent: 'namespaces/own', focus: true };
    for (const [method, request] of [
      ['MemoryService/GetMemory', get],
      ['RecallService/Recall', recall],
      ['RecallService/RecallStream', { query: recall }],
    ] as const) {
      expect([method, may(reader, method, request)]).toEqual([method, 'PERMISSION_MISSING']);
      expect([method, may(both, method, request)]).toEqual([method, 'whole']);
    }
    expect(may(reader, 'RecallService/Recall', { ...recall, focus: false })).toBe('whole');
  });

  it('resuming with a checkpoint, or with memories of a snapshot › needs delete too', () => {
    const writer = principal({ namespaces: ['own'], verbs: ['write'] });
    const both = principal({ namespaces: ['own'], verbs: ['write', 'delete'] });
    const plain = { session: 'namespaces/own/sessions/s', checkpointId: '', restoreMemories: false };
    expect(may(writer, 'LifecycleService/ResumeSession', plain)).toBe('whole');
    for (const more of [{ checkpointId: 'c' }, { restoreMemories: true }]) {
      expect(may(writer, 'LifecycleService/ResumeSession', { ...plain, ...more })).toBe('PERMISSION_MISSING');
      expect(may(both, 'LifecycleService/ResumeSession', { ...plain, ...more })).toBe('whole');
    }
  });

  it('two verbs with grants for scopes › limit the request to what lies in both', () => {
    const none = { project: '', agentType: '', agent: '', session: '' };
    const [p, q, ada] = [
      { ...none, project: 'p' },
      { ...none, project: 'q' },
      { ...none, agent: 'ada' },
    ];
    const recall = { parent: 'namespaces/own', focus: true };
    const limited = (...scopes: (typeof none)[]) =>
      principal(
        { namespaces: ['own'], verbs: ['read'], scopes: [p] },
        { namespaces: ['own'], verbs: ['write'], scopes },
      );
    expect(may(limited(q, ada), 'RecallService/Recall', recall)).toEqual(
      new Map([['own', [{ ...none, project: 'p', agent: 'ada' }]]]),
    );
    expect(may(limited(q), 'RecallService/Recall', recall)).toBe('PERMISSION_MISSING');
  });

  it('a method that is not in the table › PERMISSION_MISSING', () => {
    expect(may(reader, 'MemoryService/Unheard', {})).toBe('PERMISSION_MISSING');
  });

  it('every scope by the header "*" › only for administrators of the namespace', () => {
    const both = principal({ namespaces: ['own'], verbs: ['read', 'admin'] });
    const request = { name: 'namespaces/own/memories/m' };
    expect(may(reader, 'MemoryService/GetMemory', request, 'everything')).toBe('PERMISSION_MISSING');
    expect(may(both, 'MemoryService/GetMemory', request, 'everything')).toBe('whole');
  });

  it('grants for scopes › limit methods that see scopes, and allow no other', () => {
    const scope = { project: 'p', agentType: '', agent: '', session: '' };
    const scoped = principal({ namespaces: ['own'], verbs: ['read'], scopes: [scope] });
    expect(may(scoped, 'MemoryService/GetMemory', { name: 'namespaces/own/memories/m' })).toEqual(
      new Map([['own', [scope]]]),
    );
    expect(may(scoped, 'NamespaceService/GetNamespaceStatistics', { name: 'namespaces/own' })).toBe(
      'PERMISSION_MISSING',
    );
  });
});
