import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeMachine } from './machine.ts';
import { PARTS } from './parts/index.ts';
import { printFindings, RESULTS_FOLDER } from './report.ts';

/** Runs one part in a process of its own, so that no part inherits another's heap or compiled code. */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false } },
});
const name = positionals[0]!;
const findings = await PARTS[name]!({ isQuick: values.quick });
printFindings(findings);
if (!values.quick) {
  mkdirSync(RESULTS_FOLDER, { recursive: true });
  const record = { part: name, machine: describeMachine(), ...findings };
  writeFileSync(join(RESULTS_FOLDER, `${name}.json`), `${JSON.stringify(record, undefined, 2)}\n`);
}
// Those peers that hold timers and threads would keep the process alive.
process.exit(findings.goals.every(({ isMet }) => isMet) ? 0 : 1);
