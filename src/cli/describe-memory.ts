import { stripVTControlCharacters } from 'node:util';
import type { Hit, Memory } from '../../clients/typescript/src/index.ts';
import { rows } from './rows.ts';
import { columnsOf, cut, paint, printable } from './terminal.ts';

/** One line of a list: when, who or what, text cut to the terminal, with the id in front. */
export function listLine(memory: Memory): string {
  return fitted(
    [paint('dim', memory.id), paint('cyan', minuteOf(memory.eventTime)), paint('yellow', whoOf(memory))],
    memory,
  );
}

/** One line of a ranking: score, when, who or what, text cut to the terminal. */
export function hitLine(hit: Hit, rank: number): string {
  const { memory, score } = hit;
  const place = `${String(rank).padStart(3)}  ${score.toFixed(4)}`;
  return fitted(
    [paint('bold', place), paint('cyan', minuteOf(memory.eventTime)), paint('yellow', whoOf(memory))],
    memory,
  );
}

/** One line of what is in a ranking no more, below the columns of `hitLine`. */
export function leftLine(memory: Memory): string {
  return fitted([' '.repeat(11), minuteOf(memory.eventTime), whoOf(memory)], memory);
}

/** Whether the lines of two states of a memory differ, as far as they are not cut off. */
export function isToldOtherwise(one: Memory, other: Memory): boolean {
  const told = ({ text, eventTime, ...memory }: Memory) => [text, minuteOf(eventTime), speakerOf(memory)].join('\0');
  return told(one) !== told(other);
}

const FEATURES_SHOWN = 5;

/** What a score is made of, largest part first, and what to call the memory by. */
export function explanationLines({ memory, components, features, matchedTerms, restored }: Hit): string[] {
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
  const because = weighed.length > 0 ? `relevance: ${weighed.join(', ')}` : '';
  const lines = [
    `${memory.id}  ${memory.tier}${restored ? ', restored' : ''}`,
    parts.join('  '),
    because,
    matchedTerms.length > 0 ? `terms: ${matchedTerms.join(' ')}` : '',
  ];
  return lines.filter((line) => line !== '').map((line) => paint('dim', `       ${printable(line)}`));
}

/** A memory in full, one field a line, its text last. */
export function memoryLines(memory: Memory): string[] {
  const { scope, source, place, content, embedding } = memory;
  const lines = rows([
    ['name', memory.name],
    ['type', memory.type],
    ['speaker', source.speaker],
    ['project', scope.project],
    ['agent type', scope.agentType],
    ['agent', scope.agent],
    ['session', scope.session],
    ['step', memory.step],
    ['happened', memory.eventTime.toISOString()],
    ['stored', memory.createTime.toISOString()],
    ['changed', memory.updateTime.toISOString()],
    ['expires', memory.expireTime?.toISOString()],
    ['true from', memory.validFrom?.toISOString()],
    ['true until', memory.validUntil?.toISOString()],
    ['superseded', memory.supersededBy],
    ['tags', memory.tags.join(', ')],
    ['importance', memory.importance],
    ['priority', memory.priority],
    ['place', place && JSON.stringify(place)],
    ['source', source.uri],
    ['origin', source.origin],
    ['recalled', memory.retrievalCount === 0 ? undefined : `${memory.retrievalCount} times`],
    ['content', content && `${content.mediaType}, ${content.data.length} bytes`],
    ['vector', embedding && `${embedding.values.length} values of ${embedding.model}`],
    ['tier', memory.tier],
    [
      'lost',
      memory.compaction && `${memory.compaction.droppedKeys.join(', ')} of ${memory.compaction.contentBytes} bytes`,
    ],
    ['etag', memory.etag],
  ]);
  return memory.text === '' ? lines : [...lines, '', printable(memory.text)];
}

function fitted(columns: readonly string[], memory: Memory): string {
  const head = columns.join('  ');
  const headColumns = stripVTControlCharacters(head).length;
  return `${head}  ${cut(memory.text, Math.max(20, columnsOf() - headColumns - 2))}`.trimEnd();
}

function whoOf(memory: Memory): string {
  return cut(speakerOf(memory), 14).padEnd(10);
}

function speakerOf({ source, type }: Pick<Memory, 'source' | 'type'>): string {
  return source.speaker ?? type;
}

function minuteOf(time: Date): string {
  return time.toISOString().slice(0, 16).replace('T', ' ');
}
