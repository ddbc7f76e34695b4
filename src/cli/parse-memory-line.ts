import { z } from 'zod';
import { Content, type Embedding, type ImportedMemory } from '../../clients/typescript/src/index.ts';
import { nearestOf } from '../memory/nearest-name.ts';
import { CommandFailure } from './failure.ts';
import type { JsonLine } from './json-lines.ts';
import { isoTime } from './time-words.ts';

const time = z.string().transform((text, context) => {
  const found = isoTime(text);
  if (found) return found;
  context.addIssue({ code: 'custom', message: 'expected an ISO 8601 time, such as 2026-11-01T15:30:00Z' });
  return z.NEVER;
});

const content = z
  .union(
    [
      z.strictObject({ mediaType: z.string(), text: z.string() }),
      z.strictObject({ mediaType: z.string(), data: z.base64() }),
      z.strictObject({ json: z.json() }),
    ],
    {
      error: 'expected {"json": value}, {"mediaType", "text"} or {"mediaType", "data"}; plain language goes into text',
    },
  )
  .transform((given) => {
    if ('json' in given) return Content.json(given.json);
    return new Content(given.mediaType, 'text' in given ? given.text : Buffer.from(given.data, 'base64'));
  });

const embedding = z
  .union(
    [
      z.strictObject({ model: z.string(), values: z.array(z.number()) }),
      z.strictObject({ model: z.string(), data: z.base64(), dimension: z.number().exactOptional() }),
    ],
    { error: 'expected {"model", "values"} or {"model", "data"}' },
  )
  .transform((given): Embedding => {
    if ('values' in given) return given;
    const bytes = Buffer.from(given.data, 'base64');
    const values = new Float32Array(Math.floor(bytes.length / 4));
    for (const index of values.keys()) values[index] = bytes.readFloatLE(index * 4);
    return { model: given.model, values };
  });

const text = z.string().exactOptional();
const number = z.number().exactOptional();

const scope = z.strictObject({ project: text, agentType: text, agent: text, session: text });
const source = z.strictObject({ speaker: text, uri: text, origin: text });
const place = z.strictObject({
  point: z.strictObject({ x: z.number(), y: z.number(), z: number }).exactOptional(),
  geo: z.strictObject({ latitudeDeg: z.number(), longitudeDeg: z.number() }).exactOptional(),
  location: text,
  room: text,
  region: text,
});

const fields = {
  id: text,
  type: text,
  text,
  scope: scope.exactOptional(),
  step: z.int().exactOptional(),
  eventTime: time.exactOptional(),
  createTime: time.exactOptional(),
  updateTime: time.exactOptional(),
  content: content.exactOptional(),
  tags: z.array(z.string()).exactOptional(),
  embedding: embedding.exactOptional(),
  place: place.exactOptional(),
  importance: number,
  priority: number,
  source: source.exactOptional(),
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
};

/** What `--json` adds to a memory and only the server decides: passed over. */
const DECIDED_BY_SERVER = ['name', 'namespace', 'tier', 'checksum', 'etag', 'revision'];

/** Strict, because a misspelt key would otherwise be lost without a word. */
const memory = z.strictObject({
  ...fields,
  ...Object.fromEntries(DECIDED_BY_SERVER.map((key) => [key, z.unknown().exactOptional()])),
});

/** Keys as they are written in paths, such as `source.speaker`. */
const PATHS = [
  ...Object.keys(fields),
  ...Object.entries({ scope, source, place }).flatMap(([key, { shape }]) =>
    Object.keys(shape).map((inner) => `${key}.${inner}`),
  ),
];

/** Reads a line of an import file called `name`. */
export function parseMemoryLine({ line, number: lineNumber }: JsonLine, name: string): ImportedMemory {
  const at = `${name}:${lineNumber}`;
  if (line === undefined) throw new CommandFailure(`${at}: not UTF-8`);
  if (line.trimStart().startsWith('['))
    throw new CommandFailure(`${at}: ${NOT_LINES} an array: jq -c '.[]' makes lines of it`);
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch (cause) {
    const isCut = line.trim() === '{';
    const what = isCut
      ? `${NOT_LINES} one over several lines: jq -c . makes one line of it`
      : `not JSON: ${(cause as Error).message}`;
    throw new CommandFailure(`${at}: ${what}`, { cause });
  }
  const parsed = memory.safeParse(json);
  if (!parsed.success) throw new CommandFailure(`${at}: ${faultOf(parsed.error.issues[0])}`);
  return parsed.data;
}

const NOT_LINES = 'expected one JSON object a line, got';

function faultOf(issue: z.core.$ZodIssue | undefined): string {
  const path = (issue?.path ?? []).join('.');
  if (issue?.code === 'unrecognized_keys') return unknownKey(path, issue.keys[0] ?? '');
  const message = (issue?.message ?? '').replace(/^Invalid input: /, '');
  return path === '' ? `expected one JSON object a line: ${message}` : `${path}: ${message}`;
}

/** A key of another object is named by its path, such as `source.speaker` for `speaker`. */
function unknownKey(path: string, key: string): string {
  const full = path === '' ? key : `${path}.${key}`;
  const elsewhere = PATHS.find((known) => known.endsWith(`.${key}`));
  const meant = elsewhere ?? nearestOf(full, PATHS, (nearest) => nearest);
  return `${full} is not a key of a memory${meant === '' ? '; docs/cli.md lists the keys' : `; did you mean ${meant}?`}`;
}
