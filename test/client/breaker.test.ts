import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { connect } from '../../clients/typescript/src/index.ts';
import { MnemeStore } from '../../clients/typescript/src/langgraph/index.ts';
import { MnemeSession } from '../../clients/typescript/src/openai-agents/index.ts';
import { MemoryManager, MnemeMemoryStore } from '../../clients/typescript/src/strands/index.ts';
import { startMneme } from '../cli/support/start-mneme.ts';
import { freePort } from '../support/free-port.ts';
import { agentOf } from './strands/support.ts';
import { cleanUp, onCleanUp } from './support/clean-up.ts';

afterEach(cleanUp);

/** Less than the deadline of a call, 10 s: the breaker ended it, however busy the machine is. */
const FIRST_MS = 9000;
/** Less than the breaker waits for a server: the call was not made. */
const AT_ONCE_MS = 900;

async function failedAfter(call: () => Promise<unknown>): Promise<{ ms: number; message: string }> {
  const startMs = performance.now();
  const error = await call().then(
    () => new Error('nothing failed'),
    (thrown: unknown) => thrown as Error,
  );
  return { ms: performance.now() - startMs, message: error.message };
}

describe('P6 a server that is away costs an agent a second, once', () => {
  it('refused › the first call of any adapter fails within a second, all others at once', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const session = new MnemeSession({ address });
    const store = new MnemeStore({ address });
    const strands = new MnemeMemoryStore({ name: 'notes', address, writable: true });
    onCleanUp(() => Promise.all([session.close(), store.stop(), strands.close()]));

    const first = await failedAfter(() => session.addItems([{ role: 'user', content: 'Hi' }]));
    const others = [
      await failedAfter(() => session.getItems()),
      await failedAfter(() => store.get(['a'], 'k')),
      await failedAfter(() => store.put(['a'], 'k', { x: 1 })),
      await failedAfter(() => strands.search('tea')),
      await failedAfter(() => strands.add('tea')),
      await failedAfter(() => strands.addMessages([{ role: 'user', content: [{ text: 'tea' }] }])),
    ];

    expect(first.message).toContain('is it running? (mneme serve)');
    expect(first.ms).toBeLessThan(FIRST_MS);
    for (const { ms, message } of others) {
      expect(message).toContain('no call is made for up to 5 s');
      expect(ms).toBeLessThan(AT_ONCE_MS);
    }
  });

  it('stopped and started again › calls fail at once until it is back, which is noticed', async () => {
    const port = await freePort();
    const listen = `127.0.0.1:${port}`;
    const data = await mkdtemp(join(tmpdir(), 'mneme-breaker-'));
    onCleanUp(() => rm(data, { recursive: true, force: true }));
    const server = await startMneme({ listen, data });
    const session = new MnemeSession({ address: listen });
    onCleanUp(() => session.close());
    await session.addItems([{ role: 'user', content: 'Hi' }]);
    await server.stop();

    const first = await failedAfter(() => session.getItems());
    const second = await failedAfter(() => session.getItems());
    const back = await startMneme({ listen, data });
    onCleanUp(() => back.stop());
    const watcher = connect(listen, { waitForReady: true });
    onCleanUp(() => watcher.close());
    await watcher.admin.getServerInfo();
    let items: unknown;
    while (items === undefined) {
      items = await session.getItems().catch(() => undefined);
      await new Promise((resolve) => setImmediate(resolve));
    }

    expect(first.ms).toBeLessThan(FIRST_MS);
    expect(second.ms).toBeLessThan(AT_ONCE_MS);
    expect(items).toMatchObject([{ role: 'user', content: 'Hi' }]);
  });

  it('silent › a call that gets no answer fails before its deadline, the next at once', async () => {
    const server = await startMneme();
    onCleanUp(() => server.stop());
    const session = new MnemeSession({ address: server.address });
    onCleanUp(() => session.close());
    await session.addItems([{ role: 'user', content: 'Hi' }]);

    server.signal('SIGSTOP');
    const first = await failedAfter(() => session.addItems([{ role: 'user', content: 'again' }]));
    const second = await failedAfter(() => session.addItems([{ role: 'user', content: 'again' }]));
    server.signal('SIGCONT');

    expect(first.message).toContain('did not answer within 1000 ms');
    expect(first.ms).toBeLessThan(FIRST_MS);
    expect(second.message).toContain('did not answer');
  });

  it('an agent of Strands › answers, and failures has what is not saved', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const manager = new MemoryManager({
      stores: [
        { name: 'notes', address, writable: true, extraction: true },
        { name: 'other', address },
      ],
    });
    onCleanUp(() => manager.close());
    const { agent } = agentOf(manager, ['ok', 'ok']);

    const startMs = performance.now();
    await agent.invoke('Who plays the cello?');
    await agent.invoke('And who sings?');
    await manager.flush();

    expect(performance.now() - startMs).toBeLessThan(FIRST_MS + 1000);
    expect(manager.failures.get('notes')).toContain('addMessages: ');
    expect(manager.failures.get('notes')).toContain('messages are not saved');
  });
});
