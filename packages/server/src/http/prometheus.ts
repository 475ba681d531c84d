import { type MetricsSnapshot, TIMING_BUCKETS_MS } from 'longhand';

const HELP: Readonly<Record<string, string>> = {
  'memory.sessions.active': 'Number of active sessions',
  'memory.entries.total': 'Total memory entries',
  'memory.size.bytes': 'Total storage used',
  'memory.operations.write.duration_ms': 'Write latency',
  'memory.operations.query.duration_ms': 'Query latency',
  'memory.locks.contention.count': 'Times that a write waited for a lock, or gave up',
  'memory.compaction.count': 'Number of compactions',
  'memory.errors.corruption.count': 'Corruption errors',
  'memory.retention.runs.count': 'Times that this process has pruned the store',
  'memory.retention.removed.count': 'Messages and details that it has removed because of their age',
  'longhand.redis.up': 'Whether Redis answers; 0 while the server does without it',
  'memory.embedder.texts.count': 'Texts that the embedder has turned into vectors',
  'memory.embedder.failures.count': 'Failures of the embedder',
  'memory.embedder.duration_ms': 'Latency of the embedder',
};

/** Requests by what they asked for and how they were answered. */
export class RequestCounts {
  readonly #counts = new Map<string, number>();

  count(operation: string, status: number): void {
    const labels = `operation="${operation}",status="${status}"`;
    this.#counts.set(labels, (this.#counts.get(labels) ?? 0) + 1);
  }

  lines(): string[] {
    const name = 'longhand_http_requests_total';
    return [
      `# HELP ${name} HTTP requests`,
      `# TYPE ${name} counter`,
      ...[...this.#counts].map(([labels, count]) => `${name}{${labels}} ${count}`),
    ];
  }
}

/** The metrics as Prometheus reads them. */
export function renderMetrics(
  { gauges, counters, timings }: MetricsSnapshot,
  requests: RequestCounts,
): string {
  const lines: string[] = [];
  const begin = (metric: string, type: string): string => {
    const name = metric.replaceAll('.', '_');
    lines.push(`# HELP ${name} ${HELP[metric] ?? metric}`, `# TYPE ${name} ${type}`);
    return name;
  };
  for (const [metric, value] of Object.entries(gauges)) lines.push(`${begin(metric, 'gauge')} ${value}`);
  for (const [metric, value] of Object.entries(counters)) lines.push(`${begin(metric, 'counter')} ${value}`);
  for (const [metric, { count, sum, buckets }] of Object.entries(timings)) {
    const name = begin(metric, 'histogram');
    const bounds = [...TIMING_BUCKETS_MS, '+Inf'];
    for (const [i, bound] of bounds.entries())
      lines.push(`${name}_bucket{le="${bound}"} ${buckets[i] ?? count}`);
    lines.push(`${name}_sum ${sum}`, `${name}_count ${count}`);
  }
  return `${[...lines, ...requests.lines()].join('\n')}\n`;
}
