import { expect, it } from '@jest/globals';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { otlpRequest } from './otlp-request';
import { spanOf } from './span.fixture';

const resource = resourceFromAttributes({ 'service.name': 'reroll-webhook' });

function sent(...spans: Parameters<typeof otlpRequest>[0]): unknown {
  return JSON.parse(otlpRequest(spans, resource).toString());
}

it('is OTLP in JSON: ids in hex, times in nanoseconds as text, each attribute with its type', () => {
  const span = spanOf({
    parentSpanId: 'c'.repeat(16),
    startMs: 1_767_225_600_000.25,
    attributes: { 'reroll.keys': ['color', 'size'], 'server.port': 8444, 'reroll.change.id': 'e7d18842' },
    links: [{ traceId: 'd'.repeat(32), spanId: 'e'.repeat(16) }],
  });
  expect(sent(span)).toMatchObject({
    resourceSpans: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'reroll-webhook' } }] },
        scopeSpans: [
          {
            scope: { name: 'reroll', version: '0.0.0-test' },
            spans: [
              {
                ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentSpanId: 'c'.repeat(16) },
                ...{ name: 'admit ConfigMap', kind: 2, status: { code: 0 } },
                startTimeUnixNano: '1767225600000250000',
                endTimeUnixNano: '1767225600012000000',
                attributes: [
                  {
                    key: 'reroll.keys',
                    value: { arrayValue: { values: [{ stringValue: 'color' }, { stringValue: 'size' }] } },
                  },
                  { key: 'server.port', value: { intValue: 8444 } },
                  { key: 'reroll.change.id', value: { stringValue: 'e7d18842' } },
                ],
                links: [{ traceId: 'd'.repeat(32), spanId: 'e'.repeat(16) }],
              },
            ],
          },
        ],
      },
    ],
  });
});

it('has all spans of a process in one group, the first of a trace without a parent', () => {
  const request = sent(spanOf(), spanOf({ spanId: 'f'.repeat(16) })) as {
    readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly object[] }[] }[];
  };
  expect(request.resourceSpans).toHaveLength(1);
  const [group, ...others] = request.resourceSpans[0]!.scopeSpans;
  expect([group?.spans.length, others]).toEqual([2, []]);
  expect(group?.spans[0]).not.toHaveProperty('parentSpanId');
});

it('says what failed', () => {
  expect(JSON.stringify(sent(spanOf({ error: 'FORBIDDEN' })))).toContain('"status":{"code":2,"message":"FORBIDDEN"}');
});
