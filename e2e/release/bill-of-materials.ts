import { type BundledPackage, type LockFile, requiredNames, resolved } from './bundled-packages';

/** The application that the packages are bundled into. */
export interface Application {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
}

const packageUrl = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** One licence, or an expression of several. */
const licenceOf = (licence: string): object =>
  / (OR|AND|WITH) /.test(licence) ? { expression: licence } : { license: { id: licence } };

/**
 * The bill of materials of the bundle, in CycloneDX. It has neither a time nor a serial number, so the same bundle
 * always has the same bill, and a check can compare the two.
 */
export function billOfMaterials(application: Application, packages: readonly BundledPackage[], lock: LockFile): string {
  const ownUrl = packageUrl(application.name, application.version);
  const urls = new Map(packages.map(({ folder, name, version }) => [folder, packageUrl(name, version)]));
  const urlsOf = (folders: readonly string[]): readonly string[] =>
    [...new Set(folders.flatMap((folder) => urls.get(folder) ?? []))].toSorted();
  const required = requiredNames(lock.packages[''] ?? {}).flatMap((name) => resolved(name, '', lock) ?? []);
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': ownUrl,
        name: application.name,
        version: application.version,
        description: application.description,
        licenses: [licenceOf(application.license)],
        purl: ownUrl,
      },
    },
    components: distinct(packages).map(({ name, version, licence, integrity }) => ({
      type: 'library',
      'bom-ref': packageUrl(name, version),
      ...nameParts(name),
      version,
      hashes: [hashOf(integrity)],
      licenses: [licenceOf(licence)],
      purl: packageUrl(name, version),
    })),
    dependencies: [
      { ref: ownUrl, dependsOn: urlsOf(required) },
      ...distinct(packages).map(({ name, version, requires }) => ({
        ref: packageUrl(name, version),
        dependsOn: urlsOf(requires),
      })),
    ],
  };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

/**
 * Merges entries of the same version of a package. It may be installed in several folders, and resolve other packages
 * from each.
 */
function distinct(packages: readonly BundledPackage[]): readonly BundledPackage[] {
  const byUrl = new Map<string, BundledPackage>();
  for (const package_ of packages) {
    const url = packageUrl(package_.name, package_.version);
    byUrl.set(url, { ...package_, requires: [...(byUrl.get(url)?.requires ?? []), ...package_.requires] });
  }
  return [...byUrl.values()];
}

function nameParts(name: string): object {
  const [group, plain] = name.split('/');
  return plain === undefined ? { name } : { group, name: plain };
}

function hashOf(integrity: string): object {
  const [algorithm, base64 = ''] = integrity.split(/-(.*)/s);
  if (algorithm !== 'sha512') throw new Error(`package-lock.json has a hash that is no SHA-512: ${integrity}`);
  return { alg: 'SHA-512', content: Buffer.from(base64, 'base64').toString('hex') };
}
