import stringWidth from 'string-width';
import type {
  Content,
  Delivery,
  Embedding,
  MatchedPassage,
  Memory,
  RecallHit,
  WatchEvent,
} from '../../clients/typescript/src/index.ts';
import { asWritten } from '../memory/json.ts';
import { columnsOf, paint, printable, rows, wrapped } from './terminal.ts';

const FEATURES_SHOWN = 5;

/** The components of a score, the largest first. */
export function explanationLines(hit: RecallHit, columns: number, indent: string): string[] {
  const { memory, score, components, features, matchedTerms, restored } = hit;
  const parts = components
    .toSorted((a, b) => b.contribution - a.contribution)
    .map(({ name, value, contribution, rank }) => {
      const place = rank > 0 ? `, #${rank}` : '';
      return `${name} ${contribution.toFixed(4)} (${Number(value.toPrecision(4))}${place})`;
    });
  const moving = features.filter(({ contribution }) => contribution !== 0);
  const weighed = moving.slice(0, FEATURES_SHOWN).map(({ name, contribution }) => {
    return `${name} ${contribution < 0 ? '-' : '+'}${Math.abs(contribution).toFixed(2)}`;
  });
  const because = weighed.length > 0 ? `ranker: ${weighed.join(', ')}` : '';
  const lines = [
    `score ${score.toFixed(4)}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`,
    because,
    matchedTerms.length > 0 ? `matched words: ${matchedTerms.join(' ')}` : '',
    `tier: ${memory.tier}${restored ? ', restored from its compressed form' : ''}`,
  ];
  return lines
    .filter((line) => line !== '')
    .flatMap((line) => wrapped(line, columns - indent.length).map((part) => paint('dim', `${indent}${part}`)));
}

/** A memory in full: one field a line, then its text, then its content where that is text. */
export function memoryLines(memory: Memory): string[] {
  const { scope, source, place, content, embedding } = memory;
  const lines = rows([
    ['id', memory.id],
    ['name', memory.name],
    ['type', memory.type],
    ['speaker', source.speaker],
    ['project', scope.project],
    ['agent type', scope.agentType],
    ['agent', scope.agent],
    ['session', scope.session],
    ['step', memory.step],
    ['event time', memory.eventTime.toISOString()],
    ['stored', memory.createTime.toISOString()],
    ['updated', memory.updateTime.toISOString()],
    ['expires', memory.expireTime?.toISOString()],
    ['valid from', memory.validFrom?.toISOString()],
    ['valid until', memory.validUntil?.toISOString()],
    ['superseded by', memory.supersededBy],
    ['tags', memory.tags.join(', ')],
    ['importance', memory.importance],
    ['priority', memory.priority],
    ['place', place && JSON.stringify(place)],
    ['source', source.uri],
    ['origin', source.origin],
    ['recalled', memory.retrievalCount === 0 ? undefined : timesText(memory.retrievalCount)],
    ['content', content && `${content.mediaType}, ${content.data.length} bytes`],
    ['vector', embedding && `${embedding.values.length} values of ${embedding.model}`],
    ['tier', memory.tier],
    [
      'dropped',
      memory.compaction &&
        `keys ${memory.compaction.droppedKeys.join(', ')} of ${memory.compaction.contentBytes} bytes`,
    ],
    ['version', memory.version],
  ]);
  const data = content && dataText(content);
  return [
    ...lines,
    ...(memory.text === '' ? [] : ['', printable(memory.text)]),
    ...(data === undefined ? [] : ['', printable(data)]),
  ];
}

function timesText(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** JSON with line breaks, or text; undefined for other bytes; the unchanged text for invalid JSON. */
function dataText({ mediaType, data }: Content): string | undefined {
  if (!/^text\/|[/+]json\b/.test(mediaType)) return undefined;
  const text = Buffer.from(data).toString('utf8');
  if (mediaType.startsWith('text/')) return text;
  try {
    return JSON.stringify(asWritten(text), undefined, 2);
  } catch {
    return text;
  }
}

/** Dimensions of memories in a list. */
interface Layout {
  /** Infinity: no wrapping. */
  readonly columns: number;
  /** Most lines of one text. */
  readonly linesMax: number;
}

const LINES_MAX = 6;

/** On a terminal texts are wrapped, and cut after some lines unless `full`. Elsewhere each is whole and on one line. */
export function layoutOf({ full = false }: { readonly full?: boolean }, columns = columnsOf()): Layout {
  return { columns, linesMax: full ? Number.POSITIVE_INFINITY : LINES_MAX };
}

/** A memory in a list: its text, followed by time, speaker and id. `lead` precedes the first line. */
export function memoryBlock(memory: Memory, layout: Layout, lead = ''): string {
  const indent = ' '.repeat(Math.max(2, stringWidth(lead)));
  const lines = textLines(summaryOf(memory), layout, lead === '' ? 0 : indent.length);
  const about = [timeText(memory.eventTime), whoOf(memory), memory.id];
  const [time = '', speaker = '', id = ''] = about;
  const footer = `${paint('cyan', time)}  ${paint('yellow', speaker)}  ${paint('dim', id)}`;
  return [...lines.map((line, at) => (at === 0 ? lead : lead === '' ? '' : indent) + line), indent + footer].join('\n');
}

/** A hit: its rank, how well it answers, the memory, how many equal ones it stands for, and what outdates it. */
export function hitBlock(hit: RecallHit, rank: number, layout: Layout, mark = ''): string {
  const { memory, passage, equalCount, outdatedBy } = hit;
  const shown =
    passage && layout.linesMax !== Number.POSITIVE_INFINITY ? { ...memory, text: cutOut(passage, memory) } : memory;
  const block = memoryBlock(
    shown,
    layout,
    `${mark}${paint('bold', `${String(rank).padStart(3)}  ${figureOf(hit)}`)}  `,
  );
  const marks = [
    ...(equalCount === 0 ? [] : [`(×${equalCount + 1})`]),
    ...(outdatedBy === undefined ? [] : [`(outdated by ${outdatedBy.slice(outdatedBy.lastIndexOf('/') + 1)})`]),
  ];
  return [block, ...marks.map((one) => paint('dim', one))].join('  ');
}

/** The part of a long text that answers, with a sign where there is more of it. */
function cutOut({ text, offsetBytes }: MatchedPassage, memory: Memory): string {
  const isEnd = offsetBytes + Buffer.byteLength(text) >= Buffer.byteLength(memory.text);
  return `${offsetBytes > 0 ? '… ' : ''}${text.trim()}${isEnd ? '' : ' …'}`;
}

/** Columns before the text of a hit. */
export const HIT_INDENT = ' '.repeat(11);

/** Whether the blocks of two states of a memory differ. */
export function looksDifferent(one: Memory, other: Memory): boolean {
  const shown = (memory: Memory) => [summaryOf(memory), timeText(memory.eventTime), whoOf(memory)].join('\0');
  return shown(one) !== shown(other);
}

function figureOf({ relevance }: RecallHit): string {
  return relevance.toFixed(2);
}

/** A state without a text is shown by its content. */
function summaryOf({ text, content }: Memory): string {
  if (text !== '' || !content) return text;
  const isText = /^text\/|[/+]json\b/.test(content.mediaType);
  return isText ? Buffer.from(content.data).toString('utf8') : `(${content.mediaType}, ${content.data.length} bytes)`;
}

function textLines(text: string, { columns, linesMax }: Layout, indent: number): string[] {
  const lines = wrapped(text, Math.max(20, columns - indent));
  if (lines.length <= linesMax) return lines;
  const more = `… ${lines.length - linesMax + 1} more lines: --full or "mneme get" shows them`;
  return [...lines.slice(0, linesMax - 1), paint('dim', more)];
}

/** A time in a list, in UTC: to the minute; the day alone where that is midnight. */
export function timeText(time: Date): string {
  const minute = time.toISOString().slice(0, 16).replace('T', ' ');
  return minute.replace(/ 00:00$/, '');
}

function whoOf({ source, type }: Memory): string {
  return wrapped(source.speaker ?? type, Number.POSITIVE_INFINITY).join(' ');
}

/** A memory as `--json` prints it; `docs/cli.md` documents the shape. */
export function memoryJson(memory: Memory): Record<string, unknown> {
  const { name, id, namespace, tier, checksum, version } = memory;
  return { name, namespace, ...memoryLine({ ...memory, id }), tier, checksum, version };
}

/**
 * A memory as a line of an export: everything that another server needs to have the same memory, bit for bit. Values
 * that the server derives or that differ between servers are omitted.
 */
export function memoryLine(memory: Memory): Record<string, unknown> {
  const { content, embedding } = memory;
  return {
    id: memory.id,
    type: memory.type,
    text: memory.text,
    scope: memory.scope,
    step: memory.step,
    eventTime: memory.eventTime,
    createTime: memory.createTime,
    updateTime: memory.updateTime,
    content: content && contentJson(content),
    tags: memory.tags,
    embedding: embedding && embeddingJson(embedding),
    place: memory.place,
    importance: memory.importance,
    priority: memory.priority,
    source: memory.source,
    retrievalCount: memory.retrievalCount,
    lastAccessTime: memory.lastAccessTime,
    expireTime: memory.expireTime,
    validFrom: memory.validFrom,
    validUntil: memory.validUntil,
    supersededBy: memory.supersededBy,
    compaction: memory.compaction,
  };
}

export function hitJson(hit: RecallHit, explain: boolean): Record<string, unknown> {
  const {
    score,
    relevance,
    equalCount,
    outdatedBy,
    trust,
    memory,
    passage,
    components,
    features,
    matchedTerms,
    restored,
    before,
    after,
  } = hit;
  return {
    score,
    relevance,
    ...(equalCount > 0 && { equalCount }),
    ...(outdatedBy && { outdatedBy }),
    trust,
    memory: memoryJson(memory),
    ...(passage && { passage }),
    ...(explain && {
      components,
      features: features.map(({ rank: _, ...feature }) => feature),
      matchedTerms,
      restored,
    }),
    ...(before.length + after.length > 0 && { before: before.map(memoryJson), after: after.map(memoryJson) }),
  };
}

/** As text where that is exactly the bytes, so that people and `jq` can read it. */
function contentJson({ mediaType, data }: Content): Record<string, string> {
  const text = Buffer.from(data).toString('utf8');
  const isExact = Buffer.from(text, 'utf8').equals(data);
  return isExact ? { mediaType, text } : { mediaType, data: Buffer.from(data).toString('base64') };
}

function embeddingJson({ model, values }: Embedding): Record<string, string | number> {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeFloatLE(value, index * 4);
  return { model, dimension: values.length, data: bytes.toString('base64') };
}

type PrintedEvent = Exclude<WatchEvent, { kind: 'caught_up' }> | Omit<Delivery, 'acknowledge'>;

export function eventJson(event: PrintedEvent): object {
  if (event.kind === 'relisting') return event;
  const { memory, ...rest } = event;
  const { resumeToken: _, ...shown } = 'resumeToken' in rest ? rest : { ...rest, resumeToken: undefined };
  return { ...shown, ...(memory ? { memory: memoryJson(memory) } : {}) };
}

const COLORS = {
  stored: 'green',
  listed: 'green',
  updated: 'yellow',
  deleted: 'red',
  expired: 'red',
  namespace_deleted: 'red',
} as const;

/** A change in a list: its revision, its kind and the memory, as in recall and list; of a deleted one, its id. */
export function eventBlock(event: PrintedEvent, layout: Layout): string {
  if (event.kind === 'relisting') return paint('dim', 'some changes are no longer kept: all that is there follows');
  const kind = 'leaves' in event && event.leaves ? 'leaves' : event.kind.replaceAll('_', ' ');
  const color = event.kind in COLORS ? COLORS[event.kind as keyof typeof COLORS] : 'cyan';
  const lead = `${String(event.revision).padStart(6)}  ${paint(color, kind.padEnd(8))}  `;
  const { memory } = event;
  if (!memory) return `${lead}${paint('dim', event.id)}`.trimEnd();
  const isMoved = event.kind === 'moved' && memory.tier;
  const text = isMoved ? `to ${memory.tier.replaceAll('_', ' ')}: ${memory.text}` : memory.text;
  return memoryBlock({ ...memory, text }, layout, lead);
}
