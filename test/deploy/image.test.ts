import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FilledSite, freePort, openSite } from '../server/site.ts';
import { read, root } from './known.ts';

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
  it('runs without root and needs no shell', () => {
    expect(values(last, 'USER').at(-1)).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(values(last, 'RUN')).toEqual([]);
    for (const command of [...values(last, 'ENTRYPOINT'), ...values(last, 'CMD')])
      expect(JSON.parse(command)).toEqual(expect.any(Array));
    expect(values(last, 'HEALTHCHECK')[0]).toMatch(/ CMD \["node", /);
    expect(values(last, 'STOPSIGNAL')).toEqual(['SIGTERM']);
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
