const kib = 1024;
const mib = 1024 * kib;

/**
 * What the objects of one tenant may cost: who may write a workload, a ConfigMap or a Secret chooses how large it is, and
 * the process that reads it serves everybody. Decoders ask this table, so that what is over a budget never becomes a record
 * that costs anything later. Each is several times what is in use anywhere; beyond it Reroll says so, and stays safe: one
 * restart too many, never a change missed without a word.
 *
 * docs/multi-tenant.md tells of each, and a test holds the two together.
 */
export const budgets = {
  /**
   * A workload in JSON, as it is watched: it is parsed in one go. `kubectl apply` cannot make one of more than 256 KiB, for it
   * keeps a copy in an annotation; with that and with managedFields it has 700 KiB.
   */
  workloadBytes: 768 * kib,
  /** One list of names in an annotation. A hundred names of sixty bytes are 6 KiB. */
  listBytes: 32 * kib,
  /** Names and patterns of one list. Each is looked up at every look at the workload. */
  listNames: 500,
  /** One pattern, in instructions: what a try costs grows faster than the pattern. A UUID in braces takes 90. */
  patternSize: 200,
  /** All patterns of one list, each of which is tried on every name in the namespace. `db-.*` takes 15. */
  listPatternSize: 1_000,
  /** Annotations of one object that are looked through for slips. An object has twenty. */
  reviewedAnnotations: 200,
  /** Different sources that a pod template uses. The kubelet mounts each; fifty are many. */
  references: 500,
  /** Keys that a pod template uses one by one, of all its sources together. Each stands in the baseline. */
  keysInUse: 2_000,
  /** Paths of one volume that containers mount by themselves. */
  volumePaths: 100,
  /** Directories of one path in a volume, and all of it: the kernel takes no longer one. */
  pathParts: 32,
  pathBytes: 4_096,
  /** The baseline on a workload. Annotations have room for 256 KiB together, and those of others must fit in too. */
  baselineBytes: 200 * kib,
  /** Keys of a ConfigMap or Secret that are told apart. Each takes 16 bytes, and 3 µs whenever the source is written. */
  sourceKeys: 2_048,
  /** The names of these keys together. */
  sourceKeyNameBytes: 128 * kib,
  /** One question of the webhook about a workload, a source or a batch of changes. */
  questionBytes: 256 * kib,
  /** A schema that content is checked with; a larger one would take longer to read than there is time. */
  schemaBytes: 256 * kib,
  /** All patterns of one schema, in instructions. That of a Kubernetes name takes 2,200. */
  schemaPatternSize: 20_000,

  /** A set of key names that is kept once for all the sources that have it. */
  sharedKeySetBytes: 8 * kib,
  /** Sets of key names: of one namespace, and of all. A cluster of 100,000 sources has some thousands, of 300 bytes. */
  keySetNamespaceBytes: 512 * kib,
  keySetBytes: 4 * mib,
  /** Former states of one source. A busy one changes some ten times in the ten minutes for which they are kept. */
  formerStates: 32,
  formerStateBytes: 512 * kib,
  /** Former states of the sources of one namespace, and of all. */
  formerNamespaceBytes: 2 * mib,
  formerBytes: 16 * mib,
  /** Announced changes that no read has confirmed yet. */
  hintBytes: 8 * mib,
  /** Who made changes, and what changed lately: of one namespace, and of all. */
  attributionNamespaceBytes: 2 * mib,
  attributionBytes: 8 * mib,
  /** Restarts that were put into writes of others and are not seen yet: of one namespace, and of all. */
  injectedNamespaceBytes: 1 * mib,
  injectedBytes: 4 * mib,
  /** Names of changed sources that are remembered of one settle window, for the log. */
  settledSources: 500,
  /** Namespaces of which it is remembered how many sources were read by their names. */
  readNamespacesBytes: 1 * mib,
  /** Schemas that stay read, by the size of their texts: of one namespace, and of all. Read, they take ten times that. */
  keptSchemaNamespaceBytes: 512 * kib,
  keptSchemaBytes: 1 * mib,
} as const;

/** The name of a budget. */
export type BudgetName = keyof typeof budgets;

/** Whether a text has more bytes; a long text is not encoded to find out. */
export function isLongerThan(text: string, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  // A character takes at most three bytes for each of its code units.
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}
