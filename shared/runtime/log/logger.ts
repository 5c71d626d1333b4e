/** Fields of a log line: flat and printable, and never content of a source. */
export type LogFields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** The logger of the engine. The composition root chooses format and destination (see winston-logger.ts). */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger that adds `fields` to each of its lines. */
  child(fields: LogFields): Logger;
}

export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLogger,
};
