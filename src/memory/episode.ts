import { isJson, isText } from './derive-text.ts';
import { parseJson } from './json.ts';
import { activeUs, type LivingSession, type Outcome } from './lifecycle.ts';
import { MEMORY_LIMITS } from './limits.ts';
import type { Content, Micros } from './memory.ts';
import type { SessionSnapshot, TaskState } from './session.ts';

/** The caller's report on how a session went. */
export interface Conclusion {
  readonly outcome: Outcome;
  /** Empty: that of the task state. */
  readonly task: string;
  readonly lessons: readonly string[];
  readonly actions: readonly { readonly description: string; readonly atUs?: Micros }[];
  readonly importance?: number;
  /** Absent: unknown. */
  readonly tokensUsed?: number;
  /** True for keys whose values are left out, in addition to keys that name a secret. */
  isRedacted(key: string): boolean;
}

export interface Episode {
  readonly text: string;
  readonly content: Content;
  readonly importance: number;
  readonly itemCount: number;
  readonly isTruncated: boolean;
}

const VALUE_BYTES_MAX = 16_384;
const STATE_BYTES_MAX = 262_144;
const NOTES_MAX = 100;
const NOTE_BYTES_MAX = 2048;
const TEXT_BYTES_MAX = 16_384;
const HOUR_US = 3_600_000_000;

/** A session as one memory: its task, its actions, its outcome, its lessons and its last contents. */
export function episodeOf(
  session: LivingSession,
  snapshot: SessionSnapshot,
  conclusion: Conclusion,
  nowUs: Micros,
): Episode {
  const state = stateOf(snapshot, conclusion);
  const notes = notesOf(snapshot);
  const durationUs = activeUs(session.life, nowUs);
  const task = conclusion.task || snapshot.task?.description || '';
  const whole = {
    session: `namespaces/${session.namespace}/sessions/${session.id}`,
    task,
    outcome: conclusion.outcome,
    lessons: conclusion.lessons,
    actions: actionsOf(session, conclusion, nowUs),
    state: state.values,
    task_state: snapshot.task ? taskOf(snapshot.task) : null,
    scratchpad: notes.texts,
    metadata: session.metadata,
    started_at: timeOf(session.createdAtUs),
    ended_at: timeOf(nowUs),
    duration_seconds: Math.max(0, nowUs - session.createdAtUs) / 1e6,
    active_seconds: durationUs / 1e6,
    tokens_used: conclusion.tokensUsed ?? null,
    truncated: state.isTruncated || notes.isTruncated,
  };
  const { data, lacks } = within(MEMORY_LIMITS.contentBytes, whole);
  return {
    text: textOf(task, session, conclusion, notes.texts),
    content: { mediaType: 'application/json', data },
    importance: conclusion.importance ?? importanceOf(conclusion, durationUs),
    itemCount: lacks.includes('state') ? 0 : state.count,
    isTruncated: whole.truncated || lacks.length > 0,
  };
}

/**
 * JSON of at most `bytesMax` bytes. Escapes can make JSON longer than its input; the largest parts are then left out.
 */
function within(bytesMax: number, whole: { readonly scratchpad: unknown; readonly state: unknown }) {
  const lacks: string[] = [];
  let shown: object = whole;
  let data = Buffer.from(JSON.stringify(shown));
  for (const part of ['scratchpad', 'state']) {
    if (data.length <= bytesMax) break;
    lacks.push(part);
    shown = { ...shown, [part]: null, truncated: true };
    data = Buffer.from(JSON.stringify(shown));
  }
  return { data, lacks };
}

/** Failures teach most; lessons and long work count too. Documented in docs/lifecycle.md. */
export function importanceOf(
  { outcome, lessons }: Pick<Conclusion, 'outcome' | 'lessons'>,
  activeForUs: Micros,
): number {
  const byOutcome = { success: 0.5, expired: 0.5, partial: 0.6, failure: 0.7 }[outcome];
  const byLessons = Math.min(0.2, lessons.length * 0.05);
  const byLength = 0.1 * Math.min(1, activeForUs / HOUR_US);
  return Math.round((byOutcome + byLessons + byLength) * 1e6) / 1e6;
}

type Shown = unknown;

function stateOf(snapshot: SessionSnapshot, { isRedacted }: Conclusion) {
  const values: Record<string, Shown> = Object.create(null) as Record<string, Shown>;
  let bytes = 0;
  let count = 0;
  let isTruncated = false;
  for (const { key, content } of snapshot.entries) {
    const size = content.data.length;
    if (isRedacted(key) || namesSecret(key)) {
      values[key] = { redacted: true };
    } else if (size > VALUE_BYTES_MAX || bytes + size > STATE_BYTES_MAX) {
      values[key] = { truncated: true, media_type: content.mediaType, bytes: size };
      isTruncated = true;
    } else {
      values[key] = plainOf(content);
      bytes += size;
      count++;
    }
  }
  return { values, count, isTruncated };
}

function plainOf({ mediaType, data }: Content): Shown {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (isJson(mediaType)) return parseJson(bytes.toString());
  if (isText(mediaType)) return bytes.toString();
  return { media_type: mediaType, base64: bytes.toString('base64') };
}

/** The newest notes, oldest of them first. */
function notesOf({ notes }: SessionSnapshot) {
  const kept = notes.slice(-NOTES_MAX);
  let isTruncated = kept.length < notes.length;
  const texts = kept.map(({ atUs, content }) => {
    const isLong = content.data.length > NOTE_BYTES_MAX;
    isTruncated ||= isLong;
    return { time: timeOf(atUs), note: isLong ? { truncated: true, bytes: content.data.length } : plainOf(content) };
  });
  return { texts, isTruncated };
}

function taskOf({ taskId, description, status, detail, currentStep, totalSteps, progressPercent }: TaskState) {
  return {
    id: taskId,
    description,
    status,
    detail,
    current_step: currentStep,
    total_steps: totalSteps,
    progress_percent: progressPercent,
  };
}

function actionsOf({ life }: LivingSession, { actions }: Conclusion, nowUs: Micros) {
  const own = [...life.steps, { transition: 'terminate', atUs: nowUs }].map(({ transition, atUs }) => ({
    action: `session ${transition}`,
    time: timeOf(atUs),
  }));
  const provided = actions.map(({ description, atUs }) => ({
    action: description,
    time: atUs === undefined ? null : timeOf(atUs),
  }));
  return [...provided, ...own];
}

const ENDS: Readonly<Record<Outcome, string>> = {
  success: 'succeeded',
  failure: 'failed',
  partial: 'succeeded in part',
  expired: 'was left idle until it expired',
};

/**
 * The text by which recall finds the episode: only the parts written in words. Values stay in the content, as any of
 * them may be a secret.
 */
function textOf(
  task: string,
  { scope }: LivingSession,
  conclusion: Conclusion,
  notes: readonly { readonly note: Shown }[],
): string {
  const { outcome, lessons, actions } = conclusion;
  const subject = scope.agent === '' ? 'A session' : `A session of ${scope.agent}`;
  const ended = ENDS[outcome];
  const lines = [
    `${subject} ${ended}${task === '' ? '.' : `: ${task}`}`,
    ...lessons.map((lesson) => `Lesson: ${lesson}`),
    ...actions.map(({ description }) => `Action: ${description}`),
    ...notes.flatMap(({ note }) => (typeof note === 'string' ? [`Note: ${note}`] : [])),
  ];
  let text = '';
  for (const line of lines) {
    const longer = text === '' ? line : `${text}\n${line}`;
    if (Buffer.byteLength(longer) > TEXT_BYTES_MAX) break;
    text = longer;
  }
  return text.replaceAll('\0', '');
}

function timeOf(atUs: Micros): string {
  return new Date(Math.floor(atUs / 1000)).toISOString();
}

/** Words that name a secret where they are, or are a part of, the name of a value. */
const SECRET_WORDS = new Set([
  ...['password', 'passwd', 'passphrase', 'secret', 'token', 'credential', 'credentials', 'authorization', 'cookie'],
  ...['apikey', 'api key', 'access key', 'private key'],
]);

/** Whether the name of a value denotes a secret: `token`, `github_token`, `apiKey`, but not `tokens_used`. */
export function namesSecret(key: string): boolean {
  const words = key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word, at) => SECRET_WORDS.has(word) || SECRET_WORDS.has(`${word} ${words[at + 1]}`));
}
