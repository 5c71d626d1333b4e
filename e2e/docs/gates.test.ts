import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { reconcilerOptionTable } from '../../reconciler/options/options';
import { annotationsOf, defaultAnnotationKeys } from '../../shared/domain/annotations/annotations';
import { readBearerGates } from '../../shared/domain/gate-settings/bearer-gates';
import { readGateSettings, type GateSettings } from '../../shared/domain/gate-settings/gate-settings';
import type { GateName } from '../../shared/domain/gate-settings/gate-names';
import { readHold } from '../../shared/domain/gate-settings/hold';
import { parseRestartWindows } from '../../shared/domain/gate-settings/restart-windows';
import { askGates, type GatesAnswer } from '../../shared/domain/gates/ask-gates';
import { objectOf, textOf as asText } from '../../shared/domain/kubernetes/json-value';
import { bearerOf } from '../../shared/domain/lint/lint-subject';
import { gateOptionTable, gatesOf } from '../../shared/runtime/options/gate-options';
import { parseOptions } from '../../shared/runtime/options/options';
import { codeBlocks, textOf } from './pages';
import { tableAfter } from './tables';

const holding = textOf('docs/holding.md');
const windows = textOf('docs/windows.md');

/** `hold: true` as an annotation. */
function settingsIn(cell: string, bearer: 'workload' | 'source' | 'namespace'): GateSettings | undefined {
  if (cell === '') return undefined;
  const [, name = '', value = ''] = /^([\w-]+): (.*)$/.exec(cell) ?? [];
  const { settings, problems } = readGateSettings({ [`reroll.dev/${name}`]: value }, bearer);
  expect([cell, problems]).toEqual([cell, []]);
  return settings;
}

function flagsIn(cell: string): GateSettings | undefined {
  return cell.startsWith('--') ? gatesOf(parseOptions(gateOptionTable, [cell], {})) : undefined;
}

/** The others have a page of their own: docs/pace.md. */
const waitsFor: Readonly<Partial<Record<GateName, string>>> = {
  hold: 'the hold',
  window: 'a window',
  interval: 'the interval',
  'next-rollout': 'the next rollout',
};

function inWords(answer: GatesAnswer): string {
  if (!answer.isOpen) return `waits for ${waitsFor[answer.closed.gate] ?? answer.closed.gate}`;
  return answer.passed.length === 0 ? 'begins' : 'begins, and says that it is urgent';
}

describe('docs/holding.md, which setting counts', () => {
  const rows = tableAfter(holding, 'Which setting counts');
  const nowMs = Date.parse('2026-11-25T12:00:00Z');

  it('has a row for each way to wait, and to begin', () => {
    const answers = [...Object.values(waitsFor).map((what) => `waits for ${what}`), 'begins', 'begins, and says that it is urgent']; // prettier-ignore
    expect([...new Set(rows.map((cells) => cells[4]))].toSorted()).toEqual(answers.toSorted());
    expect(rows.length).toBeGreaterThan(20);
  });

  it.each(rows)('%s | %s | %s | %s: %s', (workload = '', source = '', namespace = '', install = '', told) => {
    const isHeld = install === 'reroll-hold';
    const question = {
      installHold: isHeld ? { untilMs: undefined, because: undefined, bearer: install } : undefined,
      levels: [
        { bearer: 'the workload', settings: settingsIn(workload, 'workload') },
        { bearer: 'ConfigMap app', settings: settingsIn(source, 'source') },
        { bearer: 'namespace shop', settings: settingsIn(namespace, 'namespace') },
        { bearer: undefined, settings: flagsIn(install) },
      ],
      ...{ lastRestartMs: nowMs - 600_000, nowMs },
    };
    expect(inWords(askGates([question]))).toBe(told);
  });
});

describe('docs/holding.md, how a hold is written', () => {
  const rows = tableAfter(holding, 'How a hold is written');

  it.each(rows.filter(([value]) => value !== 'anything else'))('%s: %s', (value = '', told = '') => {
    const { hold, isClear } = readHold(value);
    expect(isClear).toBe(true);
    const says = hold === 'off' ? 'nothing' : hold.untilMs === undefined ? 'until somebody removes it' : 'until then';
    expect(told.startsWith(says)).toBe(true);
    expect(told.includes('reason')).toBe(hold !== 'off' && hold.because !== undefined);
  });

  it('anything else', () =>
    expect(readHold('tomorrow')).toMatchObject({ isClear: false, hold: { untilMs: undefined } }));
});

describe('docs/windows.md, how windows are written', () => {
  const rows = tableAfter(windows, 'How windows are written');
  /** When each window opens next, from noon in UTC on Wednesday, 2026-11-25. */
  const opens = [
    '2026-11-25T22:00Z',
    '2026-11-27T23:00Z',
    '2026-11-25T21:00Z',
    '2026-11-27T22:00Z',
    '2026-11-25T22:00Z',
    '2026-11-30T18:00Z',
  ];

  it('has rows that are read as they say', () => {
    const nowMs = Date.parse('2026-11-25T12:00:00Z');
    const found = rows
      .filter(([value]) => value !== 'always')
      .map(([value = '']) =>
        new Date(parseRestartWindows(value).opensMs(nowMs)).toISOString().replace(':00.000Z', 'Z'),
      );
    expect(found).toEqual(opens);
    expect(readGateSettings({ 'reroll.dev/windows': 'always' }, 'workload')).toEqual({
      settings: { windows: 'always' },
      problems: [],
    });
    expect(() => reconcilerOptionTable.restartWindows.schema.parse('always')).toThrow();
  });
});

describe.each(['docs/holding.md', 'docs/windows.md', 'docs/pace.md', 'docs/health.md', 'docs/gitops.md'])(
  'the objects in %s',
  (page) => {
    const objects = codeBlocks(textOf(page))
      .filter(({ language, text }) => language === 'yaml' && text.includes('reroll.dev/'))
      .flatMap(({ text }) => parseAllDocuments(text).map((document) => document.toJS() as object));

    it('are some, each with settings that are read without a mistake', () => {
      expect(objects.length).toBeGreaterThan(0);
      for (const object of objects) {
        const annotations = annotationsOf(object);
        const kind = asText(objectOf(object)['kind']) ?? '';
        const bearer = bearerOf({ group: '', kind });
        const read = bearer
          ? readBearerGates(annotations, bearer, defaultAnnotationKeys)
          : readGateSettings(annotations, 'workload').settings;
        expect([kind, read]).toEqual([kind, expect.any(Object)]);
        expect(read?.problems).toBeUndefined();
      }
    });
  },
);
