import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

/** The example for Docker Compose names only what is there. It is not started: that takes Docker. */
const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'examples/compose');

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: object;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
}

const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const { services, volumes } = parse(read('compose.yaml'), { merge: true }) as Compose;
const example = readFileSync(join(ROOT, 'packages/server/config.yaml.example'), 'utf8');
const variables = [...example.matchAll(/^ *# (LONGHAND_[A-Z_]+), --/gm)].map(([, name]) => name);

it('starts Postgres, Redis, two servers and a proxy', () => {
  expect(Object.entries(services).map(([name, { image }]) => [name, image])).toEqual([
    ['postgres', 'postgres:15'],
    ['redis', 'redis:7'],
    ['server1', 'longhand-server'],
    ['server2', 'longhand-server'],
    ['proxy', 'caddy:2'],
  ]);
  for (const { depends_on = [] } of Object.values(services)) {
    const names = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
    for (const name of names) expect(services).toHaveProperty(name);
    for (const [name, { condition }] of Object.entries(Array.isArray(depends_on) ? {} : depends_on))
      if (condition === 'service_healthy') expect(services[name]).toHaveProperty('healthcheck');
  }
});

it('names volumes and files that are there, and keeps no state of two servers in one', () => {
  const named = Object.values(services).flatMap((service) => service.volumes ?? []);
  const sources = named.map((volume) => volume.split(':')[0]!);
  for (const source of sources) {
    if (source.startsWith('.')) expect(existsSync(join(FOLDER, source)), source).toBe(true);
    else expect(volumes).toHaveProperty(source);
  }
  expect(new Set(sources).size).toBe(sources.length);
  expect(statSync(join(FOLDER, 'make-database.sh')).mode & 0o111).not.toBe(0);
});

it('sets variables that the server knows', () => {
  const ofImage = [...read('Dockerfile').matchAll(/\b(LONGHAND_[A-Z_]+)=/g)].map(([, name]) => name);
  expect(ofImage).toEqual(['LONGHAND_HOST', 'LONGHAND_STATE_FOLDER']);
  const ofServers = ['server1', 'server2'].flatMap((name) => Object.keys(services[name]!.environment!));
  for (const name of [...ofImage, ...ofServers]) expect(variables).toContain(name);
});

it('builds from files of the repository, and the proxy names the servers', () => {
  const { build } = services.server1!;
  expect(join(FOLDER, build!.context)).toBe(ROOT.replace(/\/?$/, '/').slice(0, -1));
  expect(existsSync(join(ROOT, build!.dockerfile))).toBe(true);
  for (const [, path] of read('Dockerfile').matchAll(/\/longhand\/(packages\/[\w/.]+\.js)/g))
    expect(existsSync(join(ROOT, path!)), path).toBe(true);
  for (const [, name, port] of read('Caddyfile').matchAll(/\b(server\d):(\d+)/g)) {
    expect(services).toHaveProperty(name!);
    expect(port).toBe(/EXPOSE (\d+)/.exec(read('Dockerfile'))![1]);
  }
});
