import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

const PROCESS_TABLE = '/proc';

/** Names a process beyond its pid, which the system gives out again. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** Changes at every boot; empty where the system has none. */
  readonly bootId: string;
  /** When the process started, in clock ticks since boot; 0 where the system does not say. */
  readonly startTicks: number;
}

let own: ProcessIdentity | undefined;

export function ownIdentity(): ProcessIdentity {
  own ??= identifyProcess(PROCESS_TABLE);
  return own;
}

/** This process as the table of processes has it, where there is one. */
export function identifyProcess(table: string): ProcessIdentity {
  return {
    pid: process.pid,
    host: hostname(),
    bootId: readBootId(table),
    startTicks: readStartTicks(table, process.pid) ?? 0,
  };
}

/** Whether that very process still runs here. On another host it counts as alive: this process cannot tell. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (identity.host !== hostname()) return true;
  if (identity.bootId !== ownIdentity().bootId) return false;
  const startTicks = readStartTicks(PROCESS_TABLE, identity.pid);
  if (startTicks !== undefined) return startTicks === identity.startTicks;
  return process.platform !== 'linux' && answersSignals(identity.pid);
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function readBootId(table: string): string {
  return readIfThere(`${table}/sys/kernel/random/boot_id`)?.trim() ?? '';
}

function readStartTicks(table: string, pid: number): number | undefined {
  const text = readIfThere(`${table}/${pid}/stat`);
  if (text === undefined) return undefined;
  // The second field is the program's name in parentheses and may hold anything; count from its end.
  const afterName = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(afterName[19]);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not Linux, or no such process: both mean that nothing is known.
    return undefined;
  }
}
