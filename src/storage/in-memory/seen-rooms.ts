import type { SeenRooms } from '../seen-rooms.ts';

/** Forgets with its process: what was lost before it began goes unnoticed. */
export class InMemorySeenRooms implements SeenRooms {
  private readonly epochs = new Map<string, string>();

  async epochOf(room: string): Promise<string | undefined> {
    return this.epochs.get(room);
  }
  async see({ room, epoch }: { room: string; epoch: string }): Promise<void> {
    this.epochs.set(room, epoch);
  }
}
