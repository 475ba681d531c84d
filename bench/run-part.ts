import { parseArgs } from 'node:util';
import { describeMachine } from './machine.ts';
import { PARTS } from './parts/index.ts';
import { GOALS_MISSED, type PartName } from './parts/names.ts';
import { formatFigure, formatMeasured, writeResult } from './report.ts';
import type { Findings } from './result.ts';

/** Runs one part, in a process of its own, so that no part inherits another's heap or compiled code. */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const part = positionals[0] as PartName;
const machine = describeMachine();
const findings = await PARTS[part]({ isQuick: values.quick });
print(findings);
if (!values.quick) writeResult({ part, machine, ...findings });
// Peers that hold timers and threads would keep the process alive.
process.exit(findings.goals.every(({ isMet }) => isMet) ? 0 : GOALS_MISSED);

function print({ title, measurements, goals }: Findings): void {
  console.log(`\n${title}`);
  for (const { name, unit, value } of measurements) {
    const figures =
      typeof value === 'number'
        ? formatFigure(value, unit)
        : `p50 ${formatFigure(value.p50, unit)}, p95 ${formatFigure(value.p95, unit)}, p99 ${formatFigure(value.p99, unit)}`;
    console.log(`  ${name}: ${figures}`);
  }
  for (const goal of goals) {
    const mark = goal.isMet ? 'met   ' : 'MISSED';
    console.log(
      `  ${mark} ${goal.what}: ${formatMeasured(goal)}, ${goal.bound} ${formatFigure(goal.limit, goal.unit)}`,
    );
  }
}
