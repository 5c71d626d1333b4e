import type { Writable } from 'node:stream';
import winston from 'winston';
import type { Clock } from '../clock';
import { consoleLine, jsonLine } from './log-line';
import type { LogFields, Logger } from './logger';

export type LogFormat = 'json' | 'console';
export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

export interface LoggerOptions {
  readonly format: LogFormat;
  /** The least severe level that is written. */
  readonly level: LogLevel;
  readonly clock: Clock;
  /** Standard output, set by the composition root. If it fails, only log lines are lost. */
  readonly stream: Writable;
}

const levels: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };
const lines = { json: jsonLine, console: consoleLine };

/** The logger of a process: one line per entry, see log-line.ts. Logging never throws. */
export function createLogger({ format, level, clock, stream }: LoggerOptions): Logger {
  // A closed reader (EPIPE) is reported as an event, which would end the process without a listener.
  stream.on('error', () => undefined);
  const line = lines[format];
  const sink = winston.createLogger({
    level,
    levels,
    format: winston.format.printf((info) =>
      line({
        timeMs: clock.nowMs(),
        level: info.level,
        message: String(info.message),
        fields: info['fields'] as LogFields,
      }),
    ),
    // Winston's types declare the class of its streams as an instance.
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment
    transports: [new winston.transports.Stream({ stream, eol: '\n' })],
  });
  return new WinstonLogger(sink, {});
}

class WinstonLogger implements Logger {
  readonly #sink: winston.Logger;
  readonly #fields: LogFields;

  constructor(sink: winston.Logger, fields: LogFields) {
    this.#sink = sink;
    this.#fields = fields;
  }

  debug(message: string, fields?: LogFields): void {
    this.#log('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#log('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#log('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#log('error', message, fields);
  }

  child(fields: LogFields): Logger {
    return new WinstonLogger(this.#sink, { ...this.#fields, ...fields });
  }

  /**
   * The fields are nested under one key: otherwise winston would let a field called `message` or `level` replace the
   * line's own.
   */
  #log(level: LogLevel, message: string, fields: LogFields = {}): void {
    // Winston formats a line before a transport drops it.
    if (!this.#sink.isLevelEnabled(level)) return;
    this.#sink.log({ level, message, fields: { ...this.#fields, ...fields } });
  }
}
