/** Fields of a log line: flat and printable; never content of a source. */
export type LogFields = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** What the engine logs to. The formats and the destination are the composition root's (see winston-logger.ts). */
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
