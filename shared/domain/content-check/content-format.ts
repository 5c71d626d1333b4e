import type { ContentParser } from './document-node';

/** How the content of a key is to be read. */
export interface ContentFormat {
  /** Larger texts are not checked: the parser would hold up other reviews for too long. */
  readonly maxLength: number;
  /** Parsers are large: they come into memory with the first check. */
  readonly load: () => Promise<ContentParser>;
}

const kib = 1024;

const json: ContentFormat = {
  maxLength: 1024 * kib,
  load: async () => (await import('./json-content')).parseJsonContent,
};

/** The slowest parser by far: about a millisecond for each kibibyte. */
const yaml: ContentFormat = {
  maxLength: 128 * kib,
  load: async () => (await import('./yaml-content')).parseYamlContent,
};

const toml: ContentFormat = {
  maxLength: 512 * kib,
  load: async () => (await import('./toml-content')).parseTomlContent,
};

const properties: ContentFormat = {
  maxLength: 1024 * kib,
  load: async () => (await import('./line-content')).parsePropertiesContent,
};

const env: ContentFormat = {
  maxLength: 1024 * kib,
  load: async () => (await import('./line-content')).parseEnvContent,
};

/** By the end of a key's name; a new format is a row. */
const formats: readonly (readonly [extension: string, format: ContentFormat])[] = [
  ['.json', json],
  ['.yaml', yaml],
  ['.yml', yaml],
  ['.toml', toml],
  ['.properties', properties],
  ['.env', env],
];

/** Undefined for a key whose name tells no format: it is not checked. */
export function formatOf(key: string): ContentFormat | undefined {
  const name = key.toLowerCase();
  return formats.find(([extension]) => name.endsWith(extension))?.[1];
}
