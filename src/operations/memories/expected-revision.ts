/** What a conditional write expects: the version that the caller gave; without one, nothing. */
export function expectedRevision(ifVersion: number | undefined): { readonly expectedRevision?: number } {
  return ifVersion === undefined ? {} : { expectedRevision: ifVersion };
}
