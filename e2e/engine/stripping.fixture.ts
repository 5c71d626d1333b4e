import type { AdmissionHook } from '../apiserver/admission';
import { objectAt, type JsonObject } from '../apiserver/json';
import { engineUser } from './harness';

/** What a webhook of somebody else removes from the writes of Reroll: environment variables, maybe our annotations too. */
export type Stripped = 'nothing' | 'variables' | 'variables and annotations';

/** A webhook that alters Reroll's updates of one kind. `strips` is asked at each of them. */
export function strippingHook(kindName: string, strips: () => Stripped): AdmissionHook {
  return {
    name: 'no-variables.example.com',
    review: ({ operation, kind, object, user }) => {
      const isOurs = operation === 'UPDATE' && kind.kind === kindName && user === engineUser;
      if (strips() === 'nothing' || !isOurs || !object) return { allowed: true };
      const [container] = objectAt(object, 'spec', 'template', 'spec')['containers'] as [JsonObject];
      if (container['env'] === undefined) return { allowed: true };
      const remove = (path: string) => ({ op: 'remove', path });
      const own = ['baseline', 'last-restart'].map((name) => remove(`/metadata/annotations/reroll.dev~1${name}`));
      const variables = remove('/spec/template/spec/containers/0/env');
      return { allowed: true, patch: [variables, ...(strips() === 'variables' ? [] : own)] };
    },
  };
}

/** A webhook that puts the former annotations back when Reroll updates one of these kinds. `reverts` is asked at each update. */
export function revertingHook(kindNames: readonly string[], reverts: () => boolean): AdmissionHook {
  return {
    name: 'own-annotations.example.com',
    review: ({ operation, kind, oldObject, user }) => {
      const isOurs = operation === 'UPDATE' && kindNames.includes(kind.kind) && user === engineUser;
      if (!reverts() || !isOurs) return { allowed: true };
      const value = objectAt(oldObject ?? {}, 'metadata', 'annotations');
      return { allowed: true, patch: [{ op: 'replace', path: '/metadata/annotations', value }] };
    },
  };
}
