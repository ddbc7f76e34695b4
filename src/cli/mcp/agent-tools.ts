import * as z from 'zod';
import { callAgentTool } from '../../../clients/typescript/src/index.ts';
import { ADDS, READS, type Tool } from './tool.ts';

/** Tools of agents that the client itself serves; `clients/typescript/src/agent-tools.ts` has what they do. */

const PROCEDURES_MAX = 20;
/** Episodes that the text of an insight names. */
const CITED = 3;

const procedureSchema = z.object({
  id: z.string(),
  text: z.string(),
  relevance: z.number().describe('Probability that it fits the situation, 0 to 1.'),
  score: z.number().describe('Relevance times success rate.'),
  success_rate: z.number().describe('0.5 without outcomes.'),
  success_count: z.number().int().optional(),
  failure_count: z.number().int().optional(),
  partial_count: z.number().int().optional(),
  notes: z.array(z.string()).optional().describe('Notes of the last outcomes, the newest last.'),
});
const searchInput = z.strictObject({
  situation: z.string().min(1).describe('What is to be done, in a sentence.'),
  limit: z.number().int().min(1).max(PROCEDURES_MAX).optional().describe('Most procedures to return. Default 5.'),
});
const searchOutput = z.object({ procedures: z.array(procedureSchema).describe('Best first.') });

export const searchProceduresTool: Tool<typeof searchInput, typeof searchOutput> = {
  name: 'search_procedures',
  title: 'Search procedures',
  description:
    'Find remembered procedures that tell how to do something, those that fit and succeed first, with how they went.',
  annotations: READS,
  aliases: { query: 'situation', text: 'situation' },
  input: searchInput,
  output: searchOutput,
  async run(mneme, input, options) {
    const structured = searchOutput.parse(await callAgentTool(mneme, 'search_procedures', input, options));
    const lines = structured.procedures.map(
      ({ id, text, success_rate: rate }) =>
        `- ${text.replaceAll('\n', '\n  ')}\n  (id ${id}, success rate ${rate.toFixed(2)})`,
    );
    return { text: lines.length === 0 ? 'No procedure fits.' : lines.join('\n'), structured };
  },
};

const outcomeInput = z.strictObject({
  procedure_id: z.string().min(1).describe('Id of the procedure, as search_procedures returns it.'),
  outcome: z.enum(['success', 'failure', 'partial']).describe('How it went.'),
  note: z.string().min(1).optional().describe('What is worth knowing about it.'),
});
const outcomeOutput = z.object({
  id: z.string(),
  success_rate: z.number(),
  success_count: z.number().int(),
  failure_count: z.number().int(),
  partial_count: z.number().int(),
});

export const recordOutcomeTool: Tool<typeof outcomeInput, typeof outcomeOutput> = {
  name: 'record_outcome',
  title: 'Record an outcome',
  description: 'Record how following a procedure went, so that procedures that work are found first.',
  annotations: ADDS,
  input: outcomeInput,
  output: outcomeOutput,
  async run(mneme, input, options) {
    const structured = outcomeOutput.parse(await callAgentTool(mneme, 'record_outcome', input, options));
    return { text: `Recorded; success rate ${structured.success_rate.toFixed(2)}.`, structured };
  },
};

const INSIGHTS_MAX = 50;
const reflectInput = z.strictObject({
  task: z.string().min(1).optional().describe('Only episodes whose task has these words.'),
  since: z.string().optional().describe('Only episodes from this time on. Default: the last 30 days.'),
  until: z.string().optional().describe('Only episodes before this time. Default: now.'),
  limit: z.number().int().min(1).max(INSIGHTS_MAX).optional().describe('Most insights to return. Default 10.'),
});
const insightSchema = z.object({
  kind: z.string().describe('warning, recommendation, learning, optimization or trend.'),
  text: z.string(),
  confidence: z.number().describe('0 to 1.'),
  support_count: z.number().int().describe('Number of episodes that it stands on.'),
  episode_ids: z.array(z.string()).describe('Some of these episodes, the newest first.'),
});
const reflectOutput = z.object({
  episode_count: z.number().int(),
  success_count: z.number().int(),
  failure_count: z.number().int(),
  partial_count: z.number().int(),
  insights: z.array(insightSchema).describe('Warnings first.'),
});

export const reflectTool: Tool<typeof reflectInput, typeof reflectOutput> = {
  name: 'reflect',
  title: 'Reflect',
  description:
    'Look for patterns in the recorded episodes of work: what goes with success, what keeps failing, what is unusual, which ' +
    'lessons repeat. Use it before a task like earlier ones. Computed from the episodes; no insight means that nothing is clearer than chance.',
  annotations: READS,
  input: reflectInput,
  output: reflectOutput,
  async run(mneme, input, options) {
    const structured = reflectOutput.parse(await callAgentTool(mneme, 'reflect', input, options));
    const { episode_count: episodes, success_count: successes, failure_count: failures, insights } = structured;
    const lines = insights.map(
      ({ kind, text, episode_ids: ids }) => `- ${kind}: ${text} (ids ${ids.slice(0, CITED).join(', ')})`,
    );
    const found = insights.length === 0 ? ['No pattern is clearer than chance.'] : lines;
    return {
      text: [`${episodes} episodes, ${successes} succeeded, ${failures} failed.`, ...found].join('\n'),
      structured,
    };
  },
};

const statsInput = z.strictObject({});
const statsOutput = z.object({
  memory_count: z.number().int(),
  content_bytes: z.number().int(),
  types: z.array(z.object({ type: z.string(), memory_count: z.number().int() })).describe('Most first.'),
  tiers: z.array(z.object({ tier: z.string(), memory_count: z.number().int() })),
});

export const memoryStatsTool: Tool<typeof statsInput, typeof statsOutput> = {
  name: 'get_memory_stats',
  title: 'Get statistics',
  description: 'Tell how many memories there are, of which types, and in which tiers.',
  annotations: READS,
  input: statsInput,
  output: statsOutput,
  async run(mneme, input, options) {
    const structured = statsOutput.parse(await callAgentTool(mneme, 'get_memory_stats', input, options));
    const types = structured.types.map(({ type, memory_count: count }) => `${type} ${count}`);
    return { text: `${structured.memory_count} memories: ${types.join(', ') || 'none'}`, structured };
  },
};
