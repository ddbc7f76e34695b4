import type { Content, Scope } from '../../../gen/ts/mneme/v1/memory.ts';
import { SessionState } from '../../../gen/ts/mneme/v1/session.ts';
import { bytesText } from '../../ui/format.ts';
import { PlainText } from '../../ui/plain-text.tsx';

export function sessionAddress(namespace: string, session: string): string {
  return `/n/${encodeURIComponent(namespace)}/sessions?${new URLSearchParams({ session })}`;
}

/** Everything after `sessions/`, which may have slashes. */
export function sessionIdOf(name: string): string {
  return name.replace(/^namespaces\/[^/]+\/sessions\//, '');
}

/** Project, kind of agent and agent. */
export function scopeText(scope: Scope | undefined): string {
  return [scope?.project, scope?.agentType, scope?.agent].filter(Boolean).join(' / ');
}

const STATES: Readonly<Record<number, readonly [text: string, look: string]>> = {
  [SessionState.SESSION_STATE_ACTIVE]: ['active', 'badge good'],
  [SessionState.SESSION_STATE_PAUSED]: ['paused', 'badge warn'],
  [SessionState.SESSION_STATE_TERMINATED]: ['ended', 'badge'],
};

export function StateBadge({ state }: { readonly state: SessionState }) {
  const [text, look] = STATES[state] ?? ['unknown', 'badge'];
  return <span class={look}>{text}</span>;
}

/** A content as text: bytes by their size alone. */
export function contentText(content: Content | undefined): string {
  const { body } = content ?? {};
  if (!body) return '';
  return body.$case === 'data' ? `${bytesText(body.value.length)} that are no text` : body.value;
}

const SHOWN_MAX = 600;

export function ContentText({ content }: { readonly content: Content | undefined }) {
  return <PlainText text={contentText(content)} max={SHOWN_MAX} />;
}
