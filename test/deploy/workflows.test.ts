import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { read, repository, root, version } from './known.ts';

type Step = { uses?: string; run?: string; with?: Record<string, unknown> };
type Job = { uses?: string; steps?: Step[]; permissions?: Record<string, string> };
type Workflow = {
  on: Record<string, unknown>;
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
};

const workflow = (name: string) => parse(read(`.github/workflows/${name}`)) as Workflow;
const [ci, release] = [workflow('ci.yml'), workflow('release.yml')];
const steps = (of: Workflow): Step[] => Object.values(of.jobs).flatMap((job) => job.steps ?? []);
const scripts = (of: Workflow): string[] => steps(of).flatMap(({ run }) => run ?? []);
const build = (of: Workflow) => steps(of).find(({ uses }) => uses?.startsWith('docker/build-push-action@'));

describe('workflows', () => {
  it.for([
    ['ci.yml', ci],
    ['release.yml', release],
  ] as const)('%s names each action by its commit, and holds shell that bash can read', ([, of]) => {
    for (const { uses } of [...steps(of), ...Object.values(of.jobs)]) {
      if (uses?.startsWith('./')) expect(existsSync(uses)).toBe(true);
      else if (uses) expect(uses).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
    }
    for (const script of scripts(of)) {
      const bash = spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' });
      expect([bash.status, bash.stderr]).toEqual([0, '']);
    }
    expect(of.permissions).toEqual({ contents: 'read' });
  });

  it('a change is checked by .ci/run, and builds the image with the list of its parts', () => {
    expect(Object.keys(ci.on)).toEqual(['push', 'pull_request', 'workflow_call']);
    expect(scripts(ci)).toEqual(['bash .ci/run']);
    expect(build(ci)!.with).toMatchObject({ context: '.', sbom: true });
    expect(build(ci)!.with).not.toHaveProperty('push');
  });

  it('a tag is checked like a change, and only then published with the same list', () => {
    expect(release.on).toEqual({ push: { tags: ['v*'] } });
    expect(release.jobs.publish).toMatchObject({ needs: 'check', permissions: { packages: 'write' } });
    expect(release.jobs.check!.uses).toBe('./.github/workflows/ci.yml');
    expect(build(release)!.with).toMatchObject({
      context: '.',
      sbom: true,
      provenance: 'mode=max',
      push: true,
    });
  });

  /** A repository of its own, because a downloaded archive of the project is none, with the release's check of a tag. */
  function createRepository() {
    const folder = mkdtempDisposableSync(path.join(tmpdir(), 'callsheet-release-'));
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: folder.path, encoding: 'utf8' }).trim();
    for (const file of ['package.json', 'CHANGELOG.md'])
      copyFileSync(path.join(root, file), path.join(folder.path, file));
    git('init', '--quiet');
    const content = git('hash-object', '-w', 'CHANGELOG.md');
    return {
      tag: (name: string) => git('tag', name, content),
      check: (tag: string, of = repository) =>
        spawnSync('bash', ['-e'], {
          input: scripts(release).find((script) => script.includes('CHANGELOG.md')),
          cwd: folder.path,
          env: {
            PATH: process.env.PATH,
            RUNNER_TEMP: folder.path,
            GITHUB_ENV: path.join(folder.path, 'environment'),
            GITHUB_REF_NAME: tag,
            GITHUB_REPOSITORY: of,
          },
          encoding: 'utf8',
        }),
      written: (file: string) => readFileSync(path.join(folder.path, file), 'utf8'),
      [Symbol.dispose]: folder.remove,
    };
  }

  it("a tag that isn't package.json's version, in another repository than it names, or without a section in the changelog, is refused", () => {
    using own = createRepository();
    expect(own.check('v0.0.1')).toMatchObject({
      status: 1,
      stderr: `the tag is v0.0.1, and package.json has version ${version}\n`,
    });
    expect(own.check(`v${version}`, 'other/fork')).toMatchObject({
      status: 1,
      stderr: `package.json names the repository ${repository}: change it, and type npm run generate\n`,
    });
    expect(own.check(`v${version}`)).toMatchObject({ status: 0, stderr: '' });
    const [, newest] = read('CHANGELOG.md').split(/^## \[.*\n/m);
    expect(own.written('notes.md')).toBe(newest);
  });

  it('the list of npm packages has each one that the image installs', () => {
    using folder = mkdtempDisposableSync(path.join(tmpdir(), 'callsheet-release-'));
    const { status } = spawnSync('bash', ['-e'], {
      input: scripts(release).find((script) => script.includes('npm sbom')),
      cwd: root,
      env: { PATH: process.env.PATH, RUNNER_TEMP: folder.path, version },
    });
    expect(status).toBe(0);
    const list = readFileSync(path.join(folder.path, `callsheet-${version}.spdx.json`), 'utf8');
    const { spdxVersion, packages } = JSON.parse(list) as {
      spdxVersion: string;
      packages: { packageFileName: string }[];
    };
    const locked = JSON.parse(read('package-lock.json')) as { packages: Record<string, { dev?: true }> };
    const installed = Object.entries(locked.packages).filter(([, { dev }]) => !dev);
    expect(spdxVersion).toBe('SPDX-2.3');
    expect(packages.map(({ packageFileName }) => packageFileName).sort()).toEqual(
      installed.map(([location]) => location).sort(),
    );
  });

  it('the newest tag that is no pre-release is published as the latest, and no other', () => {
    using own = createRepository();
    for (const name of ['v0.9.0', `v${version}`, 'v99.0.0-rc.1']) own.tag(name);
    own.check(`v${version}`);
    expect(own.written('environment')).toMatch(/:latest\nEND\nkind=--latest=true\n$/);
    own.tag('v99.0.0');
    own.check(`v${version}`);
    expect(own.written('environment')).toMatch(new RegExp(`:${version}\nEND\nkind=--latest=false\n$`));
  });
});
