const SPANS_MAX = 256;

interface Span {
  readonly after: number;
  readonly through: number;
}

/** Stretches of the revisions of a room in which this server has moved memories, and nobody has done anything else. */
export class OwnMoves {
  private spans: Span[] = [];

  /** Between the two there was nothing but moves. To be told in the order of revisions. */
  note(after: number, through: number): void {
    const last = this.spans.at(-1);
    if (last && last.through >= after) this.spans.pop();
    this.spans.push({ after: last && last.through >= after ? Math.min(last.after, after) : after, through });
    if (this.spans.length > SPANS_MAX) this.spans.shift();
  }

  has(after: number, through: number): boolean {
    return this.spans.some((span) => span.after <= after && through <= span.through);
  }

  /** To be called when the room is another one, whose revisions say nothing of the one before. */
  forget(): void {
    this.spans = [];
  }
}
