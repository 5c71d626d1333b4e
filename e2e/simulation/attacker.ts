import { changeBatchBody } from '../../shared/domain/protocol/change-batch';
import { reviewBody } from '../apiserver/admission-review';
import { stringAt, type JsonObject } from '../apiserver/json';
import type { KubeObject } from '../apiserver/objects';
import type { Admission } from './admission';
import type { Channel } from './channel';
import type { Draw } from './draw';
import type { Place } from './places';

/** A user who must never be named as an author. */
const attackerUser = 'mallory';

export interface AttackerOptions {
  readonly channel: Channel;
  readonly admission: Admission;
  readonly nowMs: () => number;
  readonly objectOf: (source: Place) => KubeObject | undefined;
  readonly told: (who: string, what: string) => void;
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * Two attackers. One has the webhook's certificate and can listen on the channel, but does not have the digest key. The
 * other reaches the webhook's port. Neither may restart anything, move a baseline, exhaust memory or be named as an
 * author.
 */
export class Attacker {
  readonly #options: AttackerOptions;

  constructor(options: AttackerOptions) {
    this.#options = options;
  }

  /**
   * Sends false records, which Reroll must recognise: records of content that never existed, or of another object, time
   * or key.
   */
  forge(source: Place, draw: Draw): void {
    const { nowMs, channel } = this.#options;
    const heard = draw.pickAny(channel.captured.filter((record) => isOf(record, source)).slice(-2));
    const mine = { ...this.#record(source, draw), id: textOf(draw, 8) };
    const true_ = { ...(heard ?? mine), user: attackerUser, observedAtMs: nowMs() };
    const lies: readonly (readonly [string, JsonObject])[] = [
      ['a content that never was', mine],
      ['another object', { ...true_, uid: textOf(draw, 8) }],
      ['the past', { ...true_, observedAtMs: nowMs() - draw.int(70_000, 900_000) }],
      ['the future', { ...true_, observedAtMs: nowMs() + draw.int(70_000, 900_000) }],
      ['another key', { ...true_, keyId: textOf(draw, 8) }],
    ];
    const told = draw.some(lies, 0.6);
    this.#send(
      told.map(([, record]) => record),
      `records of ${told.map(([lie]) => lie).join(', ')}`,
      draw,
    );
  }

  /** Sends captured records again, unchanged. */
  replay(draw: Draw): void {
    const { captured } = this.#options.channel;
    const from = draw.int(0, Math.max(0, captured.length - 1));
    this.#send(captured.slice(from, from + 60), 'what was heard before', draw);
  }

  flood(source: Place, draw: Draw): void {
    for (let left = draw.chance(0.1) ? 30 : draw.int(1, 3); left > 0; left--) {
      const records = Array.from({ length: 100 }, () => this.#record(source, draw));
      this.#send(records, 'a hundred records', draw);
    }
  }

  garble(draw: Draw): void {
    const { channel, told } = this.#options;
    told(attackerUser, 'sends what does not parse');
    const record = { ...draw.pickAny(channel.captured) };
    const bodies = [
      '{',
      '[]',
      '{"v":1,"batch":"b","records":{}}',
      '{"v":2,"batch":"b","records":[]}',
      `{"v":1,"batch":"b","records":[null,7,[],{},{"__proto__":{"v":1}}]}`,
      JSON.stringify({
        v: 1,
        batch: 'b',
        records: [
          { ...record, name: '../../secrets/x' },
          { ...record, uid: {} },
        ],
      }),
      JSON.stringify({ v: 1, batch: 'b', records: [{ ...record, user: 'x'.repeat(5_000), observedAtMs: -1 }] }),
    ];
    for (const body of draw.some(bodies, 0.6)) channel.forge(Buffer.from(body));
  }

  /** Sends reviews of writes that nobody makes. */
  review(source: Place, count: number, draw: Draw): void {
    const { admission, objectOf, told } = this.#options;
    const object = objectOf(source);
    if (!object) return;
    told(attackerUser, `asks the webhook about ${String(count)} writes to ${nameOf(source)} that nobody makes`);
    const bodies = Array.from({ length: count }, () => {
      const data = { color: Buffer.from(textOf(draw, 6)).toString('base64') };
      const request = {
        ...{ uid: textOf(draw, 8), name: source.name, namespace: source.namespace, operation: 'UPDATE' },
        kind: { group: '', version: 'v1', kind: source.kind },
        userInfo: { username: attackerUser },
        ...{ object: { ...object, data }, oldObject: object },
      };
      return draw.chance(0.1) ? Buffer.from(textOf(draw, 30)) : reviewBody(request);
    });
    admission.forge(draw.pick(['mutate', 'validate']), bodies);
  }

  #record(source: Place, draw: Draw): JsonObject {
    const { channel, nowMs, objectOf } = this.#options;
    const { kind, namespace, name } = source;
    return {
      ...{ v: 1, id: 'forged', kind, namespace, name },
      uid: objectOf(source)?.metadata.uid ?? 'none',
      digest: textOf(draw, 22),
      keyId: stringAt(channel.captured[0], 'keyId') ?? 'AAAAAAAA',
      changed: { added: [], changed: ['color'], removed: [] },
      user: attackerUser,
      observedAtMs: nowMs() + draw.int(-3_000, 3_000),
    };
  }

  #send(records: readonly JsonObject[], what: string, draw: Draw): void {
    if (records.length === 0) return;
    const { channel, told } = this.#options;
    told(attackerUser, `sends ${what}`);
    const lines = records.map((record) => JSON.stringify(record));
    channel.forge(changeBatchBody(textOf(draw, 8), lines));
  }
}

function isOf(record: JsonObject, { kind, namespace, name }: Place): boolean {
  return record['kind'] === kind && record['namespace'] === namespace && record['name'] === name;
}

function nameOf({ kind, namespace, name }: Place): string {
  return `${kind} ${namespace}/${name}`;
}

function textOf(draw: Draw, length: number): string {
  let text = '';
  while (text.length < length) text += letters.charAt(draw.int(0, letters.length - 1));
  return text;
}
