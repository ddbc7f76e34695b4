import type { Content, Memory, RecallHit } from '../../clients/typescript/src/index.ts';
import { rows } from './rows.ts';
import { paint, printable, wrapped } from './terminal.ts';

const FEATURES_SHOWN = 5;

/** How a score came about, the largest part first. */
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

/** JSON with line breaks, or text; nothing for other bytes, and for JSON that does not parse its text as it is. */
function dataText({ mediaType, data }: Content): string | undefined {
  if (!/^text\/|[/+]json\b/.test(mediaType)) return undefined;
  const text = Buffer.from(data).toString('utf8');
  if (mediaType.startsWith('text/')) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
