/** A revision that nothing has: an etag that this server never gave is nobody's current one. */
const NONE = -1;

/** What a conditional write expects, by the etag that the caller gave; an empty one expects nothing. */
export function expectedRevision(etag: string): { readonly expectedRevision?: number } {
  if (etag === '') return {};
  const digits = /^"([0-9a-z]{1,11})"$/.exec(etag)?.[1];
  return { expectedRevision: digits === undefined ? NONE : Number.parseInt(digits, 36) };
}
