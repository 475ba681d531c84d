import { ValidationError } from './errors.ts';
import { SCHEMA_VERSION } from './records.ts';

/**
 * Versions of the records. Reading lifts an old record step by step to the current version; the log itself
 * is rewritten at the first write to it, or by `migrateSessions` for all logs. A record from a later version
 * is refused as a whole: skipping what one does not understand is a way of losing it.
 */
export type RawRecord = Readonly<Record<string, unknown>>;
type SchemaStep = (record: RawRecord) => RawRecord;

export interface Schema {
  readonly version: number;
  /** The step at `n` lifts a record from version `n` to `n + 1`. */
  readonly steps: Readonly<Record<number, SchemaStep>>;
}

export const currentSchema: Schema = { version: SCHEMA_VERSION, steps: {} };

/** Records that a person wrote without a version count as current. */
export function versionOf(record: RawRecord, schema: Schema): number {
  return typeof record.schema_version === 'number' ? record.schema_version : schema.version;
}

/** @throws ValidationError SCHEMA_TOO_NEW, also for a version that no step leads from */
export function liftRecord(record: RawRecord, schema: Schema): RawRecord {
  let lifted = record;
  for (let version = versionOf(record, schema); version !== schema.version; version++) {
    const step = schema.steps[version];
    if (step === undefined) {
      throw new ValidationError(
        'SCHEMA_TOO_NEW',
        `This store holds records of schema version ${version}; this Longhand reads up to version ` +
          `${schema.version}. Use a Longhand that knows it. Nothing was changed.`,
        { details: { version, supported: schema.version } },
      );
    }
    lifted = { ...step(lifted), schema_version: version + 1 };
  }
  return lifted;
}
