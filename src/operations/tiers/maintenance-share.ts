/** What one namespace may have before others come first: so many moves for each reason to move. */
export class MaintenanceShare {
  private readonly movesMax: number;
  private moved = 0;
  private wasCut = false;

  constructor(movesMax: number) {
    this.movesMax = movesMax;
  }

  /** Some was left for the next time. */
  get isCut(): boolean {
    return this.wasCut;
  }

  /** Begins with another reason: one that never ends keeps no other from its moves. */
  begin(): void {
    this.moved = 0;
  }

  /** What was moved in fact: memories that cannot be moved use nothing up. */
  note(count: number): void {
    this.moved += count;
  }

  /** To be asked where there is more to move. */
  isUsedUp(): boolean {
    const isUsedUp = this.moved >= this.movesMax;
    this.wasCut ||= isUsedUp;
    return isUsedUp;
  }
}
