export const PAGE_BYTES = 65_536;
/** Rows that lie together. */
export const GROUP_ROWS = 8;
/** Dimensions after which a scan looks whether one of a group's rows can still be near enough. */
export const STAGE = 64;
/** What each row asks for comes first in a group; what is left of each row comes last in a stage. */
const ASKED_BYTES = 4 * GROUP_ROWS;
const STAGE_BYTES = STAGE * GROUP_ROWS + 4 * GROUP_ROWS;
/** Most rows are given up in this share of their stages. */
const FIRST_SHARE = 1 / 3;

/** Where the first and the later stages of a block of groups are. */
export interface Block {
  readonly first: number;
  readonly later: number;
}

/**
 * How rows of a dimension lie in memory. Eight rows are a group: what each of them asks for, then for each stage of 64 dimensions
 * the values, a pair of dimensions of each row after another, and for each row the length of its later dimensions. The later
 * stages, to which a scan seldom comes, lie elsewhere, so that the rest is read in one go. `query-rows.wat` reads it.
 */
export class RowLayout {
  readonly stages: number;
  readonly firstStages: number;
  readonly laterStages: number;
  readonly blockRows: number;
  /** Pages of the later stages of a block; the first stages have one. */
  readonly laterPages: number;
  private readonly firstBytes: number;
  private readonly laterBytes: number;

  constructor(dimension: number) {
    this.stages = Math.ceil(dimension / STAGE);
    this.firstStages = Math.ceil(this.stages * FIRST_SHARE);
    this.laterStages = this.stages - this.firstStages;
    this.firstBytes = ASKED_BYTES + this.firstStages * STAGE_BYTES;
    this.laterBytes = this.laterStages * STAGE_BYTES;
    const groups = Math.floor(PAGE_BYTES / this.firstBytes);
    this.blockRows = groups * GROUP_ROWS;
    this.laterPages = Math.ceil((groups * this.laterBytes) / PAGE_BYTES);
  }

  /** Where the byte of a value of a row of the block is. */
  valueAt(block: Block, row: number, at: number): number {
    const pair = Math.floor((at % STAGE) / 2);
    return this.stageAt(block, row, Math.floor(at / STAGE)) + 2 * (GROUP_ROWS * pair + (row % GROUP_ROWS)) + (at % 2);
  }

  /** Where the length of what is left after a stage is, in numbers of four bytes. */
  lengthAt(block: Block, row: number, stage: number): number {
    return (this.stageAt(block, row, stage) + STAGE_BYTES) / 4 - GROUP_ROWS + (row % GROUP_ROWS);
  }

  /** Where what the row asks for is, in numbers of four bytes. */
  askedAt({ first }: Block, row: number): number {
    return (first + Math.floor(row / GROUP_ROWS) * this.firstBytes) / 4 + (row % GROUP_ROWS);
  }

  /** The bytes of the group of a row: from and to where. */
  groupAt({ first, later }: Block, row: number): readonly (readonly [from: number, to: number])[] {
    const group = Math.floor(row / GROUP_ROWS);
    const [firstAt, laterAt] = [first + group * this.firstBytes, later + group * this.laterBytes];
    return [
      [firstAt, firstAt + this.firstBytes],
      [laterAt, laterAt + this.laterBytes],
    ];
  }

  private stageAt({ first, later }: Block, row: number, stage: number): number {
    const group = Math.floor(row / GROUP_ROWS);
    return stage < this.firstStages
      ? first + group * this.firstBytes + ASKED_BYTES + stage * STAGE_BYTES
      : later + group * this.laterBytes + (stage - this.firstStages) * STAGE_BYTES;
  }
}
