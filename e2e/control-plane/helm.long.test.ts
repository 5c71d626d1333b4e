import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { buildHelm, helm } from './helm';
import { type TemporaryDir, createTemporaryDir } from './temporary-dir';
import { pinnedVersion } from './versions';

/** A fake Go: the program that it builds has its arguments as text. */
const fakeGo = `#!${process.execPath}
const { existsSync, mkdirSync, writeFileSync } = require('node:fs');
const args = process.argv.slice(2);
const dir = __dirname + '/module';
mkdirSync(dir, { recursive: true });
writeFileSync(dir + '/go.mod', 'require (\\n\\tk8s.io/client-go v0.41.2\\n)');
if (args[0] === 'mod') console.log(JSON.stringify({ Dir: dir }));
if (args[0] === 'build') {
  writeFileSync(args[args.indexOf('-o') + 1], args.join(' '));
  if (existsSync(__dirname + '/fail')) process.exit(1);
}
`;

/** A fake Helm that prints how it was called. */
const fakeHelm = `#!${process.execPath}
if (process.argv.includes('wrong')) {
  console.error('Error: wrong');
  process.exit(1);
}
console.log(JSON.stringify({ args: process.argv.slice(2), env: process.env }));
`;

let temporary: TemporaryDir;
let file: string;
let goCommand: string;

const program = (name: string, text: string): string => {
  const created = path.join(temporary.dir, name);
  writeFileSync(created, text, { mode: 0o755 });
  return created;
};

beforeEach(() => {
  temporary = createTemporaryDir();
  file = path.join(temporary.dir, 'cache', 'helm');
  goCommand = program('go', fakeGo);
});

afterEach(() => temporary.dispose());

describe('buildHelm', () => {
  it('builds it within its module, once', async () => {
    await buildHelm({ file, goCommand });
    const built = readFileSync(file, 'utf8');
    expect(built).toContain(`build -C ${path.join(temporary.dir, 'module')} -mod=readonly`);
    expect(built).toMatch(/ \.\/cmd\/helm$/);
    await buildHelm({ file, goCommand: path.join(temporary.dir, 'no-such-go') });
  });

  it('tells it its version, and that of the Kubernetes that it was made for', async () => {
    await buildHelm({ file, goCommand });
    const built = readFileSync(file, 'utf8');
    const version = pinnedVersion('helm', 'helm.sh/helm/v3');
    for (const flag of [`internal/version.version=${version}`, 'pkg/chartutil.k8sVersionMinor=41']) {
      expect(built).toContain(`-X helm.sh/helm/v3/${flag}`);
    }
  });

  it('does not take a failed build as done', async () => {
    program('fail', '');
    await expect(buildHelm({ file, goCommand })).rejects.toThrow('go build in go/helm');
    expect(existsSync(file)).toBe(false);
  });

  it('says what is needed without Go', async () => {
    const building = buildHelm({ file, goCommand: path.join(temporary.dir, 'no-such-go') });
    await expect(building).rejects.toThrow('Go is needed to build helm');
  });
});

describe('helm', () => {
  interface Call {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  }

  const call = async (kubeconfig: string | undefined): Promise<Call> =>
    JSON.parse(await helm(['list', '-q'], kubeconfig, { file: program('helm', fakeHelm) })) as Call;

  it('acts on the cluster that it is given', async () => {
    const { args, env } = await call('/some/kubeconfig');
    expect([args, env['KUBECONFIG']]).toEqual([['list', '-q'], '/some/kubeconfig']);
  });

  it('knows no cluster where it is given none', async () => {
    const { env } = await call(undefined);
    expect(existsSync(env['KUBECONFIG']!)).toBe(false);
  });

  it('knows no settings of whoever runs it, and leaves nothing behind', async () => {
    process.env['HELM_NAMESPACE'] = 'theirs';
    try {
      const { env } = await call(undefined);
      expect(env['HELM_NAMESPACE']).toBeUndefined();
      for (const name of ['HOME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'KUBECACHEDIR']) {
        expect([env[name], existsSync(env[name]!)]).toEqual([expect.stringContaining('reroll-helm-'), false]);
      }
    } finally {
      delete process.env['HELM_NAMESPACE'];
    }
  });

  it('rejects with what it complained about', async () => {
    const running = helm(['lint', 'wrong'], undefined, { file: program('helm', fakeHelm) });
    await expect(running).rejects.toThrow('helm lint wrong: Error: wrong');
  });

  it('says how it is built', async () => {
    await expect(helm(['version'], undefined, { file })).rejects.toThrow(
      'Helm is not built yet. Run: npx tsx e2e/control-plane/build.ts',
    );
  });
});
