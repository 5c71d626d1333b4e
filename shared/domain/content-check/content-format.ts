import type { ContentParser } from './document-node';

/** How the content of a key is parsed. */
export interface ContentFormat {
  /** Larger texts are not checked: parsing them would delay other reviews for too long. */
  readonly maxLength: number;
  /** Parsers are large, so they are loaded at the first check. */
  readonly load: () => Promise<ContentParser>;
}

const kib = 1024;

const json: ContentFormat = {
  maxLength: 1024 * kib,
  load: async () => (await import('./json-content')).parseJsonContent,
};

/** By far the slowest parser: about a millisecond per kibibyte. */
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

/** By the extension of the key's name; add a row for a new format. */
const formats: readonly (readonly [extension: string, format: ContentFormat])[] = [
  ['.json', json],
  ['.yaml', yaml],
  ['.yml', yaml],
  ['.toml', toml],
  ['.properties', properties],
  ['.env', env],
];

/** Undefined for a key whose name has no known extension: it is not checked. */
export function formatOf(key: string): ContentFormat | undefined {
  const name = key.toLowerCase();
  return formats.find(([extension]) => name.endsWith(extension))?.[1];
}
