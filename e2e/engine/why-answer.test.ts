import { describe, expect, it } from '@jest/globals';
import type { AdmissionHook } from '../apiserver/admission';
import { objectAt } from '../apiserver/json';
import { clusterOf, rerollDeployment, runAgainst } from './asking.fixture';
import { engineUser, Harness } from './harness';
import { annotated, app, auto, situations, web, type Situation } from './situations.fixture';
import { all, ask, firstLine, inSituation, why } from './why.fixture';
import { whySituations } from './why-situations.fixture';

describe('the answer of reroll why', () => {
  it('shows what the answer rests on', async () => {
    const [harness, engine] = await inSituation(whySituations['an excluded source was changed after a restart']!);
    const { out } = await ask([harness, engine], 'leader', {}, '-o', 'wide');
    const [{ metadata }] = [await harness.get('Deployment', 'web')];
    const { id, changes } = JSON.parse(metadata.annotations?.['reroll.dev/last-restart'] ?? '{}') as {
      readonly id: string;
      readonly changes: Readonly<Record<string, string>>;
    };
    expect(out)
      .toBe(`does not restart for ConfigMap theme: configmaps.exclude.reloader.stakater.com/reload on the workload excludes it

Deployment default/web: in step, last restart 1 minute ago (${id}, rolling)
as the leader reroll-0 says

SOURCE            KEYS   CONTAINER   COUNTS   BY                                                NOW
ConfigMap app     all    app         yes      reloader.stakater.com/auto                        as the pods run with it
ConfigMap theme   all    app         no       configmaps.exclude.reloader.stakater.com/reload   the workload's exclude list names the source

Who made the change that it was restarted for is not known: the webhook did not see it.

To let a source count:
  ConfigMap theme: take theme out of configmaps.exclude.reloader.stakater.com/reload on the workload

Events:
  1 minute ago  Reloaded  ConfigMap app: content changed (keys: color) (change ${changes['cm/app']}). Deployment restarted (env-vars, ${id})
`);
  });

  it.each<[string, string]>([
    ['everything is held', 'reroll resume --all'],
    [
      'its namespace is held until a time',
      'reroll resume namespace/default, or for it alone reroll resume deployment/web -n default --override',
    ],
    ['it is held itself', 'reroll resume deployment/web -n default'],
    ['its source is held', 'reroll resume configmap/app -n default'],
    [
      'its windows are closed',
      'annotate the workload with reroll.dev/windows: always, or ConfigMap app with reroll.dev/urgent: "true"',
    ],
    [
      'its minimum interval is not over',
      'annotate the workload with reroll.dev/min-interval: "0", or ConfigMap app with reroll.dev/urgent: "true"',
    ],
    ['it restarts with the next rollout', 'annotate the workload with reroll.dev/restart: now'],
  ])('says what to do about it if %s', async (what, how) => {
    const situation = all[what]!;
    const running = await inSituation(situation);
    for (const answering of ['leader', 'objects'] as const) {
      const { out } = await ask(running, answering, situation);
      expect(out).toContain(`\nTo let it restart sooner:\n  ConfigMap app: ${how}\n`);
    }
  });

  it.each<[string, string]>([
    [
      'as many roll out as may',
      'raise that limit, or annotate a source of it with reroll.dev/urgent: "true", so that it is next',
    ],
    [
      'others restart first',
      'see to the one that is named, change the source again, or let the others restart without it: reroll resume configmap/app -n default',
    ],
    [
      'another comes first',
      'see to the one that comes first, or remove reroll.dev/after or reroll.dev/wave from the workload',
    ],
  ])('says what to do about its turn if %s, which the leader alone knows', async (what, how) => {
    const situation = all[what]!;
    const running = await inSituation(situation);
    const texts = [];
    for (const answering of ['leader', 'objects'] as const) texts.push((await ask(running, answering, situation)).out);
    expect(texts[0]).toContain(`\nTo let it restart sooner:\n  ${how}\n`);
    expect(texts[1]).not.toContain('To let it restart sooner');
  });

  it.each([
    ['the labels of its source are not selected', 'label it so that it matches --resource-label-selector=reload=yes'],
    ['the source is in another namespace', 'create it in namespace default'],
  ])('says how a source comes to count if %s', async (what, how) => {
    const situation = all[what]!;
    const running = await inSituation(situation);
    for (const answering of ['leader', 'objects'] as const) {
      const { out } = await ask(running, answering, situation);
      expect(out).toContain(`\nTo let a source count:\n  ConfigMap app: ${how}\n`);
    }
  });

  it('says nothing of sooner restarts where nothing is owed', async () => {
    const situation: Situation = { objects: [app, annotated({ 'reroll.dev/hold': 'true' })], answer: {} };
    const running = await inSituation(situation);
    for (const answering of ['leader', 'objects'] as const) {
      expect((await ask(running, answering, situation)).out).not.toContain('sooner');
    }
  });

  it('names the Event about a baseline that another webhook keeps back', async () => {
    const review: AdmissionHook['review'] = ({ operation, user, oldObject }) => {
      if (operation !== 'UPDATE' || user !== engineUser) return { allowed: true };
      const value = objectAt(oldObject ?? {}, 'metadata', 'annotations');
      return { allowed: true, patch: [{ op: 'replace', path: '/metadata/annotations', value }] };
    };
    const harness = new Harness({ admission: [{ name: 'own-annotations.example.com', review }] });
    harness.seed(app, web, rerollDeployment());
    const engine = await harness.start();
    await harness.clock.advance(60_000);
    expect(firstLine(await ask([harness, engine], 'leader', {}))).toMatch(
      /^is in step, but its newest baseline is not stored, .* while Reroll is down: annotation reroll\.dev\/baseline is not stored: something that changes writes/,
    );
  });

  it('prints the JSON of the interface, with the answer', async () => {
    const situation = situations['its settle window is open']!;
    const running = await inSituation(situation);
    const json = JSON.parse((await ask(running, 'leader', situation, '-o', 'json')).out) as Record<string, unknown>;
    expect(json).toMatchObject(situation.answer);
    expect(json).toMatchObject({
      v: 1,
      answeredBy: 'leader',
      answer: expect.stringMatching(/^restarts in 50 seconds/),
    });
    const seen = JSON.parse((await ask(running, 'objects', situation, '-o', 'json')).out) as Record<string, unknown>;
    expect(seen).toMatchObject({ v: 1, answeredBy: 'objects', tracked: true, state: 'unknown', restart: 'not-known' });
    expect((await ask(running, 'leader', situation, '-o', 'yaml')).out).toMatch(/^v: 1\nkind: Deployment\n/);
    expect((await ask(running, 'leader', situation, '-o', 'name')).out).toBe('deployment.apps/web\n');
  });
});

describe('a leader of a newer version', () => {
  it('is understood as far as this version knows it', async () => {
    const [harness, engine] = await inSituation(situations['nothing has happened']!);
    const inner = clusterOf(harness, engine, 'leader');
    const cluster = {
      ...inner,
      ask: async (path: string) => {
        const answer = await inner.ask(path);
        const { body } = answer;
        const newer = { ...(body as object), state: 'thinking', waitsFor: 'full-moon', mood: { is: 'good' } };
        const sources = [{ kind: 'Vault', name: 'x', exists: true, decision: 'by-luck', why: 'luck', keys: 'all' }];
        return {
          ...answer,
          body: { ...newer, sources: sources.map((each) => ({ ...each, standing: 'odd', restarts: false })) },
        };
      },
    };
    const run = await runAgainst(cluster, harness, why, ['deployment/web']);
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(firstLine(run)).toBe('is thinking: it waits for full-moon');
    expect(run.out).toMatch(/^Vault x +all +no +luck +odd$/m);
  });
});

describe('no output', () => {
  it('holds a value or a digest', async () => {
    const values = ['v4lue-one', 'v4lue-two'];
    const situation: Situation = {
      objects: [
        { ...app, data: { color: values[0]! } },
        {
          ...web,
          metadata: {
            ...web.metadata,
            annotations: { ...auto, 'reroll.dev/settle': '1m', 'reroll.dev/settle-max': '1m' },
          },
        },
      ],
      then: async (harness) => {
        await harness.edit('ConfigMap', 'app', { color: values[1]! });
        await harness.clock.advance(10_000);
      },
      answer: {},
    };
    const running = await inSituation(situation);
    const texts: string[] = [];
    for (const answering of ['leader', 'objects'] as const) {
      for (const format of ['text', 'wide', 'json', 'yaml']) {
        const { out, err } = await ask(running, answering, {}, '-o', format);
        texts.push(out, err);
      }
    }
    const baseline = (await running[0].get('Deployment', 'web')).metadata.annotations?.['reroll.dev/baseline'] ?? '';
    const digests = baseline.match(/[A-Za-z0-9_-]{22}/g) ?? [];
    expect(digests.length).toBeGreaterThan(0);
    expect([...values, ...digests].filter((text) => texts.some((each) => each.includes(text)))).toEqual([]);
  });

  it('writes anything to the cluster', async () => {
    const [harness, engine] = await inSituation(situations['it was restarted']!);
    const before = harness.server.history().length;
    for (const answering of ['leader', 'objects'] as const) await ask([harness, engine], answering, {});
    expect(harness.server.history().length).toBe(before);
  });
});
