/** How much memory of something that can run out of it is used. */
export interface MemoryReading {
  readonly source: 'redis' | 'process';
  /** Which one, where there are several: address of a node of a cluster. */
  readonly node: string;
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Whether moving memories of a namespace down gives it memory back. */
  concerns(namespace: string): boolean;
}

/** Tells how much memory is used of what has a limit. */
export interface MemoryGauge {
  /** Nothing where there is no limit, and of what cannot be reached. */
  read(): Promise<readonly MemoryReading[]>;
}
