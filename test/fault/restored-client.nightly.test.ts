import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { connect, type Mneme, type StandingAnswer, type WatchEvent } from '../../clients/typescript/src/index.ts';
import { type Link, openLink } from '../support/link.ts';
import { PATIENT_CLIENT } from '../support/patient.ts';
import { RestorableServer } from './restorable-server.ts';

let server: RestorableServer;
let link: Link;
let mneme: Mneme;
/** No connection leads to the server, also when it is there again. */
let isAway = false;
beforeEach(async () => {
  server = await RestorableServer.start();
  isAway = false;
  link = await openLink(() => (isAway ? '127.0.0.1:1' : server.address));
  mneme = connect(link.address, { ...PATIENT_CLIENT, namespace: 'n' });
});
afterEach(async () => {
  void mneme.close();
  await link.stop();
  await server.remove();
});

const PARENT = 'namespaces/n';
const numbered = (name: string, count: number) => Array.from({ length: count }, (_, at) => `tea ${name}${at}`);

/** State of a compliant reader after it has received a text. */
async function toldUntil(events: AsyncGenerator<WatchEvent>, texts: Set<string>, last: string): Promise<string[]> {
  const kinds: string[] = [];
  while (!texts.has(last)) {
    const { value: event, done } = await events.next();
    if (done) throw new Error('the watch has ended');
    if (event.kind === 'relisting') texts.clear();
    if ('memory' in event && event.memory) texts.add(event.memory.text);
    kinds.push(event.kind);
  }
  return kinds;
}

async function answerUntil(
  answers: AsyncGenerator<StandingAnswer>,
  isIt: (texts: string[]) => boolean,
): Promise<string[]> {
  for (;;) {
    const { value, done } = await answers.next();
    if (done) throw new Error('the subscription has ended');
    const texts = value.hits.map(({ memory }) => memory.text).sort();
    if (isIt(texts)) return texts;
  }
}

describe('client › the server comes back with an older copy of its data folder', () => {
  it.each([
    ['right away', 0],
    ['when as much was stored anew as was lost', 15],
  ])(
    '%s › a watch lists existing memories and continues, and no read waits for lost revisions',
    async (_, count) => {
      await server.store(PARENT, numbered('kept', 5));
      const copy = await server.copy();
      const events = mneme.watch({ progress: true });
      const texts = new Set(numbered('kept', 5));
      expect((await events.next()).value).toMatchObject({ kind: 'caught_up' });
      for (const text of numbered('lost', 10)) await mneme.store({ text });
      await toldUntil(events, texts, 'tea lost9');
      isAway = true;
      link.cut();
      await server.putBack(copy);
      await server.store(PARENT, numbered('new', count));
      isAway = false;
      const following = toldUntil(events, texts, 'tea last');
      const recalled = await mneme.recall({ text: 'tea', limit: 100, minRelevance: 0 }, { minRevision: 0 });
      expect(recalled.hits).toHaveLength(5 + count);
      await server.store(PARENT, ['tea last']);
      expect(await following).toContain('relisting');
      const present = [...numbered('kept', 5), ...numbered('new', count), 'tea last'];
      expect([...texts].sort()).toEqual(present.sort());
      // Like a reader that names no revision: earlier ones are not awaited.
      expect((await mneme.recall({ text: 'tea', limit: 100, minRelevance: 0 })).hits).toHaveLength(present.length);
      await events.return(undefined);
    },
    240_000,
  );

  it('a standing query › gets the current answer', async () => {
    await server.store(PARENT, numbered('kept', 2));
    const copy = await server.copy();
    const answers = mneme.subscribe({ text: 'tea', limit: 100 });
    for (const text of numbered('lost', 10)) await mneme.store({ text });
    await answerUntil(answers, (texts) => texts.length === 12);
    await server.putBack(copy);
    link.cut();
    expect(await answerUntil(answers, (texts) => texts.length < 12)).toEqual(numbered('kept', 2));
    await server.store(PARENT, ['tea new']);
    await answerUntil(answers, (texts) => texts.includes('tea new'));
    await answers.return(undefined);
  }, 240_000);
});
