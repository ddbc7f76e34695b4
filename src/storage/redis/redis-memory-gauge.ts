import type { MemoryGauge, MemoryReading } from '../../memory/meters.ts';
import { infoOf, type RedisConnection } from './connection.ts';

/** Memory in use of each Redis with a `maxmemory`, as Redis counts it when it refuses writes. */
export class RedisMemoryGauge implements MemoryGauge {
  private readonly connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.connection = connection;
  }

  async read(): Promise<readonly MemoryReading[]> {
    const answers = await this.connection.askReachable(['INFO', 'memory']);
    return answers.flatMap(({ node, reply }): MemoryReading[] => {
      const info = infoOf(reply);
      const numberOf = (name: string): number => Number(info.get(name) ?? 0);
      const limitBytes = numberOf('maxmemory');
      if (limitBytes === 0) return [];
      const usedBytes = numberOf('used_memory') - numberOf('mem_not_counted_for_evict');
      return [{ source: 'redis', node, usedBytes, limitBytes }];
    });
  }
}
