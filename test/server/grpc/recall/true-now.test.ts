import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cleanUp, client, onCleanUp } from '../../../client/support/clean-up.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  onCleanUp(() => server.stop());
});
afterAll(cleanUp);

describe('what is true now', () => {
  it('a newer statement in other words › comes first, and outdates the older one', async () => {
    const mneme = client(server.address).withNamespace('work');
    await mneme.store({ text: 'Lena works at Bosch as a test engineer.', eventTime: new Date('2026-10-20') });
    await mneme.store({ text: 'Lena started at Siemens today.', eventTime: new Date('2026-11-09') });
    await mneme.store({ text: 'Lena likes tea.', eventTime: new Date('2026-11-10') });
    const { hits } = await mneme.recall({ text: 'Where does Lena work?' });
    expect(hits.slice(0, 2).map(({ memory, outdatedBy }) => [memory.text, outdatedBy])).toEqual([
      ['Lena started at Siemens today.', undefined],
      ['Lena works at Bosch as a test engineer.', hits[0]?.memory.name],
    ]);
    const before = await mneme.recall({ text: 'Where did Lena work before?' });
    expect(before.hits[0]?.memory.text).toBe('Lena works at Bosch as a test engineer.');
    expect(before.hits.every(({ outdatedBy }) => outdatedBy === undefined)).toBe(true);
  });

  it('a question that describes something › is answered with its name, and explained', async () => {
    const mneme = client(server.address).withNamespace('dog');
    for (const text of [
      'Our dog is called Balu.',
      'Balu eats chicken only.',
      'Hazelnuts are in the cupboard.',
      'I like dogs.',
    ])
      await mneme.store(text);
    const { hits } = await mneme.recall({ text: 'What does the dog like to eat?', explain: true });
    expect(hits[0]?.memory.text).toBe('Balu eats chicken only.');
    expect(hits[0]?.components.map(({ name }) => name)).toContain('further step');
  });
});
