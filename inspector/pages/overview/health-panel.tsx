import { PlainText } from '../../ui/plain-text.tsx';
import type { Overview } from './overview.ts';

/** Whether all parts work, and what to do about those that do not. */
export function HealthPanel({ info, statistics }: Pick<Overview, 'info' | 'statistics'>) {
  const degraded = [...new Set([...info.degraded, ...(statistics?.degraded ?? [])])];
  if (degraded.length === 0) {
    return (
      <p class="notice" role="status">
        <strong>All parts work.</strong>
        <span>
          Revision <span class="mono">{String(info.revision)}</span>
        </span>
      </p>
    );
  }
  return (
    <section class="failure" role="alert">
      <h2>{degraded.length === 1 ? 'A part does not work' : `${degraded.length} parts do not work`}</h2>
      <ul class="stack">
        {degraded.map((text) => (
          <li key={text}>
            <strong>{partOf(text)}</strong>: <PlainText text={text.slice(partOf(text).length + 1).trim()} />
            <p class="quiet">{adviceOf(partOf(text))}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The part is named before the first colon. */
function partOf(text: string): string {
  const at = text.indexOf(':');
  return at < 0 ? text : text.slice(0, at);
}

function adviceOf(part: string): string {
  const [, advice] = ADVICE.find(([word]) => part.toLowerCase().includes(word)) ?? [];
  return advice ?? 'The log of the server has the details.';
}

const ADVICE: readonly (readonly [word: string, advice: string])[] = [
  ['reembed', 'Correct what the embedder reports: the work goes on by itself where it stopped.'],
  [
    'embed',
    'Check that the embedder runs and its address is right. Texts that wait get their vectors when it answers.',
  ],
  ['session', 'Check that Redis or PostgreSQL runs and can be reached. The server connects again by itself.'],
  ['redis', 'Check that Redis runs and can be reached. The server connects again by itself.'],
  ['memor', 'Check the store: mneme doctor names the cause, mneme verify and mneme repair the damaged memories.'],
  ['record', 'Check that PostgreSQL runs and can be reached. The server connects again by itself.'],
  ['damage', 'mneme verify names the damaged memories, mneme repair restores them from a backup.'],
];
