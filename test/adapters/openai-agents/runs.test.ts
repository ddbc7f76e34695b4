import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, MemorySession, run, setTracingDisabled, tool } from '@openai/agents';
import { connect } from '../../../clients/typescript/src/index.ts';
import { MnemeSession } from '../../../clients/typescript/src/openai-agents/index.ts';
import { example } from './example.ts';
import { ScriptedModel, startKeptServer, TestServer, type Turn } from './support.ts';

setTracingDisabled(true);

const weather = tool({
  name: 'weather',
  description: 'Weather of a city.',
  strict: true,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  execute: (input) => `sunny in ${JSON.stringify(input)}`,
});

function agentOf(...turns: Turn[]): { readonly agent: Agent; readonly model: ScriptedModel } {
  const model = new ScriptedModel(...turns);
  return { agent: new Agent({ name: 'Assistant', model, tools: [weather] }), model };
}

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start(['--embedder', 'static']);
}, 60_000);
afterAll(() => server.stop());

describe('runs of agents', () => {
  it('see what the MemorySession of the SDK shows, also after a run that failed', async () => {
    const seen = [];
    const kept = [];
    for (const session of [server.session(), new MemorySession()]) {
      const { agent, model } = agentOf(
        { tool: 'weather', input: { city: 'Bern' } },
        'It is sunny.',
        new Error('the model is away'),
        'You asked about Bern.',
      );
      const first = await run(agent, 'How is the weather in Bern?', { session });
      expect(first.finalOutput).toBe('It is sunny.');
      await expect(run(agent, 'Why?', { session })).rejects.toThrow('the model is away');
      const last = await run(agent, 'Which city?', { session });
      expect(last.finalOutput).toBe('You asked about Bern.');
      seen.push(model.seen);
      kept.push(await session.getItems());
    }
    expect(seen[0]).toEqual(seen[1]);
    expect(kept[0]).toEqual(kept[1]);
  }, 30_000);

  it('of one session at once lose nothing', async () => {
    const session = server.session();
    const places = [0, 1, 2, 3, 4, 5];
    await Promise.all(places.map((place) => run(agentOf(`answer ${place}`).agent, `question ${place}`, { session })));
    const said = JSON.stringify(await session.getItems());
    expect(await session.getItems()).toHaveLength(12);
    for (const place of places) {
      expect(said).toContain(`"question ${place}"`);
      expect(said).toContain(`"answer ${place}"`);
    }
  }, 30_000);

  it('are remembered, for the owner in the context of the run', async () => {
    const client = server.client();
    const session = new MnemeSession<{ user: string }>({
      client,
      scope: (given) => given && { agent: given.context.user },
    });
    await run(agentOf('Noted.').agent, 'I moved to Bern in May.', { session, context: { user: 'caroline' } });
    expect(await client.conversations.flush({}, { timeoutMs: 20_000 })).toMatchObject({ complete: true });
    const { hits } = await client.recall({ text: 'Which city does the user live in?', limit: 5 });
    expect(hits.map(({ memory }) => memory.type)).toEqual(expect.arrayContaining(['fact', 'message']));
    expect(new Set(hits.map(({ memory }) => memory.scope.agent))).toEqual(new Set(['caroline']));
  }, 30_000);

  it('go on after the server was killed, and fail while it is away', async () => {
    const data = await mkdtemp(join(tmpdir(), 'mneme-sessions-'));
    let running = await startKeptServer(data);
    const { address } = running;
    const client = connect(address, { waitForReady: true });
    const session = new MnemeSession({ client, sessionId: 's1' });
    const { agent, model } = agentOf('one', 'two', 'three');
    try {
      for (const question of ['1?', '2?']) {
        await run(agent, question, { session });
        running.process.kill('SIGKILL');
        await running.stop();
        running = await startKeptServer(data, address);
      }
      expect((await run(agent, '3?', { session })).finalOutput).toBe('three');
      expect(model.seen.map((input) => input.length)).toEqual([1, 3, 5]);
    } finally {
      await running.stop();
    }
    const away = new MnemeSession({ client, sessionId: 's1', timeoutMs: 200 });
    await expect(run(agent, '4?', { session: away })).rejects.toThrow();
    expect(model.seen).toHaveLength(3);
    await client.close();
    await rm(data, { recursive: true, force: true });
  }, 60_000);

  it('the example runs', async () => {
    const lines = await example(server.address, new ScriptedModel('Noted.', 'You live in Bern.'));
    expect(lines[1]).toBe('Where do I live? -> You live in Bern.');
    expect(lines[2]).toContain('Bern');
  }, 30_000);
});
