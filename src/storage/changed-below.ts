/** More has become of memories below than the writer had followed. */
export class ChangedBelow extends Error {}
