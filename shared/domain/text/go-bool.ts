const goTrue: readonly string[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const goFalse: readonly string[] = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

/** Go's `strconv.ParseBool`: no trimming, no other case. Undefined for anything else. */
export function parseGoBool(text: string): boolean | undefined {
  if (goTrue.includes(text)) return true;
  return goFalse.includes(text) ? false : undefined;
}
