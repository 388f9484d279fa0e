import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setInterval } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { generateDataset } from '../../../src/simulator/dataset.ts';
import { openNewScene, type Scene } from '../../crash/scene.ts';
import { read } from '../../deploy/known.ts';
import { freePort } from '../../server/site.ts';
import { disagreements } from '../../support/agreement.ts';
import { ended } from '../../support/callsheet.ts';
import { createDatabase } from '../../support/database.ts';
import { blocksOf } from '../../support/documents.ts';
import { bounded, searched } from '../../support/peers.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { bases, buildImage, image, makeBases } from './base.ts';
import { openStore, type Store } from './store.ts';

/** What the image adds to its base: packages and our own files. */
const maxAddedBytes = 60e6;
const user = 1000;
/** As compose.yaml has it: Docker, unlike Podman, has no writable /tmp beside a read-only root. */
const confined = [
  '--read-only',
  '--read-only-tmpfs=false',
  '--cap-drop=all',
  '--security-opt=no-new-privileges',
];
/** Else Podman sets what a machine of a CI may lack the rights for. */
const limits = ['--ulimit=nofile=1024:1024', '--ulimit=nproc=4096:4096', '--pids-limit=-1'];

let store: Store;
beforeAll(async () => {
  store = await openStore();
  await makeBases(store);
  await buildImage(store);
});
afterAll(() => store?.close());

/** Options of a container on this machine's network, and the image. */
const container = (...options: readonly string[]) => [
  'run',
  '--rm',
  '--pull=never',
  '--network=host',
  ...limits,
  ...options,
  image,
];

describe('the image, built by buildah on Debian with our Node', () => {
  it('adds little to its base, and needs no npm there', async () => {
    const names = [image, bases.run];
    const { output } = await store.podman('image', 'inspect', '--format={{.Size}}', ...names);
    const [ours, base] = output.trim().split('\n').map(Number);
    expect(ours! - base!).toBeGreaterThan(0);
    expect(ours! - base!).toBeLessThan(maxAddedBytes);
  });

  it('has the text of each package’s licence', async () => {
    const script = `
      const { globSync, readFileSync, readdirSync } = process.getBuiltinModule('fs');
      const licensed = (folder) => readdirSync(folder).some((file) =>
        /^licen[sc]e/i.test(file) || /^readme/i.test(file) && /hereby granted/.test(readFileSync(folder + '/' + file)));
      const packages = globSync('/app/node_modules/{*,@*/*}/package.json').map((file) => file.replace('/package.json', ''));
      // The program of a package for one platform has the licence of that package.
      const isLicensed = (folder) => licensed(folder) || licensed(folder.replace(/-linux-.*/, ''));
      console.log(packages.length, packages.filter((folder) => !isLicensed(folder)).join());`;
    const { output } = await store.podman(...container('--entrypoint=node'), '-e', script);
    expect(output).toMatch(/^\d{2,} \n$/);
  });

  it('has nothing that its user could change, were its file system writable', async () => {
    const find = ['--entrypoint=find', '--cap-drop=all'];
    const writable = ['/app', '/usr', '-writable', '!', '-type', 'l'];
    expect(await store.podman(...container(...find), ...writable)).toEqual({ code: 0, output: '' });
  });

  it('starts from code that was compiled when it was built', async () => {
    const options = [...confined, '--env=NODE_DEBUG_NATIVE=COMPILE_CACHE'];
    const { output } = await store.podman(...container(...options), '--version');
    expect(output).toMatch(/code cache for ESM file:\/\/\/app\/src\/main\.ts was accepted/);
  });

  it('starts as user 1000 without capabilities, in a file system that it can’t write to', async () => {
    const script = `
      const { readFileSync, writeFileSync } = process.getBuiltinModule('fs');
      const status = readFileSync('/proc/self/status', 'utf8');
      const writes = ['/tmp/x', '/app/x', '/x', '/run/x'].map((file) => {
        try { writeFileSync(file, ''); return file; } catch ({ code }) { return code; }
      });
      console.log(JSON.stringify({
        ids: [process.getuid(), process.getgid(), process.pid],
        bounds: status.match(/^(Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):.*/gm).map((line) => line.replace(/\\s+/, '')),
        writes,
      }));`;
    const { output } = await store.podman(...container(...confined, '--entrypoint=node'), '-e', script);
    expect(JSON.parse(output)).toEqual({
      ids: [user, user, 1],
      bounds: [
        'CapPrm:0000000000000000',
        'CapEff:0000000000000000',
        'CapBnd:0000000000000000',
        'CapAmb:0000000000000000',
        'NoNewPrivs:1',
        'Seccomp:2',
      ],
      writes: ['EROFS', 'EROFS', 'EROFS', 'EROFS'],
    });
  });
});

describe('the image, confined as in compose.yaml', () => {
  let scene: Scene;
  beforeEach(async () => {
    scene = await openNewScene();
  });
  afterEach(() => scene.close());

  /** Arguments of a container with the settings of the scene, its accounts mounted as a Secret is. */
  async function callsheet(command: readonly string[], settings: Record<string, string> = {}) {
    const { ACCOUNTS_FILE, OUTBOX_DIR: _, ...others } = scene.environment;
    await chown(ACCOUNTS_FILE!, 0, user);
    await chmod(ACCOUNTS_FILE!, 0o440);
    const mounted = '/run/secrets/callsheet/accounts.json';
    const environment = { ...others, ACCOUNTS_FILE: mounted, ...settings };
    const file = `${scene.folder}/env`;
    await writeFile(
      file,
      Object.entries(environment)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    );
    const volume = `--volume=${ACCOUNTS_FILE}:${mounted}:ro`;
    return [...container(...confined, `--env-file=${file}`, volume, '--name=callsheet'), ...command];
  }

  it('migrates an empty database, finds all in order, runs a night, and mails it', async () => {
    const database = await createDatabase();
    const DATABASE_URL = database.url;
    for (const command of [['migrate'], ['doctor']]) {
      const { code, output } = await store.podman(...(await callsheet(command, { DATABASE_URL })));
      expect([command, code, output]).toEqual([command, 0, expect.not.stringContaining('✗')]);
    }
    await database.drop();
    expect(await store.podman(...(await callsheet(['run'])))).toMatchObject({ code: 0 });
    expect(await disagreements(scene)).toEqual([]);
    expect(await scene.query(`select 1 from etl.windows where state = 'loaded'`)).toHaveLength(3);
    expect(scene.smtp.received.flatMap((mail) => mail.to)).toEqual(['ana@example.com', 'ben@example.com']);
  });

  it('says what to do where a private Postgres is wanted, which it doesn’t have', async () => {
    const demo = await store.podman(...(await callsheet(['demo'])));
    expect([demo.code, demo.output]).toEqual([78, expect.stringContaining('in a clone, after npm ci')]);
    const run = await store.podman(...(await callsheet(['run'], { DATABASE_URL: '' })));
    expect([run.code, run.output]).toEqual([78, expect.stringContaining('set DATABASE_URL')]);
  });

  it('is healthy while it runs at its scheduled times, and ends with SIGTERM', async () => {
    const settings = { SCHEDULE: '*/2 * * * * *', HTTP_PORT: String(await freePort()) };
    const child = store.startPodman(...(await callsheet(['schedule'], settings)));
    const exit = once(child, 'exit');
    // Whoever stops reading stops the container, too, once a pipe is full.
    child.stdout.resume();
    const done = Promise.withResolvers<void>();
    createInterface(child.stderr).on('line', (line) => {
      if (line.includes('"msg":"done in')) done.resolve();
    });
    await Promise.race([done.promise, exit]);
    expect(await store.podman('healthcheck', 'run', 'callsheet')).toMatchObject({ code: 0 });
    const elsewhere = `--env=HTTP_PORT=${await freePort()}`;
    const check = await store.podman('exec', elsewhere, 'callsheet', 'node', '/app/healthcheck.ts');
    expect(check).toMatchObject({ code: 1 });
    expect(await store.podman('stop', '--time=60', 'callsheet')).toMatchObject({ code: 0 });
    expect(await exit).toEqual([143, null]);
    expect(scene.smtp.received).toHaveLength(2);
  });

  it('ends with SIGTERM in the middle of a run, which the next one makes up for', async () => {
    const child = store.startPodman(...(await callsheet(['run'], { RATE_PER_SECOND: '2' })));
    const [exit, log] = [once(child, 'exit'), text(child.stderr)];
    child.stdout.resume();
    const begun = async () => {
      for await (const _ of setInterval(20)) if (scene.simulator.journal.length > 0) return;
    };
    await Promise.race([begun(), exit]);
    expect(await store.podman('stop', '--time=60', 'callsheet')).toMatchObject({ code: 0 });
    expect([await exit, await log]).toEqual([[143, null], expect.stringContaining('SIGTERM')]);
    expect(await store.podman(...(await callsheet(['run'])))).toMatchObject({ code: 0 });
    expect(await disagreements(scene)).toEqual([]);
    expect(scene.smtp.received).toHaveLength(2);
  });
});

/** The blocks of shell below a heading of docs/install.md. */
const blocksBelow = (heading: string) =>
  blocksOf(
    read('docs/install.md')
      .split(`\n${heading}\n`)[1]!
      .split(/\n#{2,3} /)[0]!,
    'sh',
  );

it('the commands of docs/install.md start, preview and upgrade the image', async () => {
  await using scene = await openNewScene();
  const folder = await scratchFolder('callsheet-docker-');
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const port = await freePort();
  const { SERVICE_BASE_URL, DATABASE_URL, SMTP_URL, DIGEST_FROM } = scene.environment;
  const settings = {
    SERVICE_BASE_URL,
    DATABASE_URL,
    SMTP_URL,
    DIGEST_FROM,
    DIGEST_TO: 'ana@example.com',
    SIDTOKEN: generateDataset().accounts.find(({ name }) => name === 'valley')!.token,
    HTTP_PORT: port,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(path.join(folder, '.env'), lines.join(''), { mode: 0o600 });
  // Docker's part; podman has to be given what it may not fetch and which network to use.
  const docker = `#!/bin/sh
verb=$1; shift
case $verb in
  pull) exec ${store.podmanLine} tag ${image} "$1" ;;
  run) exec ${store.podmanLine} run --pull=never --network=host ${limits.join(' ')} "$@" ;;
  *) exec ${store.podmanLine} "$verb" "$@" ;;
esac
`;
  await writeFile(path.join(folder, 'docker'), docker, { mode: 0o755 });
  const type = (block: string, IMAGE = image) =>
    ended(
      spawn('sh', ['-ec', block], {
        cwd: folder,
        env: { ...process.env, PATH: `${folder}:${searched}`, IMAGE },
        ...bounded(),
      }),
    );
  const [start, preview] = blocksBelow('## The image');
  const [upgrade] = blocksBelow('### The image');
  expect(await type(start!)).toMatchObject({ code: 0 });
  for await (const _ of setInterval(200)) {
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    if (ready?.status === 200) break;
  }
  expect(await type('docker run --rm --env-file .env "$IMAGE" run')).toMatchObject({ code: 0 });
  expect(await type(preview!)).toMatchObject({ code: 0 });
  expect(await readdir(path.join(folder, 'preview'))).toContainEqual(expect.stringMatching(/\.html$/));
  expect(await type(upgrade!, 'ghcr.io/example/callsheet:1.1.0')).toMatchObject({ code: 0 });
  expect(await store.podman('ps', '--all', '--quiet')).toEqual({ code: 0, output: '' });
});
