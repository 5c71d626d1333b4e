import { googleChat } from './google-chat';
import { raw } from './raw';
import type { AlertFormatter } from './alert-formatter';
import { slack } from './slack';
import { teams } from './teams';

/** Every kind of receiver, by its name in `ALERT_SINK`. */
export const alertSinks: Readonly<Record<string, AlertFormatter>> = {
  slack,
  teams,
  gchat: googleChat,
  raw,
  // In Reloader's documentation, but unknown to its code, which sends plain text.
  webhook: raw,
};

/** Undefined for an unknown name; Reloader then sends plain text. */
export function alertSink(name: string): AlertFormatter | undefined {
  return Object.hasOwn(alertSinks, name) ? alertSinks[name] : undefined;
}
