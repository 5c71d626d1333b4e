import type { GateSettings } from '../gate-settings/gate-settings';

/**
 * The users of a source that restart in stages. The nearest setting of each user counts: its own, or else `around`, which
 * is that of the source or of the namespace. Without one, their number does; `fromUsers` 0: it never does.
 */
export function stagedUsers<User extends { readonly record: { readonly gates?: GateSettings | undefined } }>(
  users: readonly User[],
  around: GateSettings['stages'],
  fromUsers: number,
): readonly User[] {
  const settingOf = ({ record }: User): GateSettings['stages'] => record.gates?.stages ?? around;
  const willing = users.filter((user) => settingOf(user) !== 'off');
  return fromUsers > 0 && willing.length >= fromUsers ? willing : users.filter((user) => settingOf(user) === 'on');
}
