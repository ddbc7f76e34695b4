import type { PeerCertificate } from 'node:tls';
import { MnemeError } from '../../memory/errors.ts';
import { IDENTITY, type Identified } from '../../memory/principal.ts';

/**
 * The identity in a client certificate that an authority of the server has signed: its SPIFFE id, or else its first DNS
 * name. Fails with CREDENTIALS_INVALID where it has neither, or several SPIFFE ids.
 */
export function certificateIdentity({ subjectaltname = '', valid_to }: PeerCertificate): Identified {
  const names = subjectNames(subjectaltname);
  const [spiffe, ...others] = names.flatMap(({ kind, name }) =>
    kind === 'URI' && name.startsWith('spiffe://') ? [name] : [],
  );
  if (others.length > 0) throw refused('has several SPIFFE ids');
  const identity = spiffe ?? names.find(({ kind }) => kind === 'DNS')?.name;
  if (identity === undefined) throw refused('has no SPIFFE id and no DNS name as subject alternative name');
  if (!IDENTITY.test(identity)) throw refused('has a name that is no identity');
  return { identity, proof: 'certificate', credential: `certificate:${identity}`, expiresAtMs: Date.parse(valid_to) };
}

interface SubjectName {
  readonly kind: string;
  readonly name: string;
}

/** Node quotes names with special characters, such as a comma, as JSON: they cannot add names of their own. */
const ENTRY = /([A-Za-z0-9 ]+):("(?:[^"\\]|\\.)*"|[^,"]*)(?:, |$)/y;

/** The names of a certificate as Node lists them: `DNS:a.example, URI:spiffe://example/b`. */
export function subjectNames(text: string): SubjectName[] {
  const names: SubjectName[] = [];
  ENTRY.lastIndex = 0;
  while (ENTRY.lastIndex < text.length) {
    const [, kind = '', value = ''] = ENTRY.exec(text) ?? [];
    if (kind === '') throw refused('has subject alternative names that cannot be read');
    const name = value.startsWith('"') ? textIn(value) : value;
    names.push({ kind, name });
  }
  return names;
}

function textIn(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    throw refused('has subject alternative names that cannot be read');
  }
}

function refused(problem: string): MnemeError {
  return new MnemeError('CREDENTIALS_INVALID', `the client certificate ${problem}`);
}
