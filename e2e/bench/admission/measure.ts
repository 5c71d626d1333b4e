import { MetricSamples } from '../../metric-samples';
import { histogramQuantile } from '../histogram-quantile';
import { ownCores, stayOn } from '../machine';
import { processUsage } from '../process-usage';
import type { Figure, Measured } from '../result';
import { median, quantile } from '../statistics';
import { closedLoop, connectionCount, openLoop } from './load';
import { ReviewConnection } from './review-connection';
import { ReviewRequests, secretBytes, secretNames } from './review-requests';
import type { Setting as BenchSetting } from '../benches';
import { startWebhook, webhookServerName, type WebhookUnderTest } from './webhook-under-test';

const rate = { perSecond: 200, seconds: 30 };
const warmUpSeconds = 3;
const saturation = { runs: 7, seconds: 5 };

const duration = 'reroll_webhook_review_duration_seconds';
const mib = 1024 * 1024;

interface Setting {
  readonly webhook: WebhookUnderTest;
  readonly connections: readonly ReviewConnection[];
  readonly requests: ReviewRequests;
}

/** The bench `admission`: reviews at a steady rate, then as many as it can answer. */
export async function measureAdmission({ tell }: BenchSetting): Promise<Measured> {
  const cores = ownCores();
  if (cores) stayOn(cores.measuring);
  const webhook = await startWebhook(cores?.measured);
  try {
    const { port, ca } = webhook;
    const open = async (): Promise<ReviewConnection> => await ReviewConnection.open(port, ca, webhookServerName);
    const connections = await Promise.all(Array.from({ length: connectionCount }, open));
    const setting = { webhook, connections, requests: new ReviewRequests(webhook.token) };
    // The bar of memory is of a process that runs at this rate, so this comes before it is driven any harder.
    tell(`${rate.perSecond} reviews a second for ${rate.seconds} s …`);
    const steady = await atRate(setting);
    const saturated = await atSaturation(setting, tell);
    for (const connection of connections) connection.close();
    return {
      conditions: {
        Secret: `${secretBytes / 1024} KiB in 16 keys, one of them changed; ${secretNames} Secrets`,
        review: `${setting.requests.bodyBytes} bytes: the new object and the old one`,
        connections: connectionCount,
        cores: cores ? `webhook on ${cores.measured}, load on ${cores.measuring}` : 'not kept apart',
        'steady load': `${rate.perSecond} a second at random times, ${rate.seconds} s`,
        saturation: `${saturation.runs} runs of ${saturation.seconds} s`,
      },
      figures: [...steady, ...saturated],
    };
  } finally {
    await webhook.stop();
  }
}

async function atRate({ webhook, connections, requests }: Setting): Promise<readonly Figure[]> {
  const { metricsAddress, pid } = webhook;
  await openLoop(connections, requests, { ...rate, seconds: warmUpSeconds });
  const [before, usedBefore] = [await scrape(metricsAddress), processUsage(pid)];
  const tookMs = await openLoop(connections, requests, rate);
  const [after, used] = [await scrape(metricsAddress), processUsage(pid)];
  const own = (share: number): number => histogramQuantile(before, after, duration, share).value * 1000;
  const cpuSeconds = used.cpuSeconds - usedBefore.cpuSeconds;
  return [
    { name: 'own time of a review, p50', value: own(0.5), unit: 'ms' },
    { name: 'own time of a review, p99', value: own(0.99), unit: 'ms', bar: { atMost: 3 } },
    { name: 'time as the caller sees it, p50', value: quantile(tookMs, 0.5), unit: 'ms' },
    { name: 'time as the caller sees it, p99', value: quantile(tookMs, 0.99), unit: 'ms' },
    { name: 'reviews', value: tookMs.length / rate.seconds, unit: '/s' },
    { name: 'of a core', value: (cpuSeconds / rate.seconds) * 100, unit: '%' },
    { name: 'resident memory', value: used.residentBytes / mib, unit: 'MiB' },
    { name: 'resident memory, the most', value: used.peakResidentBytes / mib, unit: 'MiB', bar: { atMost: 120 } },
    ...losses('at that rate', before, after),
  ];
}

async function atSaturation(
  { webhook, connections, requests }: Setting,
  tell: (what: string) => void,
): Promise<readonly Figure[]> {
  const { metricsAddress, pid } = webhook;
  await closedLoop(connections, requests, warmUpSeconds);
  const before = await scrape(metricsAddress);
  const rates: number[] = [];
  const perCpuSecond: number[] = [];
  for (let run = 1; run <= saturation.runs; run++) {
    tell(`as many as it can, run ${run} of ${saturation.runs} …`);
    const usedBefore = processUsage(pid);
    const { reviews, elapsedSeconds } = await closedLoop(connections, requests, saturation.seconds);
    rates.push(reviews / elapsedSeconds);
    perCpuSecond.push(reviews / (processUsage(pid).cpuSeconds - usedBefore.cpuSeconds));
  }
  const after = await scrape(metricsAddress);
  const own = histogramQuantile(before, after, duration, 0.99).value * 1000;
  return [
    { name: 'reviews at saturation', value: median(rates), unit: '/s', runs: rates, bar: { atLeast: 1_500 } },
    // Others at work on its core take from the rate, and nothing from this.
    { name: 'reviews for a second of its core', value: median(perCpuSecond), unit: '', runs: perCpuSecond },
    { name: 'own time of a review at saturation, p99', value: own, unit: 'ms' },
    { name: 'resident memory, the most ever', value: processUsage(pid).peakResidentBytes / mib, unit: 'MiB' },
    ...losses('at saturation', before, after),
  ];
}

/** What must have been done for all of that to count. */
function losses(when: string, before: MetricSamples, after: MetricSamples): readonly Figure[] {
  const increase = (name: string, labels = {}): number => after.sum(name, labels) - before.sum(name, labels);
  const captured = increase('reroll_webhook_records_total', { result: 'sent' });
  return [
    { name: `records captured ${when}`, value: captured, unit: '' },
    { name: `reviews shed ${when}`, value: increase('reroll_webhook_shed_total'), unit: '' },
    { name: `records lost ${when}`, value: increase('reroll_channel_dropped_records_total'), unit: '' },
  ];
}

async function scrape(address: string): Promise<MetricSamples> {
  return new MetricSamples(await (await fetch(`http://${address}/metrics`)).text());
}
