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
  // Reloader's documentation has it; its code does not know it and sends plain text.
  webhook: raw,
};

/** Undefined for a name that nobody knows; Reloader sends plain text then. */
export function alertSink(name: string): AlertFormatter | undefined {
  return Object.hasOwn(alertSinks, name) ? alertSinks[name] : undefined;
}
