import { z } from 'zod';
import { brokenTextIn } from '../../clients/typescript/src/broken-texts.ts';
import { Content, type Embedding, type ImportedMemory, type Json } from '../../clients/typescript/src/index.ts';
import { isRecord } from '../../clients/typescript/src/tool-arguments.ts';
import { jsonFault, parseNewJson } from '../memory/json.ts';
import { nearestOf } from '../memory/nearest-name.ts';
import { CommandFailure } from './failure.ts';
import type { JsonLine } from './json-lines.ts';
import { isoTime } from './parse-flag.ts';

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
      z.strictObject({ json: z.custom<Json>((value) => value !== undefined) }),
    ],
    {
      error: 'expected {"json": value}, {"mediaType", "text"} or {"mediaType", "data"}; plain language goes into text',
    },
  )
  .transform((provided) => {
    if ('json' in provided) return Content.json(provided.json);
    return new Content(provided.mediaType, 'text' in provided ? provided.text : Buffer.from(provided.data, 'base64'));
  });

const embedding = z
  .union(
    [
      z.strictObject({ model: z.string(), values: z.array(z.number()) }),
      z.strictObject({ model: z.string(), data: z.base64(), dimension: z.number().exactOptional() }),
    ],
    { error: 'expected {"model", "values"} or {"model", "data"}' },
  )
  .transform((provided): Embedding => {
    if ('values' in provided) return provided;
    const bytes = Buffer.from(provided.data, 'base64');
    const values = new Float32Array(Math.floor(bytes.length / 4));
    for (const index of values.keys()) values[index] = bytes.readFloatLE(index * 4);
    return { model: provided.model, values };
  });

const TEXT_BYTES_MAX = 1_048_576;

const text = z.string().exactOptional();
const number = z.number().exactOptional();
/** Checked here as well as by the server: so long a line is not sent at all. */
const longText = z
  .string()
  .refine((value) => Buffer.byteLength(value) <= TEXT_BYTES_MAX, {
    error: ({ input }) => `must be at most ${TEXT_BYTES_MAX} bytes of UTF-8, got ${Buffer.byteLength(String(input))}`,
  })
  .exactOptional();
const id = z
  .string()
  .regex(/^[A-Za-z0-9._~:-]{1,128}$/, 'must be 1 to 128 of [A-Za-z0-9._~:-]')
  .exactOptional();
const share = z.number().min(0, 'must be 0 to 1').max(1, 'must be 0 to 1').exactOptional();

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
  id,
  type: text,
  text: longText,
  scope: scope.exactOptional(),
  step: z.int().exactOptional(),
  eventTime: time.exactOptional(),
  createTime: time.exactOptional(),
  updateTime: time.exactOptional(),
  content: content.exactOptional(),
  tags: z.array(z.string()).exactOptional(),
  embedding: embedding.exactOptional(),
  place: place.exactOptional(),
  importance: share,
  priority: share,
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

/** Fields that `--json` adds to a memory and only the server sets: ignored. */
const DECIDED_BY_SERVER = ['name', 'namespace', 'tier', 'checksum', 'version'];

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

/** An invalid line of a file: `memories.jsonl:3:17: ...`. */
export class LineFault extends CommandFailure {
  constructor(name: string, { line, column, what }: { line: number; column?: number; what: string }) {
    super(`${name}:${line}:${column === undefined ? '' : `${column}:`} ${what}`);
  }
}

/** A parsed line: the memory, and its JSON. */
export interface MemoryLine {
  readonly number: number;
  readonly memory: ImportedMemory;
  readonly json: Readonly<Record<string, unknown>>;
}

/**
 * Reads a line of a file called `name`; fails with LineFault, whose column counts UTF-16 code units from 1. A fault of a
 * value has the column of its key.
 */
export function parseMemoryLine({ line, fault, number: lineNumber }: JsonLine, name: string): MemoryLine {
  const failed = (what: string, column?: number) => new LineFault(name, { line: lineNumber, column, what });
  if (line === undefined) throw failed(fault ?? 'cannot be read');
  const json = readJson(line, failed);
  const broken = brokenTextIn(withoutJsonContent(json));
  if (broken) throw failed(`${broken.field}: ${broken.fault}`, 1);
  const parsed = memory.safeParse(json);
  if (parsed.success) return { number: lineNumber, memory: parsed.data, json: json as Record<string, unknown> };
  const [issue] = parsed.error.issues;
  const key =
    issue?.code === 'unrecognized_keys' ? issue.keys[0] : issue?.path.findLast((at) => typeof at === 'string');
  throw failed(faultOf(issue), key === undefined ? 1 : columnOf(line, key));
}

/** Without JSON that is carried as it is, escapes and all. */
function withoutJsonContent(json: unknown): unknown {
  const hasJson = isRecord(json) && isRecord(json['content']) && 'json' in json['content'];
  return hasJson ? { ...json, content: undefined } : json;
}

function readJson(line: string, failed: (what: string, column?: number) => LineFault): unknown {
  if (line.trimStart().startsWith('[')) throw failed(`${NOT_LINES} an array: jq -c '.[]' makes lines of it`, 1);
  try {
    return parseNewJson(line);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (line.trim() === '{') throw failed(`${NOT_LINES} one over several lines: jq -c . makes one line of it`, 1);
    const { position = 0, what = error.message } = jsonFault(line) ?? {};
    throw failed(`not JSON: ${what}`, position + 1);
  }
}

/** Where a key is named first; another one of the same name, deeper down, may come before it. */
function columnOf(line: string, key: string): number {
  return Math.max(0, line.indexOf(JSON.stringify(key))) + 1;
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
