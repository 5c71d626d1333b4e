import type { LogFields, Logger } from '../log/logger';

/** What a slot has to know of what it holds. */
export interface MaterialKind<Material> {
  /** Why TLS must not use it. */
  problemOf(material: Material): string | undefined;
  isSame(left: Material, right: Material): boolean;
  /** For the log. */
  loaded(material: Material, isFirst: boolean): readonly [message: string, fields?: LogFields];
  notLoaded(isFirst: boolean): string;
}

/** Holds what is in use, and accepts something new only if TLS could work with it. */
export class MaterialSlot<Material> {
  readonly #logger: Logger;
  readonly #kind: MaterialKind<Material>;
  readonly #listeners: (() => void)[] = [];
  #current: Material | undefined;
  /** Reported once, not at each look. */
  #reported: string | undefined;

  /** `logger` names the origin of the material. */
  constructor(logger: Logger, kind: MaterialKind<Material>) {
    this.#logger = logger;
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
    this.#reported = undefined;
    if (previous !== undefined && this.#kind.isSame(previous, material)) return;
    this.#current = material;
    this.#logger.info(...this.#kind.loaded(material, previous === undefined));
    for (const listener of this.#listeners) listener();
  }

  /** There is nothing new and usable, because of `problem`. */
  refuse(problem: string): void {
    if (this.#reported === problem) return;
    this.#reported = problem;
    this.#logger.warn(this.#kind.notLoaded(this.#current === undefined), { problem });
  }
}
