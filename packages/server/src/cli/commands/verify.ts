import type { DamagedPlace, VerifyReport } from 'longhand';
import { placeOfStore, storeField } from '../../config/server-config.ts';
import { noteVerification } from '../../last-verification.ts';
import type { CommandRun } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { counted, type Output, plain } from '../output.ts';
import { ProgressBar } from '../progress-bar.ts';
import { type StateReport, verifyState } from '../verify-state.ts';

const MEANINGS: Readonly<Record<DamagedPlace['kind'], string>> = {
  checksum: 'the line is not what was written',
  torn: 'the line is no whole JSON: cut off while it was written, or written by hand',
  sequence: 'the number of the line is out of order; the line is in use',
  schema: 'the line is no record that this version can read',
  version:
    'the line is of another version; all of this file is left out until a longhand reads it that knows it',
  owner: 'the owner of the session is unknown; all of it is left out',
  unnamed: 'no list names the session; it is found by its id only',
  lost: 'lines are gone',
  missing: 'the file is not there',
  digest: 'the detail is not what was written',
  index: 'the index cannot be used; longhand rebuilds it automatically',
  vectors: 'the vectors cannot be used; longhand rebuilds them automatically',
  unreadable: 'the file cannot be read',
};

export const verify: CommandRun = async ({ config, context, output, signal }) => {
  const { openExisting } = await import('../../open-store.ts');
  await using manager = await openExisting(config, { accountId: context.identity.account_id });
  using bar = new ProgressBar(output, 'Verifying', 'parts');
  const ofStore = await manager.verify(bar.follow(signal));
  bar.end();
  const ofState = await verifyState(config);
  const report: Report = {
    ...ofStore,
    ...ofState,
    unfinished_bytes: ofStore.unfinished_bytes + ofState.unfinished_bytes,
    unfinished: [...ofStore.unfinished, ...ofState.unfinished],
    damage: [...ofStore.damage, ...ofState.damage],
  };
  noteVerification(config, context.identity.account_id, report.damage.length);
  const isSound = report.damage.length === 0;
  if (output.isJson) output.json({ ...storeField(config), is_sound: isSound, ...report });
  else show(output, report, placeOfStore(config));
  return isSound ? EXIT.done : EXIT.failed;
};

type Report = VerifyReport & StateReport;

function show(output: Output, report: Report, root: string): void {
  const { damage } = report;
  const blocks =
    report.vector_blocks === 0 ? '' : ` and ${counted(report.vector_blocks, 'block')} of vectors`;
  output.line(
    `Checked ${counted(report.lines, 'line')} in ${counted(report.logs, 'log')}, ${counted(report.details, 'detail')} and ${counted(report.index_segments, 'index segment')}${blocks} in ${root}.`,
  );
  if (report.spooled_messages + report.key_lines > 0) {
    output.line(
      `Of the server: ${counted(report.spooled_messages, 'message')} in the spool, ${counted(report.key_lines, 'line')} about API keys.`,
    );
  }
  if (report.set_aside_lines > 0) {
    output.line(
      output.dim(`${counted(report.set_aside_lines, 'line')} of the spool set aside: they cannot be read.`),
    );
  }
  if (report.unverified_lines > 0) {
    output.line(
      output.dim(`${counted(report.unverified_lines, 'line')} without a checksum, written by hand.`),
    );
  }
  showUnfinished(output, report.unfinished);
  if (damage.length === 0) {
    output.line(output.paint('green', 'No damage.'));
    return;
  }
  output.line(output.paint('red', `${counted(damage.length, 'damaged place')}:`));
  for (const { place, offset, line, kind, reason } of damage) {
    const where = line === undefined ? place : `${place}:${line}`;
    output.line(`  ${output.bold(where)}  ${output.dim(`at byte ${offset}`)}  ${kind}: ${MEANINGS[kind]}`);
    if (reason !== undefined) output.line(`    ${plain(reason)}`);
  }
  const has = (...kinds: readonly DamagedPlace['kind'][]): boolean =>
    damage.some(({ kind }) => kinds.includes(kind));
  if (has('checksum'))
    output.note(
      'If you edited a line yourself: take its last field out, from ,"checksum" up to the closing brace, and it counts again.',
    );
  if (has('missing', 'lost')) output.note('What is not there can only come from a backup.');
  if (damage.some(({ kind, reason }) => kind === 'missing' && reason !== undefined))
    output.note(
      'If the log of a session or agent is gone for good: remove its folder, and it is not reported again.',
    );
  if (has('lost'))
    output.note('If you took lines out yourself: longhand reindex takes the log as it is from then on.');
  if (has('sequence'))
    output.note('Lines that are out of order are in use. longhand compact renumbers them.');
  if (has('checksum', 'torn', 'schema')) {
    const rest = has('version', 'owner') ? 'everything in other files is' : 'everything else is';
    output.note(`Damaged lines are skipped and kept; ${rest} in use. longhand compact sets them aside.`);
  }
}

/** A process that was killed leaves such a line, and the next write heals it: a warning, no damage. */
function showUnfinished(output: Output, lines: Report['unfinished']): void {
  if (lines.length === 0) return;
  for (const { place, offset, bytes } of lines) {
    const what = `An unfinished line of ${counted(bytes, 'byte')} at byte ${offset}`;
    output.line(`${output.paint('yellow', what)}: ${output.bold(plain(place))}`);
  }
  output.line(
    output.dim(
      'A write that was cut off and never acknowledged, or a line that lost its end. The next write to the file closes it off.',
    ),
  );
}
