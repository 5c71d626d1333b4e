import { describe, expect, it } from '@jest/globals';
import { simulate } from './simulation';
import { drawWorld } from './world';

/** The story of a world must still match. If it does not, the seed draws another world than the one that failed. */
type Regression = readonly [seed: number, what: string, story: RegExp];

const ofTheEngine: readonly Regression[] = [
  /** Meanwhile the source changes twice more, and the engine remembers the authors of only two states per source. */
  [
    540_699,
    'the author of a change is still named if newer changes are reported while Reroll looks for a rollout that answers the first',
    /its batch reaches engine-0-1: 202, ConfigMap shop\/app by alice/,
  ],
  /**
   * If the webhook removes everything from a write, nothing is stored and no watch event follows. The engine once took
   * such a write for stored.
   */
  [
    180,
    'a baseline that another admission webhook removes from the write is recorded when the webhook stops',
    /takes out the record/,
  ],
  /**
   * The first list of statuses breaks off after it has shown one without versions. Before the next list, that status
   * gets its first versions and then those of a rotation.
   */
  [
    701_765,
    'a rotation is not missed if its pod was last seen before it had mounted anything',
    /show other versions in status agent-7-default-tls/,
  ],
  /**
   * The workload was recorded once, without its uid, and never restarted. A key is removed while nobody watches, which
   * leaves no timestamp. The content without it looked as if it had existed when the workload was created.
   */
  [
    800_982,
    'a change since an older version recorded the workload is not missed if the change is the removal of a key',
    /write as an older version would StatefulSet default\/store/,
  ],
  /** No webhook records the rollout that comes in the middle of the hold. */
  [
    950_018_217,
    'a change that is taken back while it is held is not missed if pods have started with it',
    /put reroll.dev\/hold: true on ConfigMap default\/app [^]*edit image of Deployment default\/web /,
  ],
  /** Nothing dates the removal: the source was written last before the workload was created. */
  [
    1_400_011_741,
    'with --reload-on-create, a source whose excluding label is removed is new to a workload that was created before',
    /create Deployment shop\/api [^]*take in Secret shop\/db/,
  ],
  /** To take its record back meets a conflict. Then a read shows a newer state, and the watch an older one. */
  [
    1_800_003_341,
    'a restart of which somebody else removes the marker stays owed, whatever a lagging watch shows',
    /gatekeeper takes out the marker of what is written in shop/,
  ],
  /** Secrets are forbidden. Meanwhile `auto: "false"` is removed beside a list that names one, and the Secret is edited. */
  [
    1_700_017_732,
    'a source that nobody could read has been used since before the annotations were edited',
    /forbidden: GET .*secrets\/db[^]*edit Secret default\/db/,
  ],
  [
    991_196,
    'a change is owed to the leader of the next day if its source began to count and was edited while the restart had to wait',
    /take in Secret default\/db[^]*put reroll\.dev\/hold[^]*edit Secret default\/db[^]*take reroll\.dev\/hold away/,
  ],
  [
    1_400_004_686,
    'a user of a source waits until the first one is healthy if the first one was read by name, and its watch lags behind',
    /break everybody with ConfigMap default\/app/,
  ],
  [
    1_400_016_653,
    'a user of a source waits until the first one is healthy if others restart for another source meanwhile',
    /break everybody with ConfigMap default\/extra/,
  ],
  [
    740_000_170,
    'no more restarts begin than the rate says if one of them has yet to roll out since its last restart',
    /put reroll\.dev\/canary: yes on Deployment shop\/api/,
  ],
  [
    1_137_188,
    'nobody else goes first with a content if the watch shows late that an earlier restart, whose answer was lost, had been rolled back',
    /lost-answer: PATCH [^ ]*\/store[^]*roll back StatefulSet default\/store[^]*MODIFIED StatefulSet default\/store/,
  ],
  [
    81_133_670,
    'a change is not missed by a process that reads by name or lists if the workload opted in after it was read, and the watch was faster than the answer',
    /annotate \{"reloader[^}]*"false"\} Deployment default\/web[^]*annotate \{\} Deployment default\/web[^]*MODIFIED Deployment default\/web/,
  ],
  [
    81_137_210,
    'a change is not missed by a process that reads by name or lists if a source was created again, and lost a key before anybody saw it',
    /delete ConfigMap default\/extra[^]*create ConfigMap default\/extra[^]*create DaemonSet default\/agent[^]*edit ConfigMap default\/extra[^]*MODIFIED DaemonSet default\/agent/,
  ],
  [
    161_568_199,
    'a workload that comes to use another key of a source that is deleted is restarted when that is created, if creations count',
    /delete Secret default\/db[^]*replace StatefulSet[^]*create Secret default\/db/,
  ],
  /** Marker and record are removed. Then a user edits the template, and admission lets that edit answer the change. */
  [
    858_716_913,
    'a restart that somebody else altered on its way is owed as before, until a write of somebody else answers the change',
    /takes out the marker and record[^]*edit references of Deployment default\/web/,
  ],
  [
    858_727_886,
    'a workload is not restarted for nothing if a label selects a source again that has lost no key, although nobody had read it before',
    /deselect Secret shop\/db[^]*select Secret shop\/db[^]*create Deployment shop\/api/,
  ],
  [
    577_226_218,
    'a workload is not restarted for nothing if it is a Job, and a watch shows the changes from before its creation one by one',
    /edit ConfigMap default\/app[^]*ADDED Job default\/migrate/,
  ],
  [
    314_162_299,
    'a workload is not restarted for nothing if a namespace was created again with all in it, and a list of metadata shows that',
    /delete namespace shop[^]*create Secret shop\/db[^]*create Deployment shop\/api/,
  ],
  [
    314_161_041,
    'a restore of etcd is noticed for a workload to which the answer to a write came after it',
    /is restored to revision 145[^]*MODIFIED StatefulSet default\/store/,
  ],
  [
    161_814_414,
    'a workload waits for the one that it names if they named each other before, and an annotation has opened the circle',
    /put reroll\.dev\/after: deployment\/web, statefulset\/store on Deployment default\/web[^]*MODIFIED Deployment default\/web/,
  ],
  [
    577_219_258,
    'an author is named if the server did not find the workloads when the webhook reported the change',
    /is restored to revision[^]*MODIFIED Deployment default\/web/,
  ],
  [
    271_845_773,
    'the others wait for the second workload of a change if the first one has restarted for something else since',
    /put reroll\.dev\/after: daemonset\/agent[^]*MODIFIED Deployment default\/web/,
  ],
  [
    50_527,
    'a baseline under a lost key is replaced if nothing is left to record, because the source has gone and only its own annotation made it count',
    /delete Secret default\/db[^]*MODIFIED DaemonSet default\/agent/,
  ],
  [
    602_175,
    'after a restore of etcd a Job is recreated if its journal entry is part of the backup',
    /is restored to revision/,
  ],
  [
    602_489,
    'after a restore of etcd a source is not read at a resourceVersion that does not exist yet',
    /is restored to revision/,
  ],
  [
    607_509,
    'after a restore of etcd a source whose read was under way is not read at a resourceVersion that does not exist yet',
    /is restored to revision/,
  ],
  /** The opt-out was read by name. The watch lagged and showed older states, whose baseline counted again. */
  [
    104_173_183,
    'an opt-out ends what was recorded, whatever a lagging watch shows after it was read',
    /annotate \{"reloader\.stakater\.com\/auto":"false"\} Deployment shop\/api[^]*roll back Deployment shop\/api/,
  ],
  /**
   * Lists of ConfigMaps are refused at first. When they are not any more, a read by name is under way, and the watch
   * shows an edit before its answer.
   */
  [
    601_785_728,
    'a read by name that began while lists were refused does not revert what the watch has shown since',
    /forbidden: GET \/api\/v1\/configmaps [^]*edit ConfigMap default\/extra/,
  ],
  [
    650_241_436,
    'a restart that was answered after a restore of etcd had undone it counted as stored: a change was missed',
    /MODIFIED Deployment shop\/api \(revision 1133\)[^]*is restored to revision[^]*MODIFIED Deployment shop\/api/,
  ],
  [
    617_205_189,
    'a restore of etcd whose versions go on, before the first read of the Lease, is noticed by a list of older workloads',
    /engine-1-2 starts[^]*is restored to revision \d+, and its versions go on/,
  ],
  [
    513_371_210,
    'a record is not taken for a restart that somebody else was ahead of, and that was refused without an answer before it',
    /edit image of StatefulSet default\/store by bob .*\n.*lost-answer: PATCH .*statefulsets\/store of engine-0-1\n[^]*MODIFIED StatefulSet default\/store/,
  ],
  [
    650_244_895,
    'a restore of etcd between the first list of a kind and the first read of the Lease is noticed by a workload that is older than shown',
    /engine-0-2 starts[^]*is restored to revision[^]*engine-0-2 writes Lease/,
  ],
  /** The restore also undid the record in the Job, so the Job is not the one that its successor was made from. */
  [
    271_834_743,
    'a Job is not created again for a deletion that a restore of etcd undid, although its entry was written before that was known',
    /delete Secret default\/db[^]*is restored to revision[^]*ADDED Secret (reroll\/reroll-job-\S+)[^]*DELETED Secret \1[^]*MODIFIED Job default\/migrate/,
  ],
  /**
   * Two writes of the key were shown to nobody: the watch went from one state to the third after it, and the webhook had
   * not answered for the others.
   */
  [
    710_014_486,
    'nobody is named who changed a key before writes that were never shown',
    /freezes[^]*hears nothing of validate on ConfigMap default\/extra[^]*all faults end/,
  ],
  /** The watch shows the removal of `auto: "false"` and the lists that are set after it together, and two seconds late. */
  [
    720_016_836,
    'a change in the second of the write that follows an opt-in by removal is not missed',
    /annotate \{"configmap\.reloader\.stakater\.com\/reload":"app,extra"[^]* StatefulSet default\/store [^]*edit Secret default\/db/,
  ],
  /** The restart is for a key that the ConfigMap lacks since it was deleted and created again. */
  [
    770_002_633,
    'whoever creates an object is named for a key that the object before it had',
    /delete ConfigMap default\/extra[^]*create ConfigMap default\/extra \{"color":"[^"]*","size":"[^"]*"\} by alice/,
  ],
  /** The list of StatefulSets began before the restart of one of them, which is the first for the edit of the Secret. */
  [
    800_014_811,
    'a list that began before a restart does not hide from the stages that others restart first',
    /edit Secret default\/db[^]*MODIFIED Deployment default\/web[^]*MODIFIED StatefulSet default\/store [^]*MODIFIED DaemonSet default\/agent/,
  ],
  [
    840_012_497,
    'nobody is named for a key if the last review of a write was not heard: another write, of which nobody was told, came in between',
    /hears nothing of mutate on ConfigMap default\/extra[^]*hears nothing of mutate on ConfigMap default\/extra[^]*ConfigMap default\/extra by bob, ConfigMap default\/extra by carol/,
  ],
  [
    870_003_892,
    'a Secret that a workload leaves out does not begin the settle window of the ConfigMap that it counts',
    /edit Secret default\/db by alice [^]*edit ConfigMap default\/extra by alice /,
  ],
  [
    920_014_568,
    'a DaemonSet that was deleted and created again is known all the time, though the watch still shows the former one: its change has an author',
    /delete DaemonSet default\/agent[^]*create DaemonSet default\/agent[^]*edit ConfigMap default\/app by bob[^]*its batch reaches engine-0-1: 202, ConfigMap default\/app by bob/,
  ],
  [
    974_000_308,
    'a burst that is taken back within its settle window restarts nothing, also if a pod is broken meanwhile',
    /edit ConfigMap default\/app by bob {"color":"value-9-"[^]*edit ConfigMap default\/app by carol {"color":"value-1-"/,
  ],
];

const ofTheJudge: readonly Regression[] = [
  [
    310_013_159,
    'the judge demands no restart that no process can know of if the namespace was excluded when the digest key was lost, and is selected again after an edit',
    /write Secret reroll\/reroll-digest-key[^]*deselect Namespace \/shop[^]*select Namespace/,
  ],
  [
    1_230_009_628,
    'the judge demands no restart that no process can know of if a label brought the source into the selection and a key was removed before any process had recorded the workload',
    /engine-0-1 has stopped[^]*take in Secret default\/db[^]*edit Secret default\/db/,
  ],
  [
    1_250_013_637,
    'the judge demands no restart that no process can know of if a label brought the source into the selection and it was edited before it was listed again after a restore',
    /is restored to revision[^]*take in ConfigMap default\/app[^]*edit ConfigMap default\/app/,
  ],
  [
    81_133_598,
    'the judge demands no restart that no process can know of if a label brought the source into the selection and it was edited while the watch was silent',
    / select Secret default\/db[^]*edit Secret default\/db/,
  ],
  [
    141_597_086,
    'the judge demands no restart that no process can know of if a source with the label was created together with its workload and edited while the watch was broken',
    /edit ConfigMap shop\/app by alice {[^]*stream-reset: GET \/api\/v1\/configmaps/,
  ],
  [
    141_421_588,
    'the judge grants a restart the time until a kind is seen to be served if the statuses of a CSI driver are served later than Reroll starts',
    /show other versions in status store-[^]*MODIFIED StatefulSet default\/store/,
  ],
  [
    1_500_011_966,
    'the judge grants a restart the time of its settle window which an edit of a source that does not match extends',
    /edit Secret shop\/db by carol[^]*edit ConfigMap shop\/app by alice/,
  ],
  [
    1_400_003_978,
    'the judge accepts a restart in doubt if a key was removed while no label selected the source, and shows only after the workload was created',
    /deselect ConfigMap default\/app[^]*edit ConfigMap default\/app[^]*select ConfigMap default\/app[^]*create DaemonSet/,
  ],
  [
    3_351,
    'the judge takes a restart for one that may begin if what held it ended in the millisecond in which it was decided',
    /take reroll\.dev\/hold away from Namespace \/default[^]*ADDED Job default\/migrate/,
  ],
  [
    31_418_366,
    'the judge lets a later wave restart if an earlier one that the change does not concern restarts for another source',
    /put reroll\.dev\/wave: 5 on StatefulSet default\/store[^]*MODIFIED DaemonSet default\/agent[^]*MODIFIED StatefulSet default\/store/,
  ],
  /** Everything is forbidden until after the label has gone, and nothing tells when it went. */
  [
    858_727_304,
    'a source that a removed label lets in before the first lists are complete counts as there since before, as it is first seen',
    /forbidden[^]*take in ConfigMap default\/extra[^]*MODIFIED StatefulSet default\/store/,
  ],
  /** A late record names the author of a state that nobody saw. Somebody else returns to it, and both have written it. */
  [
    161_570_807,
    'a restart that is held names the authors that are known since its state was shown',
    /create ConfigMap reroll\/reroll-hold[^]*edit ConfigMap default\/extra/,
  ],
  /** It is dated by the list that shows it, and workloads that were created before that restart once in doubt. */
  [
    429_247_207,
    'a source that was created again unseen may have lost a key since if its predecessor had a key that it lacks',
    /cut off[^]*delete ConfigMap default\/app [^]*create ConfigMap default\/app /,
  ],
  /** It is dated by the list that shows it, and workloads that were created before that restart once in doubt. */
  [
    429_246_952,
    'a source that was created again unseen may have lost a key since if nobody has read what keys its predecessor had',
    /delete ConfigMap shop\/app [^]*create ConfigMap shop\/app /,
  ],
  [
    521_248_076,
    'a list of keys that is edited while no process runs lets a young workload restart in doubt: nobody knows since when the keys count',
    /is killed[^]*put reroll.dev\/keys: color on Secret default\/db[^]*engine-0-2 starts/,
  ],
  [
    521_232_233,
    'a content that was compacted before it was read may have lost a key by the write that replaced it, even if that set an annotation',
    /put reloader.stakater.com\/match of ConfigMap default\/extra[^]*compacts its history/,
  ],
  [
    577_223_456,
    'the judge demands nothing for a baseline that nobody saw because etcd was restored, and somebody replaced its workload in the same second',
    /is restored to revision[^]*replace Deployment shop\/api/,
  ],
  [
    577_222_401,
    'the judge accepts a restart for the absence of a source if its creation was undone by a restore of etcd, and a process had restarted for it before it knew of that',
    /is restored to revision[^]*"cm\/app":"-"/,
  ],
  [
    271_831_908,
    'the judge accepts a Job that is created again in a namespace that is left out, if its entry in the journal was written before that was known',
    /deselect Namespace \/default[^]*MODIFIED Secret reroll\/reroll-job[^]*DELETED Job default\/migrate/,
  ],
  [
    81_128_007,
    'the judge accepts a record that is written again without a restart, for another formatting of a source that is compared parsed',
    /put reroll\.dev\/compare: parsed on ConfigMap default\/extra[^]*put reroll\.dev\/keys: !token on StatefulSet default\/store/,
  ],
  [
    314_163_987,
    'the judge accepts a record that is written again without a run of a CronJob, for another formatting of a source that is compared parsed, and with another list',
    /put reroll\.dev\/keys: c\?lor,\*\.json on ConfigMap default\/app[^]*MODIFIED CronJob default\/report/,
  ],
  [
    1_139_460,
    'the judge accepts a record that is written again if the numbers began anew, and the next leader knows only the one of before',
    /deselect Namespace \/shop[^]*select Namespace \/shop/,
  ],
  [
    1_140_383,
    'the judge accepts a restart for a key that is gone and that only a longer list counts, of a source that is compared parsed',
    /put reroll\.dev\/keys: color, size on DaemonSet default\/agent/,
  ],
  [
    57_725_164,
    'the judge accepts a restart long after it may begin, if others took out what an attempt had written',
    /gatekeeper takes out the marker and record of what is written in default[^]*gatekeeper lets be/,
  ],
  [
    66_274_800,
    'the judge lets another workload go first if a content comes back, and the one that went first with it has another one on record since',
    /break everybody with ConfigMap default\/extra/,
  ],
  [
    66_263_184,
    'a world is not over before a watch of sources that lags has shown the last of them',
    /edit ConfigMap shop\/app by alice[^]*all faults end[^]*its batch reaches engine-0-1: 202, ConfigMap shop\/app by carol/,
  ],
  [
    751,
    'the judge takes a record for a true one if it is of an owed key as it was, and of another one as it was when that began to count',
    /put reroll\.dev\/hold[^]*edit Secret default\/db[^]*edit references of DaemonSet default\/agent/,
  ],
  [
    173_916_914,
    'the judge takes a restart for one in time if its interval counts from a restart that came with an edit',
    /put reroll\.dev\/min-interval[^]*edit image of Deployment shop\/api/,
  ],
  [
    173_917_240,
    'the judge takes a restart for one in time if it answers what a restore of etcd has brought back',
    /edit Secret default\/db[^]*is restored to revision/,
  ],
  [
    341_747_396,
    'the judge takes a restart for one in doubt if others took out a record of what a source contained shortly before the workload was created',
    /takes out the record[^]*edit Secret default\/db[^]*create Deployment default\/web/,
  ],
  [
    518_331_107,
    'the judge of stages counts a Job that was restarted for a change, and since for another one',
    /put reroll\.dev\/wave[^]*ADDED Job default\/migrate[^]*ADDED Job default\/migrate/,
  ],
  [
    733_195_807,
    'the judge demands no restart that was forgotten with its namespace before its record could be taken back',
    /gatekeeper takes out the marker[^]*throttled-for-a-day: PATCH \S+\/store [^]*take in Namespace \/default/,
  ],
  [
    427_735_576,
    'the judge demands no restart that no process can know of if a workload used a key that did not exist, came to use others while no process ran, and the source was then deleted and created again',
    /engine-0-1 has stopped[^]*edit references of Deployment default\/web[^]*create Secret default\/db/,
  ],
  [
    906_642_634,
    'the judge expects a held restart only when a rollout of somebody else has ended, or after ten minutes: its pods lacked a key',
    /edit image of Deployment default\/web[^]*take reroll\.dev\/hold away from Namespace \/default/,
  ],
  [
    906_644_777,
    'the judge accepts a restart for content that came back after a record that a webhook took out whole, so that it was in memory alone',
    /takes out the marker and record[^]*edit image of StatefulSet default\/store[^]*edit ConfigMap default\/app/,
  ],
  [
    533_479_368,
    'the judge accepts a restart for a key that may have counted: its list was edited just before a read that shows several edits as one',
    /put reroll\.dev\/keys: \* on Secret default\/db[^]*put reroll\.dev\/keys: !token on DaemonSet default\/agent/,
  ],
  [
    533_490_531,
    'the judge leaves the baseline of an earlier object out, which a rollback has brought back',
    /delete Deployment shop\/api[^]*create Deployment shop\/api[^]*roll back Deployment shop\/api/,
  ],
  [
    611_302_574,
    'the judge accepts a restart for a key that was removed in the second in which the list on the workload let it count, though the restart was refused for long',
    /edit ConfigMap default\/extra[^]*put reroll\.dev\/keys: !token on DaemonSet default\/agent[^]*denied: PATCH \S+\/agent /,
  ],
  [
    530_077_491,
    'the judge demands no restart that lost its marker and its answer before somebody scaled the Deployment, which no controller rolls out',
    /takes out the marker[^]*lost-answer: PATCH \S+\/api [^]*scale Deployment shop\/api/,
  ],
  [
    710_008_820,
    'the judge leaves time to try again after another admission webhook has refused a restart for long',
    /refuses what is stored in default[^]*lets be what is in default/,
  ],
  [
    720_009_113,
    'the judge demands no restart whose record was lost before a deaf process saw that its namespace is selected again',
    /leave out Namespace \/default[^]*take in Namespace \/default[^]*"n\\":-1[^]*StatefulSet default\/store/,
  ],
  [
    720_010_635,
    'the judge does not demand the author of the last change if the restart is for a key that was changed before',
    /freezes, for 90000 ms[^]*by alice \{"color":"value-1-","token":"value-14-"\}[^]*by bob \{"color":"value-1-"\}/,
  ],
  /** Both edits have the same values, and the list between them no longer counts another key. */
  [
    800_009_098,
    'a source that is compared parsed may be recorded in another formatting without a restart, though its list of keys changes',
    /put reroll\.dev\/keys: !token on ConfigMap default\/app[^]*settings\.json[^]*put reroll\.dev\/keys: c\?lor,\*\.json on ConfigMap default\/app/,
  ],
  [
    830_004_752,
    'the judge demands no author for a state to which a restore of etcd has led back from one that a Job had run for',
    /ADDED Job default\/report-[^]*edit ConfigMap default\/extra[^]*is restored[^]*ADDED Job default\/report-/,
  ],
  [
    850_009_325,
    'the judge accepts doubt about a Secret that took the place of another with more keys before a DaemonSet was created, and that a late first list showed after it',
    /create Secret default\/db[^]*create DaemonSet default\/agent[^]*MODIFIED DaemonSet default\/agent/,
  ],
  [
    860_004_663,
    'the judge accepts that an undone content of a ConfigMap that does not count stays recorded: the record was refused before the restore of etcd',
    /put reloader\.stakater\.com\/match of ConfigMap default\/extra[^]*forbidden: PATCH \/apis\/apps\/v1\/namespaces\/default\/statefulsets\/store[^]*is restored to revision/,
  ],
  [
    870_014_931,
    'who takes a key away that came after the source was recorded as absent is no author of a restart for its other keys',
    /create ConfigMap default\/app [^]*edit ConfigMap default\/app by alice {"color"[^]*edit ConfigMap default\/app by bob {"size"/,
  ],
  [
    900_002_130,
    'the judge knows that a Deployment that is scaled to 0 shows nothing, so the next one goes first after it',
    /scale Deployment default\/web[^]*MODIFIED Deployment default\/web .*"n":2[^]*MODIFIED DaemonSet default\/agent .*"n":3/,
  ],
  [
    910_007_664,
    'the judge does not take a lost digest key, under which all entries differ, for changes of sources that no window keeps',
    /delete Secret reroll\/reroll-digest-key[^]*put reroll\.dev\/windows: .* on Secret default\/db[^]*MODIFIED DaemonSet default\/agent .*"n":2/,
  ],
  [
    910_019_326,
    'the judge knows that a partition keeps a watch silent for longer than it lags: a removed key is dated by its arrival, after the list that counts it',
    /edit ConfigMap default\/app by carol {"color":"value-1-","token"[^]*put reroll\.dev\/keys: color, size on Deployment default\/web[^]*MODIFIED Deployment default\/web .*"n":2/,
  ],
];

describe.each([
  ['of the engine', ofTheEngine],
  ['of the judge', ofTheJudge],
])('regressions %s', (_whose, regressions) => {
  it.each(regressions)('%i: %s', async (seed, _what, expected) => {
    const { violations, story } = await simulate(drawWorld(seed));
    expect(violations).toEqual([]);
    expect(story.join('\n')).toMatch(expected);
  });
});
