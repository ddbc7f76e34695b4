import type { ContextCandidate } from '../../../memory/context/context.ts';
import { isJson, isText } from '../../../memory/derive-text.ts';
import { namesSecret } from '../../../memory/episode.ts';
import type { Content, Micros } from '../../../memory/memory.ts';
import { type SessionKey, sessionName, type TaskState } from '../../../memory/session.ts';
import type { SessionStore } from '../../../storage/session-store.ts';

const NOTES_MAX = 20;
const VALUES_MAX = 100;
const BYTES_MAX = 262_144;
/** Longer parts are omitted: they would fill a context alone. In UTF-16 code units. */
const LENGTH_MAX = 2400;

/** Working memory of a session: its task, then the newest notes, then its values by key. None when it is not there. */
export async function workingCandidates(
  sessions: Pick<SessionStore, 'session' | 'notes' | 'list'>,
  key: SessionKey,
  nowUs: Micros,
): Promise<ContextCandidate[]> {
  const record = await sessions.session(key);
  if (!record) return [];
  const [{ notes }, { entries }] = await Promise.all([
    sessions.notes({ ...key, order: 'newest', limit: NOTES_MAX, bytesMax: BYTES_MAX }),
    sessions.list({ ...key, limit: VALUES_MAX, bytesMax: BYTES_MAX, withValues: true, nowUs }),
  ]);
  const made = (part: string, text: string, isSecret = false): ContextCandidate => ({
    name: sessionName(key.namespace, key.session),
    part,
    kind: 'working',
    text: text.slice(0, LENGTH_MAX),
    source: part.startsWith('value ') ? part.slice('value '.length) : part,
    relevance: 1,
    trust: 'explicit',
    reason: `working memory of the session: ${part}`,
    isSecret,
  });
  return [
    ...(record.task === '' ? [] : [made('task', taskText(JSON.parse(record.task) as TaskState))]),
    ...notes.map(({ sequence, content }) => made(`note ${sequence}`, textOf(content))),
    ...entries.map(({ key: name, content }) =>
      made(`value ${name}`, content ? textOf(content) : '', namesSecret(name)),
    ),
  ];
}

function taskText({ description, status, detail, currentStep, totalSteps, progressPercent }: TaskState): string {
  const steps = totalSteps > 0 ? `, step ${currentStep} of ${totalSteps}` : '';
  const more = detail === '' ? '' : `; ${detail}`;
  return `${description} (${status}${steps}, ${progressPercent} %)${more}`;
}

/** Texts and JSON; other formats have none. */
function textOf({ mediaType, data }: Content): string {
  if (!isText(mediaType) && !isJson(mediaType)) return '';
  return new TextDecoder().decode(data);
}
