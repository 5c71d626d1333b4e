import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { helm } from './helm';
import { createTemporaryDir } from './temporary-dir';
import { pinnedVersion } from './versions';

it('is of the pinned version', async () => {
  const version = pinnedVersion('helm', 'helm.sh/helm/v3');
  expect(await helm(['version', '--template', '{{.Version}}'], undefined)).toBe(version);
});

it('renders a chart without a cluster, for a Kubernetes of today', async () => {
  const temporary = createTemporaryDir();
  try {
    mkdirSync(path.join(temporary.dir, 'templates'));
    writeFileSync(
      path.join(temporary.dir, 'Chart.yaml'),
      'apiVersion: v2\nname: demo\nversion: 1.0.0\nkubeVersion: ">= 1.30.0"\n',
    );
    writeFileSync(path.join(temporary.dir, 'templates', 'demo.yaml'), 'name: {{ .Release.Name }}\n');
    expect(await helm(['template', 'web', temporary.dir], undefined)).toContain('name: web');
  } finally {
    temporary.dispose();
  }
});
