// A small agent, the same in the clients of all languages: it stores, recalls, subscribes, keeps working memory, is
// paused and killed, and continues. `clients/example-output.txt` is its output.
//   node clients/typescript/agent-example.ts ADDRESS work      stays until it is killed
//   node clients/typescript/agent-example.ts ADDRESS resume
import { connect, where } from './src/index.ts';

const PLACES = ['harbour', 'market', 'museum', 'tower'];
const [address, command] = process.argv.slice(2);
const mneme = connect(address, { namespace: 'city' });
const session = mneme.session('tour');
const scope = { project: 'city', agentType: 'guide', agent: 'ada' };

if (command === 'work') await work();
else await resume();

async function work(): Promise<void> {
  await mneme.batchStore([
    { type: 'fact', text: 'The harbour has boats to the island every hour.', scope },
    { type: 'fact', text: 'The market sells fish and bread in the morning.', scope },
    { type: 'fact', text: 'The museum is closed on Mondays.', scope, tags: ['closed'] },
    { type: 'fact', text: 'The tower has 212 steps and a view of the city.', scope },
  ]);
  console.log('stored 4 memories');
  const { hits } = await mneme.recall({ text: 'When is the museum closed?', limit: 1 });
  console.log(`recalled: ${hits[0]?.memory.text}`);
  await followWhatIsClosed();

  await mneme.lifecycle.spawn({ sessionId: 'tour', scope, initialValues: { seen: [] } });
  await session.setTaskState({ description: 'plan a tour of the city', totalSteps: PLACES.length });
  await visit(2);
  const { checkpoint } = await mneme.lifecycle.pause('tour', { description: 'a night of sleep' });
  console.log(`paused: ${checkpoint.description}`);
  setInterval(() => {}, 60_000);
}

/** A standing recall: its answer first, then the changes. */
async function followWhatIsClosed(): Promise<void> {
  for await (const { hits, entered } of mneme.subscribe({ filter: where.tag.equals('closed') })) {
    if (entered.length === 0) continue;
    console.log(`${hits.length === 1 ? 'subscribed' : 'entered'}: ${entered[0]?.memory.text}`);
    if (hits.length === 2) return;
    await mneme.store({ type: 'fact', text: 'The market is closed on Sundays.', scope, tags: ['closed'] });
    console.log('stored 1 memory');
  }
}

async function resume(): Promise<void> {
  const { checkpoint, restoredCount } = await mneme.lifecycle.resume('tour');
  const task = await session.getTaskState();
  const step = `step ${task?.currentStep} of ${task?.totalSteps}`;
  console.log(`resumed: ${checkpoint.description}, ${restoredCount} value, ${step}`);
  await visit(2);
  const seen = await seenPlaces();
  const { episodeId = '' } = await mneme.lifecycle.terminate('tour', {
    lessons: ['the museum is worth an afternoon'],
    actions: seen.map((place) => `visited the ${place}`),
  });
  const { type } = await mneme.get(episodeId);
  console.log(`finished: ${seen.length} of ${PLACES.length} places, remembered as ${type}`);
  const { hits } = await mneme.recall({ text: 'What is worth an afternoon?', limit: 1, scope });
  console.log(`recalled: ${hits[0]?.memory.type}`);
  await mneme.close();
}

async function visit(count: number): Promise<void> {
  let seen = await seenPlaces();
  for (const place of PLACES.slice(seen.length, seen.length + count)) {
    seen = [...seen, place];
    await session.appendScratchpad(`the ${place} is worth a visit`);
    await session.set('seen', seen);
    await session.updateTaskProgress({ currentStep: seen.length });
    console.log(`step ${seen.length}: the ${place}`);
  }
}

async function seenPlaces(): Promise<readonly string[]> {
  return ((await session.get('seen'))?.value.json() ?? []) as readonly string[];
}
