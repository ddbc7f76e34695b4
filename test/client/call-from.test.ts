import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type ConnectOptions, InvalidArgumentError, type Mneme } from '../../clients/typescript/src/index.ts';
import { type ServedMneme, serveMneme } from '../cli/support/serve-mneme.ts';
import { cleanUp, client } from './support/clean-up.ts';
import { collect } from './support/collect.ts';

// Every character that parts a header or a query is in a name here.
const ADA = { project: 'p&agent=bob', agentType: 'a=b %26', agent: 'ada, "æ🙂"' };

let server: ServedMneme;
beforeAll(async () => {
  server = await serveMneme();
  const owner = from(ADA);
  await owner.store({ text: 'tea of ada', id: 'ada', scope: ADA });
  await owner.store({ text: 'tea of all', id: 'all' });
  await owner.lifecycle.spawn({ sessionId: 's', scope: ADA, initialValues: { k: 'v' } });
  await owner.scopes.setPolicy(ADA, { isPrivate: true });
  await cleanUp();
});
afterAll(() => server.stop());
afterEach(cleanUp);

function from(callFrom?: ConnectOptions['callFrom']): Mneme {
  return client(server.address, callFrom === undefined ? {} : { callFrom });
}

const ids = (memories: readonly { id: string }[]) => memories.map(({ id }) => id).sort();

describe('client › callFrom', () => {
  it.each([
    ['the scope', ADA],
    ['a session within it', { ...ADA, session: 's' }],
    ['everywhere', '*'],
  ] as const)('%s › sees private memories', async (_, callFrom) => {
    const mneme = from(callFrom);

    expect(ids(await collect(mneme.list()))).toEqual(['ada', 'all']);
    expect(await mneme.get('ada')).toMatchObject({ text: 'tea of ada' });
    expect(await mneme.lifecycle.get('s')).toMatchObject({ state: 'active' });
  });

  it.each([
    ['nowhere', undefined],
    ['another agent', { ...ADA, agent: 'bob' }],
    ['its project', { project: ADA.project }],
    ['no part at all', {}],
  ] as const)('%s › sees nothing of it, in lists, by name, in recalls and of its sessions', async (_, callFrom) => {
    const mneme = from(callFrom);
    const refused = (call: Promise<unknown>) => expect(call).rejects;

    expect(ids(await collect(mneme.list()))).toEqual(['all']);
    const { hits } = await mneme.recall({ text: 'tea' });
    expect(ids(hits.map(({ memory }) => memory))).toEqual(['all']);
    await refused(mneme.get('ada')).toMatchObject({ reason: 'MEMORY_NOT_FOUND' });
    await refused(mneme.lifecycle.get('s')).toMatchObject({ reason: 'SESSION_NOT_FOUND' });
    expect(await mneme.session('s').get('k')).toEqual(await mneme.session('none').get('k'));
    expect(await collect(mneme.lifecycle.list())).toEqual([]);
  });

  it('a name that is too long › every call is refused, which names the header and the part', async () => {
    const error = await collect(from({ agent: 'x'.repeat(2000) }).list()).catch((failure: unknown) => failure);

    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({
      violations: [{ field: 'mneme-scope', description: expect.stringContaining('agent') }],
    });
  });

  it.each([
    ['a part that there is not', { agents: 'ada' } as never, 'callFrom.agents: unknown option, did you mean agent?'],
    ['a text in place of parts', 'agent=ada' as never, 'callFrom: must be an object'],
  ])('%s › the client is refused, which names the part', (_, callFrom, part) => {
    expect(() => from(callFrom)).toThrow(InvalidArgumentError);
    expect(() => from(callFrom)).toThrow(part);
  });

  it('a name that is not a text › is refused by its field before anything is sent', () => {
    expect(() => from({ agent: '\ud800' })).toThrow(/callFrom\.agent is not well-formed/);
  });
});
