import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createTemporaryDir, type TemporaryDir } from '../control-plane/temporary-dir';

const files: Readonly<Record<string, string>> = {
  'package.json':
    '{\n  "name": "reroll",\n  "version": "0.2.0",\n  "description": "Restarts.",\n  "license": "MIT"\n}\n',
  'package-lock.json':
    '{\n  "name": "reroll",\n  "version": "0.2.0",\n  "packages": {\n    "": {\n      "name": "reroll",\n      "version": "0.2.0"\n    },\n' +
    '    "node_modules/other": {\n      "version": "0.2.0"\n    }\n  }\n}\n',
  'deploy/chart/reroll/Chart.yaml': 'apiVersion: v2\nname: reroll\nversion: 0.2.0\nappVersion: 0.2.0\n',
  'deploy/deckhouse/Chart.yaml': 'apiVersion: v2\nname: pod-reloader\nversion: 0.2.0\nappVersion: 0.2.0\n',
  'docs/install.md': 'helm install reroll oci://ghcr.io/reroll/charts/reroll --version 0.2.0\nReloader 1.4.20\n',
  'README.md': 'docker pull ghcr.io/reroll/reroll:0.2.0 or ghcr.io/reroll/reroll:VERSION\n',
  'CHANGELOG.md': '# Changelog\n\n## Unreleased\n\n### Added\n\n- More.\n\n## 0.2.0 - 2026-10-01\n\n- Some.\n',
};

/** A small project in a temporary folder, which {@link commit} makes a git repository. */
export class Project {
  readonly #temporary: TemporaryDir = createTemporaryDir();

  constructor() {
    for (const [file, text] of Object.entries(files)) this.write(file, text);
  }

  get root(): string {
    return this.#temporary.dir;
  }

  read(file: string): string {
    return readFileSync(path.join(this.root, file), 'utf8');
  }

  write(file: string, text: string): void {
    mkdirSync(path.dirname(path.join(this.root, file)), { recursive: true });
    writeFileSync(path.join(this.root, file), text);
  }

  /** Replaces the first occurrence of `from` in a file. */
  edit(file: string, from: string, to: string): void {
    this.write(file, this.read(file).replace(from, to));
  }

  commit(): void {
    this.#git('init', '--quiet');
    this.#git('add', '--all');
    this.#git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '--quiet', '--message=all');
  }

  dispose(): void {
    this.#temporary.dispose();
  }

  #git(...args: readonly string[]): void {
    // Ignores the git configuration of whoever runs the tests: no hooks, signatures or ignored files.
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
    execFileSync('git', args, { cwd: this.root, env });
  }
}
