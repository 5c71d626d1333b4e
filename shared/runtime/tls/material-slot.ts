import { FaultWarning } from '../log/fault-warning';
import type { LogFields, Logger } from '../log/logger';

/** What a slot must know about its material. */
export interface MaterialKind<Material> {
  /** Why TLS must not use the material; undefined if it may. */
  problemOf(material: Material): string | undefined;
  isSame(left: Material, right: Material): boolean;
  /** For the log. */
  loaded(material: Material, isFirst: boolean): readonly [message: string, fields?: LogFields];
  notLoaded(isFirst: boolean): string;
}

/** Holds the material in use, and accepts new material only if TLS could work with it. */
export class MaterialSlot<Material> {
  readonly #logger: Logger;
  readonly #kind: MaterialKind<Material>;
  readonly #warning: FaultWarning;
  readonly #listeners: (() => void)[] = [];
  #current: Material | undefined;

  /** `logger` names the origin of the material. */
  constructor(logger: Logger, kind: MaterialKind<Material>) {
    this.#logger = logger;
    this.#warning = new FaultWarning(logger);
    this.#kind = kind;
  }

  current(): Material | undefined {
    return this.#current;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  offer(material: Material): void {
    const problem = this.#kind.problemOf(material);
    if (problem !== undefined) {
      this.refuse(problem);
      return;
    }
    const previous = this.#current;
    this.#warning.ended();
    if (previous !== undefined && this.#kind.isSame(previous, material)) return;
    this.#current = material;
    this.#logger.info(...this.#kind.loaded(material, previous === undefined));
    for (const listener of this.#listeners) listener();
  }

  /** Reports that there is no new usable material, because of `problem`. */
  refuse(problem: string): void {
    this.#warning.warn(problem, this.#kind.notLoaded(this.#current === undefined), { problem });
  }
}
