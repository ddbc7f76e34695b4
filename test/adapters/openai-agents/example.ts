import { Agent, type Model, run } from '@openai/agents';
import { connect } from '../../../clients/typescript/src/index.ts';
import { MnemeSession } from '../../../clients/typescript/src/openai-agents/index.ts';

/** An agent whose session lives in Mneme, and what is remembered of it. */
export async function example(address: string, model: Model): Promise<string[]> {
  const client = connect(address, { namespace: 'example' });
  const agent = new Agent({ name: 'Assistant', model });
  const session = new MnemeSession({ client, sessionId: 'caroline-1', endOfInvocation: true });
  const lines: string[] = [];
  for (const question of ['I moved to Bern in May.', 'Where do I live?']) {
    const { finalOutput } = await run(agent, question, { session });
    lines.push(`${question} -> ${finalOutput}`);
  }
  await client.conversations.flush({}, { timeoutMs: 10_000 });
  const { hits } = await client.recall({ text: 'Which city does the user live in?', limit: 1 });
  lines.push(`remembered: ${hits[0]?.memory.text}`);
  await client.close();
  return lines;
}
