import { EPISODE_TYPE } from '../consolidation/conversation-episode.ts';
import { parsedContent } from '../derive-text.ts';
import { normalValue } from '../facts/fact-key.ts';
import type { Memory, Micros, Scope } from '../memory.ts';
import type { TaskOutcome } from '../procedure.ts';

/** The recorded properties of an episode that reflection compares. Texts are on one line, at most 200 characters long. */
export interface EpisodeRecord {
  readonly id: string;
  readonly atUs: Micros;
  readonly scope: Scope;
  readonly task: string;
  readonly outcome: TaskOutcome;
  readonly tags: readonly string[];
  /** In the order of the episode. */
  readonly actions: readonly string[];
  readonly lessons: readonly string[];
  /** Entries of the metadata of a session, `key=value`, by key. */
  readonly metadata: readonly string[];
  readonly durationSeconds?: number;
  readonly tokens?: number;
}

/** Limits of one record; what is beyond them is not compared. */
const RECORD_LIMITS = { textLength: 200, actions: 64, lessons: 3, metadata: 32 } as const;

export const OUTCOMES: readonly TaskOutcome[] = ['success', 'failure', 'partial'];

type Fields = Readonly<Record<string, unknown>>;

/**
 * The record of an episode: of RecordEpisode, of a session that has ended, or of a memory of type `episode` that states its
 * outcome in its content or in a tag. `undefined` for memories without a known outcome, such as episodes of conversations
 * and sessions that expired. The memory must have been read with its content.
 */
export function episodeRecordOf(memory: Pick<Memory, RecordField>): EpisodeRecord | undefined {
  const { id, type, scope, eventAtUs, tags, text, content } = memory;
  if (type !== EPISODE_TYPE) return undefined;
  const json = fieldsIn(parsedContent(content));
  const outcome = outcomeIn(json['outcome'], tags);
  if (!outcome) return undefined;
  const seconds = numberIn(json['active_seconds']) ?? numberIn(json['duration_seconds']);
  const tokens = numberIn(json['tokens_used']);
  const [firstLine = ''] = text.split('\n', 1);
  return {
    id,
    atUs: eventAtUs,
    scope,
    task: line(typeof json['task'] === 'string' ? json['task'] : firstLine),
    outcome,
    tags: tags.filter((tag) => !isOutcome(tag)).map(line),
    actions: actionsIn(json),
    lessons: linesIn(json['lessons'], RECORD_LIMITS.lessons),
    metadata: metadataIn(json['metadata']),
    durationSeconds: seconds,
    tokens,
  };
}

type RecordField = 'id' | 'type' | 'scope' | 'eventAtUs' | 'tags' | 'text' | 'content';

const NUMBERS = /\p{N}+(?:[.,:]\p{N}+)*/gu;
/** Identifiers, such as those of commits. */
const HASHES = /\b(?=[a-f]*\d)[0-9a-f]{7,}\b/g;

/** Form in which tasks, actions and lessons are compared: as values of facts, and numbers do not count. */
export function comparable(text: string): string {
  return normalValue(text).replaceAll(HASHES, '#').replaceAll(NUMBERS, '#');
}

function outcomeIn(value: unknown, tags: readonly string[]): TaskOutcome | undefined {
  if (isOutcome(value)) return value;
  if (value !== undefined) return undefined;
  const tagged = tags.filter(isOutcome);
  return tagged.length === 1 ? tagged[0] : undefined;
}

function isOutcome(value: unknown): value is TaskOutcome {
  return OUTCOMES.some((outcome) => outcome === value);
}

/** The transitions that a session adds to its own actions are in every session. */
const TRANSITION = /^session [a-z_]+$/;

function actionsIn(json: Fields): string[] {
  const { actions } = json;
  if (!Array.isArray(actions)) return [];
  const isSession = typeof json['session'] === 'string';
  const texts = (actions as readonly unknown[]).map((action) =>
    typeof action === 'string' ? action : fieldsIn(action)['action'],
  );
  return linesIn(
    texts.filter((text) => !(isSession && typeof text === 'string' && TRANSITION.test(text))),
    RECORD_LIMITS.actions,
  );
}

function metadataIn(value: unknown): string[] {
  const entries = Object.entries(fieldsIn(value)).filter(([, entry]) => typeof entry === 'string');
  return entries
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .slice(0, RECORD_LIMITS.metadata)
    .map(([key, entry]) => line(`${key}=${String(entry)}`));
}

function linesIn(value: unknown, max: number): string[] {
  if (!Array.isArray(value)) return [];
  const texts = (value as readonly unknown[]).filter((one) => typeof one === 'string');
  return texts
    .slice(0, max)
    .map(line)
    .filter((text) => text !== '');
}

function line(text: string): string {
  const plain = text
    .slice(0, 4 * RECORD_LIMITS.textLength)
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
  return plain.length <= RECORD_LIMITS.textLength
    ? plain.toWellFormed()
    : `${plain.slice(0, RECORD_LIMITS.textLength - 1).toWellFormed()}…`;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function fieldsIn(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
