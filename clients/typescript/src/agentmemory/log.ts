/** Severity of a message, least first. */
export type LogLevel = 'DEBUG' | 'INFO' | 'WARNING' | 'ERROR' | 'CRITICAL';

export const LOG_LEVELS: readonly LogLevel[] = ['DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'];

export interface LogMessage {
  readonly level: LogLevel;
  readonly text: string;
  /** The failure that the message is about. */
  readonly error?: unknown;
}

/** Takes messages of the Agent Memory API. */
export type Logger = (message: LogMessage) => void;

/** Writes a line to standard error, and the failure after it. */
export const standardError: Logger = ({ level, text, error }) => {
  const line = `mneme.agentmemory ${level}: ${text}`;
  if (error === undefined) console.error(line);
  else console.error(line, error);
};

/** Messages of at least a level. A logger that throws is not asked again for the message. */
export class Log {
  #logger: Logger;
  #least: number;

  constructor(logger: Logger = standardError, least: LogLevel = 'INFO') {
    this.#logger = logger;
    this.#least = LOG_LEVELS.indexOf(least);
  }

  /** Changes the level, and the logger. */
  set(logger: Logger, least: LogLevel): void {
    this.#logger = logger;
    this.#least = LOG_LEVELS.indexOf(least);
  }

  write(level: LogLevel, text: string, error?: unknown): void {
    if (LOG_LEVELS.indexOf(level) < this.#least) return;
    try {
      this.#logger(error === undefined ? { level, text } : { level, text, error });
    } catch {
      // The failure of a logger must not reach an agent.
    }
  }
}
