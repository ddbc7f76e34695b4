import { InvalidArgumentError } from '../../clients/typescript/src/index.ts';
import { CommandFailure, INPUT_REFUSED } from './failure.ts';

/** Fields of requests that nobody writes on a command line, by the flag that sets them. */
const FLAGS: readonly (readonly [field: RegExp, flag: string])[] = [
  [/^parent$/, '--namespace'],
  [/^(?:.*\.)?filter_text$/, '--filter'],
  [/^(?:.*\.)?condition\.filter_text$/, '--filter'],
];

/** The same error with the names of flags in place of fields of the request. */
export function inFlags(error: unknown): unknown {
  if (!(error instanceof InvalidArgumentError)) return error;
  const { reason, metadata } = error;
  let { message } = error;
  const violations = error.violations.map(({ field, description }) => {
    const flag = FLAGS.find(([pattern]) => pattern.test(field))?.[1];
    if (flag === undefined) return { field, description };
    message = message.replace(`${field}: `, `${flag}: `);
    return { field: flag, description };
  });
  if (message === error.message) return error;
  return new InvalidArgumentError('INVALID_ARGUMENT', message, { ...(reason && { reason }), metadata, violations });
}

const NAMESPACE = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** Refuses a name that no namespace can have, with one that is near to it. */
export function checkNamespace(name: string): void {
  if (NAMESPACE.test(name.replace(/^namespaces\//, ''))) return;
  const proposal = proposalFor(name);
  const such = proposal === '' ? '' : `: for example --namespace ${proposal}`;
  const message = `--namespace: must have 1 to 63 of the characters a-z, 0-9, ".", "_" and "-", the first a letter or digit, got ${JSON.stringify(name)}${such}`;
  throw new CommandFailure(message, { exitCode: INPUT_REFUSED, code: 'INVALID_ARGUMENT' });
}

function proposalFor(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, 63);
}
