import type { TestRandom } from '../../test/support/random.ts';
import { FILLERS, PHRASES } from './phrases.ts';

/** Memories as agents store them: what someone says, and JSON of the shapes that agent frameworks write. */
export function sampleOf(random: TestRandom, sentences: readonly string[]): { text: string; json?: string } {
  const make = random.pick([spoken, spoken, message, state, action, interaction, toolCall, document]);
  const said = (count: number) =>
    Array.from({ length: count }, () =>
      filled(random, random.chance(0.8) ? random.pick(PHRASES) : random.pick(sentences)),
    ).join(' ');
  const { text, content } = make(random, said);
  return content === undefined ? { text } : { text, json: JSON.stringify(content) };
}

type Said = (count: number) => string;
type Sample = { text: string; content?: unknown };

function spoken(random: TestRandom, said: Said): Sample {
  return { text: said(1 + random.int(6)) };
}

function message(random: TestRandom, said: Said): Sample {
  const content = said(1 + random.int(4));
  const role = random.pick(['user', 'assistant', 'system', 'tool']);
  return {
    text: random.chance(0.5) ? content : '',
    content: random.pick([
      { role, content, name: random.pick(FILLERS['name'] ?? []), timestamp: instant(random), id: uuid(random) },
      {
        role,
        content: [{ type: 'text', text: content }],
        metadata: { session_id: uuid(random), source: 'chat', model: 'gpt-4o' },
      },
      { speaker: random.pick(FILLERS['name'] ?? []), text: content, turn_id: random.int(400), date: instant(random) },
      { type: 'human', data: { content, additional_kwargs: {}, response_metadata: {}, type: 'human', example: false } },
    ]),
  };
}

function state(random: TestRandom): Sample {
  const state = {
    agent_id: `agent-${random.int(100)}`,
    step_number: random.int(5000),
    position: random.pick([
      { x: decimal(random, 100), y: decimal(random, 100), room: random.pick(FILLERS['place'] ?? []) },
      [decimal(random, 100), decimal(random, 100)],
    ]),
    health: decimal(random, 1),
    energy: random.int(100),
    resource_level: decimal(random, 20),
    inventory: ['wood', 'stone', 'food', 'water', 'key'].slice(random.int(4)),
    goals: [
      {
        id: `goal-${random.int(10)}`,
        status: random.pick(['active', 'completed', 'pending']),
        priority: decimal(random, 1),
      },
    ],
    reward: decimal(random, 10),
    metadata: {
      type: 'state',
      importance: random.pick(['low', 'medium', 'high']),
      tags: ['simulation', 'agent'],
      source: 'environment',
    },
  };
  return { text: '', content: state };
}

function action(random: TestRandom): Sample {
  return {
    text: '',
    content: {
      action_type: random.pick(['move', 'gather', 'trade', 'attack', 'share', 'reproduce', 'wait']),
      action_params: {
        direction: random.pick(['north', 'south', 'east', 'west']),
        speed: decimal(random, 2),
        target: null,
      },
      state_before: {
        health: decimal(random, 1),
        energy: random.int(100),
        position_x: decimal(random, 90),
        position_y: decimal(random, 90),
      },
      state_after: {
        health: decimal(random, 1),
        energy: random.int(100),
        position_x: decimal(random, 90),
        position_y: decimal(random, 90),
      },
      reward: decimal(random, 5),
      execution_time: decimal(random, 1),
      success: random.chance(0.8),
      timestamp: instant(random),
    },
  };
}

function interaction(random: TestRandom, said: Said): Sample {
  return {
    text: said(1),
    content: {
      interaction_type: random.pick(['dialog', 'trade', 'conflict', 'cooperation']),
      entities: [`agent-${random.int(100)}`, `agent-${random.int(100)}`],
      initiator: `agent-${random.int(100)}`,
      dialog: [{ speaker: random.pick(FILLERS['name'] ?? []), text: said(1) }],
      outcome: random.pick(['accepted', 'rejected', 'neutral', 'positive', 'negative']),
      duration_ms: random.int(90_000),
    },
  };
}

function toolCall(random: TestRandom, said: Said): Sample {
  return {
    text: said(1),
    content: {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: `call_${uuid(random).slice(0, 8)}`,
          type: 'function',
          function: {
            name: random.pick(['search', 'read_file', 'get_weather', 'send_email']),
            arguments: JSON.stringify({ query: said(1), limit: 10 }),
          },
        },
      ],
      usage: { prompt_tokens: random.int(4000), completion_tokens: random.int(800), total_tokens: random.int(5000) },
      status: random.pick(['ok', 'error', 'completed', 'failed', 'in_progress']),
      created_at: instant(random),
    },
  };
}

function document(random: TestRandom, said: Said): Sample {
  return {
    text: said(3 + random.int(8)),
    content: {
      title: said(1),
      url: `https://example.com/docs/${uuid(random)}`,
      content: said(3),
      language: 'en',
      description: '',
      chunk_index: random.int(40),
    },
  };
}

function filled(random: TestRandom, phrase: string): string {
  return phrase.replace(/\{(\w+)\}/g, (_, slot: string) => random.pick(FILLERS[slot] ?? ['it']));
}

function decimal(random: TestRandom, below: number): number {
  return Number((random.next() * below).toFixed(random.int(6)));
}

function instant(random: TestRandom): string {
  return new Date(1_700_000_000_000 + random.int(90_000_000) * 1000).toISOString();
}

function uuid(random: TestRandom): string {
  return 'xxxxxxxx-xxxx-7xxx-8xxx-xxxxxxxxxxxx'.replace(/x/g, () => random.int(16).toString(16));
}
