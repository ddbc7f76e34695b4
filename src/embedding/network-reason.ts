/** Why nothing came over the network, in a word or two; `fetch` hides it in the cause. */
export function networkReason(error: unknown): string {
  const { code = '', message = '' } = ((error as Error).cause ?? {}) as {
    readonly code?: unknown;
    readonly message?: string;
  };
  // Codes of the system are known to people; those of the client of Node are not, but say what they mean.
  const isKnown = typeof code === 'string' && /^E[A-Z]/.test(code);
  return (isKnown ? code : message) || 'the connection failed';
}
