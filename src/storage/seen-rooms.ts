/**
 * Which rooms of a store that others can empty this server has seen, kept where they cannot. A room that has another
 * epoch than the one that was seen is not the same room any more.
 */
export interface SeenRooms {
  epochOf(room: string): Promise<string | undefined>;
  /** Resolves when it is durable. */
  see(write: { readonly room: string; readonly epoch: string }): Promise<void>;
}
