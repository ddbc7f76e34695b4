// A first look at Mneme. Start a server with `bin/mneme serve`, then: node clients/typescript/example.ts [address]
import { connect, where } from './src/index.ts';

const mneme = connect(process.argv[2], { namespace: 'example' });

// Each turn of a conversation is a memory of its session.
await mneme.batchStore([
  { text: 'I have played the cello since I was nine.', source: { speaker: 'Caroline' }, scope: { session: 'monday' } },
  { text: 'My sister prefers the drums.', source: { speaker: 'Mel' }, scope: { session: 'monday' } },
]);

// Observations and knowledge can carry content of any shape, and be found by it.
const door = await mneme.store({ type: 'state', content: { door: 'open', room: 'hall' }, importance: 0.8 });

// Recall returns the most relevant memories for a text, best first.
const { hits } = await mneme.recall({ text: 'Who plays an instrument?', limit: 2 });
for (const { score, memory } of hits) console.log(score.toFixed(3), memory.source.speaker, memory.text);

// Updates keep the former state; the version prevents overwriting another agent's change.
await mneme.update(door.id, { content: { door: 'closed', room: 'hall' } }, { ifVersion: door.version });
for await (const { change, memory } of mneme.listRevisions(door.id)) console.log(change, memory.content?.json());

// One filter serves recall, list, forget and export.
const { forgottenCount: count } = await mneme.forget({ filter: where.session.equals('monday') });
console.log('forgot', count);

await mneme.namespaces.delete('example', { force: true });
await mneme.close();
