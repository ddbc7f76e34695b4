/** Names that are remembered; of more, all namespaces are to be looked at. */
const NAMES_MAX = 100_000;

/** Namespaces whose records were changed at any server, also where they are not in the view. */
export class ChangedNames {
  private readonly names = new Set<string>();

  note(namespace: string): void {
    if (this.names.size <= NAMES_MAX) this.names.add(namespace);
  }

  /** Those since the last call; `undefined` where there were too many. */
  take(): readonly string[] | undefined {
    const names = this.names.size > NAMES_MAX ? undefined : [...this.names];
    this.names.clear();
    return names;
  }
}
