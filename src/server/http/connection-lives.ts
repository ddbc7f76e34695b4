import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Timers } from '../../memory/clock.ts';

export interface LifeLimits {
  /** 0: no limit. */
  readonly maxConnectionAgeMs: number;
  /** From the maximum age to the end of the calls that are left. */
  readonly maxConnectionAgeGraceMs: number;
}

/** Requests that a connection may send before the first of them is answered. */
const PIPELINED_MAX = 16;
/** Time for the last statuses of a connection to reach its peer. */
const FAREWELL_MS = 500;

interface Life {
  /** Requests that are not answered yet. */
  openCount: number;
  /** The next answer is the last. */
  isClosing: boolean;
}

/** Connections of HTTP/1.1: those that reach their maximum age, and all when the server stops, close after an answer. */
export class ConnectionLives {
  private readonly limits: LifeLimits;
  private readonly timers: Timers;
  private readonly endCalls: (socket: Socket) => void;
  private readonly lives = new WeakMap<Socket, Life>();
  private isStopping = false;

  /** `endCalls` ends the calls of a connection with a status. */
  constructor(limits: LifeLimits, timers: Timers, endCalls: (socket: Socket) => void) {
    this.limits = limits;
    this.timers = timers;
    this.endCalls = endCalls;
  }

  add(socket: Socket): void {
    const life: Life = { openCount: 0, isClosing: false };
    this.lives.set(socket, life);
    if (this.limits.maxConnectionAgeMs === 0) return;
    const cancel = this.timers.set(() => this.age(socket, life), this.limits.maxConnectionAgeMs);
    socket.once('close', cancel);
  }

  /** Counts a request of the connection; false where it has sent too many at once, and is closed. */
  begin(socket: Socket, response: ServerResponse): boolean {
    const life = this.lives.get(socket);
    if (!life) return true;
    if (++life.openCount > PIPELINED_MAX) {
      socket.destroy();
      return false;
    }
    if (this.isStopping || life.isClosing) response.shouldKeepAlive = false;
    response.once('close', () => {
      life.openCount--;
      if ((this.isStopping || life.isClosing) && life.openCount === 0) socket.end();
    });
    return true;
  }

  stop(): void {
    this.isStopping = true;
  }

  private age(socket: Socket, life: Life): void {
    life.isClosing = true;
    if (life.openCount === 0) {
      socket.end();
      return;
    }
    const cancel = this.timers.set(() => {
      this.endCalls(socket);
      socket.once(
        'close',
        this.timers.set(() => socket.destroy(), FAREWELL_MS),
      );
    }, this.limits.maxConnectionAgeGraceMs);
    socket.once('close', cancel);
  }
}
