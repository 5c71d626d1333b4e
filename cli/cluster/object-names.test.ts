import { describe, expect, it } from '@jest/globals';
import { workloadKinds } from '../../shared/domain/kubernetes/workload-kinds';
import { contentNamed, nameOf, sourceNamed, workloadNamed } from './object-names';

describe('the name of a workload', () => {
  it.each([
    [['deployment/web'], 'Deployment'],
    [['Deployments/web'], 'Deployment'],
    [['deploy/web'], 'Deployment'],
    [['deployment.apps/web'], 'Deployment'],
    [['deployment', 'web'], 'Deployment'],
    [['sts/web'], 'StatefulSet'],
    [['ds/web'], 'DaemonSet'],
    [['cj/web'], 'CronJob'],
    [['jobs/web'], 'Job'],
    [['rollout.argoproj.io/web'], 'Rollout'],
    [['dc/web'], 'DeploymentConfig'],
  ])('is read as kubectl does: %j', (positional, kind) => {
    const found = workloadNamed(positional);
    expect([found.kind.kind, found.name]).toEqual([kind, 'web']);
  });

  it.each(['a'.repeat(253), `${'a'.repeat(120)}.b-${'c'.repeat(120)}`, 'a.b'])(
    'may be as long as the API server lets it be: %s',
    (name) => {
      expect(workloadNamed([`deployment/${name}`]).name).toBe(name);
    },
  );

  it.each([
    [[], 'expected a kind and a name such as deployment/web, not nothing'],
    [['web'], 'expected a kind and a name such as deployment/web, not "web"'],
    [['deployment/'], 'expected a kind and a name'],
    [['deployment/a/b'], 'expected a kind and a name'],
    [['deployment', 'web', 'x'], 'expected a kind and a name'],
    [['deployment/Web'], 'expected a kind and a name'],
    [[`deployment/${'a'.repeat(254)}`], 'expected a kind and a name'],
    [['deployment/a..b'], 'expected a kind and a name'],
    [['deployment/a-.b'], 'expected a kind and a name'],
    [['pod/web'], 'there is no kind of workload "pod" that Reroll restarts: use Deployment, StatefulSet'],
    [['cm/app'], "cm/app restarts nothing itself: ask who uses it with 'reroll users cm/app'"],
  ])('is refused: %j', (positional, problem) => {
    expect(() => workloadNamed(positional)).toThrow(problem);
  });
});

describe('the name of a source', () => {
  it.each([
    [['configmap/app'], 'ConfigMap'],
    [['cm', 'app'], 'ConfigMap'],
    [['secrets/app'], 'Secret'],
    [['secretproviderclasses/app'], 'SecretProviderClass'],
  ])('is read as kubectl does: %j', (positional, kind) => {
    expect(sourceNamed(positional)).toEqual({ kind, name: 'app' });
  });

  it('is refused where a content is needed, and names the kinds that have one', () => {
    expect(contentNamed(['secret/db'], 'none')).toEqual({ kind: 'Secret', name: 'db' });
    expect(() => contentNamed(['spc/db'], 'none')).toThrow('"spc" with a content: use ConfigMap, Secret');
    expect(() => contentNamed(['secretproviderclass/db'], 'a class has none')).toThrow('a class has none');
    expect(() => contentNamed(['deploy/web'], 'none')).toThrow('"deploy" with a content: use ConfigMap, Secret');
  });

  it('is refused, and names the flag that it stands behind', () => {
    expect(() => sourceNamed(['deployment/web'])).toThrow('there is no kind of source "deployment"');
    expect(() => sourceNamed(['x'], '--for')).toThrow(
      '--for: expected a kind and a name such as configmap/app, not "x"',
    );
  });
});

describe('the name that -o name prints', () => {
  it.each([
    ['Deployment', 'deployment.apps/x'],
    ['CronJob', 'cronjob.batch/x'],
    ['Rollout', 'rollout.argoproj.io/x'],
    ['DeploymentConfig', 'deploymentconfig.apps.openshift.io/x'],
    ['ConfigMap', 'configmap/x'],
    ['SecretProviderClass', 'secretproviderclass.secrets-store.csi.x-k8s.io/x'],
    ['Namespace', 'namespace/x'],
    ['Gadget', 'gadget/x'],
  ])('is that of kubectl, for a %s', (kind, name) => {
    expect(nameOf({ kind, name: 'x' })).toBe(name);
  });

  it.each(workloadKinds)('is read again: $kind', (kind) => {
    expect(workloadNamed([nameOf({ kind: kind.kind, name: 'x' })])).toEqual({ kind, name: 'x' });
  });
});
