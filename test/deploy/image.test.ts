import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FilledSite, freePort, openSite } from '../server/site.ts';
import { commandNames, read, root } from './known.ts';

// A variable is written without its dollar sign here.
const lines = read('Dockerfile')
  .replaceAll(/\\\n\s*/g, '')
  .replaceAll('$', '')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
const stages = lines.join('\n').split(/^(?=FROM )/m);
const last = stages.at(-1)!;
const values = (text: string, instruction: string) =>
  [...text.matchAll(new RegExp(`^${instruction} (.+)$`, 'gm'))].map((match) => match[1]!);

describe('the Dockerfile', () => {
  it('has two stages, on a base that can be chosen', () => {
    expect(values(stages[0]!, 'ARG')).toEqual(['NODE_IMAGE=node:26-slim', 'BUILD_IMAGE={NODE_IMAGE}']);
    expect(stages.slice(1).map((stage) => values(stage, 'FROM')[0])).toEqual([
      '{BUILD_IMAGE} AS build',
      '{NODE_IMAGE}',
    ]);
  });

  it('runs without root and needs no shell', () => {
    expect(values(last, 'USER').at(-1)).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(values(last, 'RUN')).toEqual([]);
    for (const command of [...values(last, 'ENTRYPOINT'), ...values(last, 'CMD')])
      expect(JSON.parse(command)).toEqual(expect.any(Array));
    expect(values(last, 'HEALTHCHECK')[0]).toMatch(/ CMD \["node", /);
    expect(values(last, 'STOPSIGNAL')).toEqual(['SIGTERM']);
  });

  it('gives what the build wrote to root: nothing is its user’s to change', () => {
    expect(values(last, 'USER')).toHaveLength(1);
    const build = stages[1]!.trim().split('\n');
    const written = build.slice(build.findIndex((line) => line.startsWith('USER ')));
    expect(written.filter((line) => line.startsWith('COPY '))).toEqual([]);
    expect(build.at(-1)).toMatch(/^RUN chown -R 0:0 compiled && chmod -R u=rwX,go=rX compiled$/);
  });

  it('copies files that exist and that .dockerignore does not exclude', () => {
    const allowed = read('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = values(stages[1]!, 'COPY').flatMap((line) => line.split(' ').slice(0, -1));
    for (const file of copied) {
      expect([file, existsSync(path.join(root, file))]).toEqual([file, true]);
      expect([file, allowed.some((each) => file === each || file.startsWith(`${each}/`))]).toEqual([
        file,
        true,
      ]);
    }
    expect(read('.dockerignore').startsWith('*\n')).toBe(true);
  });

  it('starts a command that exists, from a file that it contains', async () => {
    expect(JSON.parse(values(last, 'ENTRYPOINT')[0]!)).toEqual(['node', '/app/src/main.ts']);
    expect(existsSync(path.join(root, 'src/main.ts'))).toBe(true);
    expect(commandNames()).toContain(JSON.parse(values(last, 'CMD')[0]!)[0]);
  });

  it('has labels with its name and its version', () => {
    const { version } = JSON.parse(read('package.json'));
    expect(values(last, 'ARG')).toContain(`VERSION=${version}`);
    for (const name of ['title', 'description', 'version', 'revision'])
      expect(last).toContain(`org.opencontainers.image.${name}=`);
  });
});

describe('the health check of the image', () => {
  let site: FilledSite;
  beforeAll(async () => {
    site = await openSite({ token: 'page-t0ken/of+16' });
  });
  afterAll(() => site.close());

  const check = async (environment: Record<string, string>) => {
    const file = path.join(root, 'deploy/image/healthcheck.ts');
    const [code] = await once(
      spawn(process.execPath, [file], { env: environment, stdio: 'inherit' }),
      'exit',
    );
    return code;
  };

  it('succeeds where the server responds, whatever token it requires', async () => {
    const { port } = new URL(site.url);
    for (const host of [{}, { HTTP_HOST: '0.0.0.0' }])
      expect([host, await check({ HTTP_PORT: port, ...host })]).toEqual([host, 0]);
  });

  it('fails where no server responds', async () => {
    expect(await check({ HTTP_PORT: String(await freePort()) })).toBe(1);
  });

  it('succeeds where no server is configured', async () => {
    expect(await check({ HTTP_PORT: '0' })).toBe(0);
  });
});
