import type { Mutant } from './mutants';

const engine = 'reconciler/engine/engine.ts';
const worker = 'reconciler/worker/worker.ts';
const deferred = 'reconciler/worker/deferred-restarts.ts';
const gates = 'shared/domain/gates/ask-gates.ts';
const holds = 'shared/domain/gate-settings/hold.ts';
const windows = 'shared/domain/gate-settings/restart-windows.ts';

/** Bugs in what keeps restarts from beginning, and in what lets them begin again. */
export const gateMutants: readonly Mutant[] = [
  {
    what: 'no hold holds anything',
    file: 'shared/domain/gates/hold-gate.ts',
    from: "const nearest = nearestSetting(levels, 'hold');",
    to: 'const nearest = undefined as ReturnType<typeof nearestSetting<"hold">>;',
  },
  {
    what: 'the furthest setting counts',
    file: 'shared/domain/gates/nearest-setting.ts',
    from: 'of levels) {',
    to: 'of [...levels].reverse()) {',
  },
  {
    what: 'the hold of everything is overridden like others',
    file: 'shared/domain/gates/hold-gate.ts',
    from: 'if (isInForce(installHold, nowMs))',
    to: "if (isInForce(installHold, nowMs) && nearestSetting(levels, 'hold')?.value !== 'off')",
  },
  {
    what: 'a hold with a time never ends',
    file: holds,
    from: 'const untilMs = until === undefined ? undefined : timeOf(until);',
    to: 'const untilMs = until === undefined || timeOf(until) !== 0 ? undefined : 0;',
  },
  {
    what: 'a hold that cannot be read holds nothing',
    file: holds,
    from: '{ hold: { untilMs: undefined, because: shownReason(plain) }, isClear: false }',
    to: "{ hold: 'off', isClear: false }",
  },
  {
    what: 'an urgent change passes a hold',
    file: gates,
    from: '{ ask: holdGate, urgentPasses: false }',
    to: '{ ask: holdGate, urgentPasses: true }',
  },
  {
    what: 'one closed change keeps all from restarting',
    file: gates,
    from: 'if (left.isOpen || right.isOpen) return left.isOpen ? left : right;',
    to: 'if (left.isOpen || right.isOpen) return left.isOpen ? right : left;',
  },
  {
    what: 'a window closes half a minute late',
    file: windows,
    from: 'endMs(opensAtMs) <= nowMs) opensAtMs',
    to: 'endMs(opensAtMs) + 30_000 <= nowMs) opensAtMs',
  },
  {
    what: 'the windows of the install count for nobody',
    file: 'reconciler/engine/build-gates.ts',
    from: 'new WorkloadGates({ sources, namespaces, heldInstall, install, policy, stages })',
    to: 'new WorkloadGates({ sources, namespaces, heldInstall, policy, stages, install: install && undefined })',
  },
  {
    what: 'a closed gate has the new content recorded',
    file: worker,
    from: 'if (!before.isOpen) return await this.#deferred.defer(workload, owed, before.closed, owing);',
    to: 'if (!before.isOpen) return await this.#adopt(workload, baseline, owed);',
  },
  {
    what: 'nobody looks again when a gate opens by its time',
    file: deferred,
    from: 'closed.untilMs === undefined ? undefined : Math.max(0, closed.untilMs - clock.nowMs())',
    to: 'closed.untilMs !== Infinity ? undefined : clock.nowMs()',
  },
  {
    what: 'a gate that opens is looked at a minute late',
    file: deferred,
    from: 'afterMs: Math.min(leftMs, gateLookMs)',
    to: 'afterMs: leftMs + 60_000',
  },
  {
    what: 'when the hold of everything ends, nobody looks',
    file: engine,
    from: 'onInstallChange: () => this.#lookAtEverything(),',
    to: 'onInstallChange: () => undefined,',
  },
  {
    what: 'when the hold of a namespace ends, nobody looks',
    file: engine,
    from: '        this.#lookAtNamespace(namespace);\n',
    to: '',
  },
  {
    what: 'when the hold of a workload ends, nobody looks',
    file: 'reconciler/workloads/workload-entry.ts',
    from: '    !sameGateSettings(previous.record.gates, entry.record.gates) ||\n',
    to: '',
  },
  {
    what: 'when the hold of a source ends, nobody looks',
    file: 'reconciler/sources/source-index.ts',
    from: 'before.match === record.match &&\n        sameGateSettings(before.gates, record.gates));',
    to: 'before.match === record.match);',
  },
  {
    what: 'what a source says is forgotten when it is packed',
    file: 'reconciler/sources/packed-source.ts',
    from: 'if (content.former || content.parsed || record.gates) return undefined;',
    to: 'if (content.former || content.parsed) return undefined;',
  },
  {
    what: 'the time of the last restart is known to its process alone',
    file: 'shared/domain/workloads/workload.ts',
    from: '    ...(lastRestart && { lastRestart }),\n',
    to: '',
  },
  {
    what: 'the time of a restart is known when the watch shows it',
    file: worker,
    from: 'const wrote = { lastRestart, progress, ',
    to: 'const wrote = { progress, ',
  },
];
