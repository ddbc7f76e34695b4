import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { CallFailure } from '../api/failure.ts';
import { isUnauthenticated } from '../app/token-form.tsx';
import { PlainText } from './plain-text.tsx';

export function Loading({ children = 'Loading …' }: { readonly children?: ComponentChildren }) {
  return (
    <p class="state quiet" role="status">
      {children}
    </p>
  );
}

export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="state quiet">{children}</div>;
}

/** A failed call in plain words: what is wrong, which fields, and what to do. */
export function Failure({ failure, again }: { readonly failure: CallFailure; readonly again?: () => void }) {
  const { message, violations, reason } = failure;
  useEffect(() => {
    if (failure.code === 'unauthenticated') isUnauthenticated.set(true);
  }, [failure]);
  return (
    <div class="state failure" role="alert">
      <p>
        <strong>{titleOf(failure)}</strong>
      </p>
      {violations.length === 0 && (
        <p>
          <PlainText text={message} />
        </p>
      )}
      <ul>
        {violations.map(({ field, description }) => (
          <li key={field}>
            <code>{field}</code>: <PlainText text={description} />
          </li>
        ))}
      </ul>
      {reason !== '' && (
        <p class="quiet">
          Reason <code>{reason}</code>
        </p>
      )}
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

function titleOf({ code, metadata, reason }: CallFailure): string {
  const { identity, verb, name } = metadata;
  if (reason === 'PERMISSION_MISSING') {
    return `${identity ? `The identity ${identity}` : 'This caller'} may not ${verb ?? 'do this'} in ${name ?? 'the server as a whole'}`;
  }
  return TITLES[code] ?? 'The call failed';
}

const TITLES: Readonly<Record<string, string>> = {
  unauthenticated: 'The server wants credentials',
  permission_denied: 'This is not allowed',
  not_found: 'This does not exist',
  invalid_argument: 'The server did not accept the request',
  unavailable: 'The server cannot answer now',
  resource_exhausted: 'A limit is reached',
  aborted: 'It has changed meanwhile',
  failed_precondition: 'This is not possible now',
  data_loss: 'Stored data is damaged',
  deadline_exceeded: 'The call took too long',
};
