import { z } from 'zod';
import { Content, type Embedding, type ImportedMemory, PreciseDate } from '../../clients/typescript/src/index.ts';
import { CommandFailure } from './failure.ts';
import type { JsonLine } from './json-lines.ts';

const time = z.string().transform((text, context) => {
  try {
    return PreciseDate.from(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'expected an ISO 8601 time' });
    return z.NEVER;
  }
});

const content = z
  .union([
    z.strictObject({ mediaType: z.string(), text: z.string() }),
    z.strictObject({ mediaType: z.string(), data: z.base64() }),
    z.strictObject({ json: z.json() }),
  ])
  .transform((given) => {
    if ('json' in given) return Content.json(given.json);
    return new Content(given.mediaType, 'text' in given ? given.text : Buffer.from(given.data, 'base64'));
  });

const embedding = z
  .union([
    z.strictObject({ model: z.string(), values: z.array(z.number()) }),
    z.strictObject({ model: z.string(), data: z.base64(), dimension: z.number().exactOptional() }),
  ])
  .transform((given): Embedding => {
    if ('values' in given) return given;
    const bytes = Buffer.from(given.data, 'base64');
    const values = new Float32Array(Math.floor(bytes.length / 4));
    for (const index of values.keys()) values[index] = bytes.readFloatLE(index * 4);
    return { model: given.model, values };
  });

const text = z.string().exactOptional();
const number = z.number().exactOptional();
const point = z.strictObject({ x: z.number(), y: z.number(), z: number });

/** Strict, because a misspelt key would otherwise be lost without a word. What only the server decides is passed over. */
const memory = z.strictObject({
  id: text,
  type: text,
  text,
  scope: z.strictObject({ project: text, agentType: text, agent: text, session: text }).exactOptional(),
  step: z.int().exactOptional(),
  eventTime: time.exactOptional(),
  createTime: time.exactOptional(),
  updateTime: time.exactOptional(),
  content: content.exactOptional(),
  tags: z.array(z.string()).exactOptional(),
  embedding: embedding.exactOptional(),
  place: z
    .strictObject({
      point: point.exactOptional(),
      geo: z.strictObject({ latitudeDeg: z.number(), longitudeDeg: z.number() }).exactOptional(),
      location: text,
      room: text,
      region: text,
    })
    .exactOptional(),
  importance: number,
  priority: number,
  source: z.strictObject({ speaker: text, uri: text, origin: text }).exactOptional(),
  retrievalCount: z.int().exactOptional(),
  lastAccessTime: time.exactOptional(),
  expireTime: time.exactOptional(),
  validFrom: time.exactOptional(),
  validUntil: time.exactOptional(),
  supersededBy: text,
  compaction: z
    .strictObject({
      checksum: z.string(),
      contentBytes: z.int(),
      droppedKeys: z.array(z.string()),
      decimals: z.int().exactOptional(),
    })
    .exactOptional(),
  ...Object.fromEntries(
    ['name', 'namespace', 'tier', 'checksum', 'etag', 'revision'].map((key) => [key, z.unknown().exactOptional()]),
  ),
});

/** Reads a line of an import file called `name`. */
export function parseMemoryLine({ line, number }: JsonLine, name: string): ImportedMemory {
  const at = `${name}:${number}`;
  if (line === undefined) throw new CommandFailure(`${at}: not UTF-8`);
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (cause) {
    throw new CommandFailure(`${at}: not JSON: ${(cause as Error).message}`, { cause });
  }
  const parsed = memory.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new CommandFailure(`${at}: ${[...(issue?.path ?? []), ''].join('.').replace(/\.$/, ': ')}${issue?.message}`);
  }
  return parsed.data;
}
