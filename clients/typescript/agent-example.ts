// An agent that works through a list in steps, and goes on where it was when it is started again:
//   node clients/typescript/agent-example.ts ADDRESS SESSION work STEPS | resume STEPS | finish
import { connect } from './src/index.ts';

const PLACES = ['harbour', 'market', 'museum', 'tower', 'bridge', 'garden'];
const [address, id = 'tour', command = 'work', steps = '6'] = process.argv.slice(2);
const mneme = connect(address, { namespace: 'demo' });
const session = mneme.session(id);

if (command === 'work') {
  await mneme.lifecycle.spawn({
    sessionId: id,
    scope: { project: 'city', agentType: 'guide', agent: 'ada' },
    initialValues: { seen: [] },
  });
  await session.setTaskState({ description: 'plan a tour of the city', totalSteps: PLACES.length });
}
if (command === 'resume') {
  const { restoredCount, checkpoint } = await mneme.lifecycle.resume(id);
  const task = await session.getTaskState();
  console.log(`resumed from ${checkpoint.description}: values: ${restoredCount}, step ${task?.currentStep}`);
}
if (command === 'finish') {
  const seen = (await session.get('seen'))?.value.json() as readonly string[];
  const { episodeId } = await mneme.lifecycle.terminate(id, {
    lessons: ['the museum is closed on Mondays'],
    actions: seen.map((place) => `visited the ${place}`),
  });
  console.log(`finished ${seen.length} of ${PLACES.length} places, remembered as ${episodeId}`);
} else {
  await workOn(Number(steps));
  if (command === 'work') await mneme.lifecycle.pause(id, { description: 'a night of sleep' });
  console.log('ready');
  // An agent that is at work does not end by itself.
  if (command === 'work') setInterval(() => {}, 60_000);
}
if (command !== 'work') mneme.close();

async function workOn(count: number): Promise<void> {
  const seen = ((await session.get('seen'))?.value.json() ?? []) as readonly string[];
  const next = PLACES.slice(seen.length, seen.length + count);
  for (const [at, place] of next.entries()) {
    await session.appendScratchpad(`the ${place} is worth a visit`);
    await session.set('seen', [...seen, ...next.slice(0, at + 1)]);
    await session.updateTaskProgress({ currentStep: seen.length + at + 1 });
    console.log(`step ${seen.length + at + 1}: the ${place}`);
  }
}
