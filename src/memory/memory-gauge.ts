/** Usage of a limited memory resource. */
export interface MemoryReading {
  readonly source: 'redis' | 'process';
  /** Which one, where there are several: address of a node of a cluster. */
  readonly node: string;
  readonly usedBytes: number;
  readonly limitBytes: number;
}

/** Reports the usage of memory resources that have a limit. */
export interface MemoryGauge {
  /** Omits resources without a limit and resources that cannot be reached. */
  read(): Promise<readonly MemoryReading[]>;
}
