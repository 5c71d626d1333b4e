import type { LogFields, Logger } from './logger';

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: LogFields;
}

/** Keeps its lines, for tests of log messages. */
export class RecordingLogger implements Logger {
  readonly lines: LogLine[];
  readonly #fields: LogFields;

  constructor(lines: LogLine[] = [], fields: LogFields = {}) {
    this.lines = lines;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#record('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#record('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#record('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#record('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new RecordingLogger(this.lines, { ...this.#fields, ...fields });
  }

  #record(level: LogLine['level'], message: string, fields: LogFields = {}): void {
    this.lines.push({ level, message, fields: { ...this.#fields, ...fields } });
  }
}
