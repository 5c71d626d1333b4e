const kib = 1024;
const mib = 1024 * kib;

/**
 * Bounds what one tenant's objects may cost: anybody who may write a workload, a ConfigMap or a Secret chooses its
 * size, and one process reads them for everybody. Decoders apply these budgets, so an object over budget never becomes
 * a record that costs anything later. Each budget is several times what is in use anywhere. Over budget, Reroll reports
 * it and stays safe: it may restart once too often, but never misses a change silently.
 *
 * docs/multi-tenant.md describes each budget, and a test compares the two.
 */
export const budgets = {
  /**
   * The JSON of one workload, which is parsed at once. `kubectl apply` cannot create one of more than 256 KiB, because
   * it keeps a copy in an annotation; with that copy and managedFields such an object has 700 KiB.
   */
  workloadBytes: 768 * kib,
  /** One list of names in an annotation. A hundred names of sixty bytes are 6 KiB. */
  listBytes: 32 * kib,
  /** Names and patterns in one list. Each evaluation of the workload looks all of them up. */
  listNames: 500,
  /** One pattern, in instructions: the cost of a match grows faster than the pattern. A UUID in braces takes 90. */
  patternSize: 200,
  /** All patterns of one list. Each is matched with every name in the namespace. `db-.*` takes 15. */
  listPatternSize: 1_000,
  /**
   * What it takes to find the states of one pattern, and of all patterns of one list, in steps of its instructions.
   * `.*(db|cache|queue).*` takes 6,000.
   */
  patternSteps: 30_000,
  listPatternSteps: 100_000,
  /** Annotations of one object that are checked for typos. An object has about twenty. */
  reviewedAnnotations: 200,
  /** Different sources that a pod template uses. The kubelet mounts each of them; fifty are many. */
  references: 500,
  /** Single keys that a pod template uses, of all its sources together. The baseline holds each of them. */
  keysInUse: 2_000,
  /** Paths in one volume that containers mount separately. */
  volumePaths: 100,
  /** Directories in one path in a volume, and the characters of the whole: the kernel accepts no longer path. */
  pathParts: 32,
  pathBytes: 4_096,
  /** The baseline on a workload. All annotations together may have 256 KiB, and other controllers need room too. */
  baselineBytes: 200 * kib,
  /**
   * Keys of a ConfigMap or Secret that have digests of their own. Each takes 16 bytes, and 3 µs at every write of the
   * source.
   */
  sourceKeys: 2_048,
  /** The names of these keys together. */
  sourceKeyNameBytes: 128 * kib,
  /** Keys of a ConfigMap or Secret that are looked at one by one. Each takes half a microsecond at every write. */
  sourceKeysRead: 16_384,
  /** One list of keys in `reroll.dev/keys`, in characters. Each is matched with every key of the source. */
  keyFilterLength: 500,
  /** Keys of a source that such a list is applied to. The baseline holds a digest of each that counts. */
  filteredKeys: 256,
  /**
   * YAML that is parsed of a source that is compared parsed, at every write of it: more than a millisecond for each
   * kibibyte. Of the other formats it is eight times as much.
   */
  parsedBytes: 16 * kib,
  /** One question from the webhook about a workload, a source or a batch of changes. */
  questionBytes: 256 * kib,
  /**
   * Sources of one namespace that limit how many of their users roll out at once. Each is looked at for each workload that
   * waits, whenever a rollout ends.
   */
  limitingSources: 100,
  /** Users of a source that a preview looks at, which takes some 30 µs for each. */
  previewedUsers: 1_000,
  /** The same of all previews within a second: restarts come first. */
  previewedUsersPerSecond: 5_000,
  /** A schema that content is checked with; parsing a larger one would take too long for a review. */
  schemaBytes: 256 * kib,
  /** All patterns of one schema, in instructions. The pattern of a Kubernetes name takes 2,200. */
  schemaPatternSize: 20_000,

  /** A set of key names that is kept once and shared by all sources that have it. */
  sharedKeySetBytes: 8 * kib,
  /**
   * Sets of key names: per namespace, and in total. A cluster of 100,000 sources has some thousands, of 300 bytes each.
   */
  keySetNamespaceBytes: 512 * kib,
  keySetBytes: 4 * mib,
  /**
   * Previous states of one source. They are kept for ten minutes; a busy source changes some ten times in that time.
   */
  formerStates: 32,
  formerStateBytes: 512 * kib,
  /** Previous states of all sources: per namespace, and in total. */
  formerNamespaceBytes: 2 * mib,
  formerBytes: 16 * mib,
  /** Announced changes that no read has confirmed yet: per namespace, and in total. Each takes some 400 bytes. */
  hintNamespaceBytes: 1 * mib,
  hintBytes: 8 * mib,
  /** Who made changes, and which sources changed lately: per namespace, and in total. */
  attributionNamespaceBytes: 2 * mib,
  attributionBytes: 8 * mib,
  /** Restarts injected into admitted writes and not seen in a watch yet: per namespace, and in total. */
  injectedNamespaceBytes: 1 * mib,
  injectedBytes: 4 * mib,
  /** Who made the changes whose restarts may not begin yet: per namespace, and in total. */
  deferredNamespaceBytes: 256 * kib,
  deferredBytes: 1 * mib,
  /**
   * Restarts of the last hour whose pods are followed: what the watches show of them, and those that this leader made.
   * Each: per namespace, and in total.
   */
  followedNamespaceBytes: 512 * kib,
  followedBytes: 2 * mib,
  /** One restart in the history. Usually it takes 350 bytes; long names of many keys take more. */
  historyEntryBytes: 4 * kib,
  /** The history of restarts, some 3,000 of them. Each segment is a ConfigMap, written whole. */
  historySegments: 8,
  historySegmentBytes: 128 * kib,
  /** Parsed restart windows. An install has some ten different ones, and each takes 1 KB. */
  restartWindowsBytes: 1 * mib,
  /** Who caused the last restarts of workloads, each list of users once. It takes 250 bytes. */
  restartAuthorsBytes: 256 * kib,
  /** Spans of traces that wait to be sent: per namespace, and in total. A restart for one change has five. */
  spanNamespaceBytes: 2 * mib,
  spanBytes: 4 * mib,
  /** Names of changed sources kept per settle window, for the log. */
  settledSources: 500,
  /** Namespaces for which the number of sources read by name is kept. */
  readNamespacesBytes: 1 * mib,
  /**
   * Parsed schemas kept for reuse, counted by the size of their texts: per namespace, and in total. Parsed, they take
   * ten times that.
   */
  keptSchemaNamespaceBytes: 512 * kib,
  keptSchemaBytes: 1 * mib,
} as const;

/** The name of a budget. */
export type BudgetName = keyof typeof budgets;

/** Whether a text has more than `maxBytes` bytes in UTF-8. A very long text is not encoded to find out. */
export function isLongerThan(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  // A character takes at most three bytes for each of its code units.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}
