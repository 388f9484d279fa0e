import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { documents, image, read, repository, root, version } from './known.ts';

/** A file as it should be: with the version, its image and its documents, and with the one set of rules. */
function written(file: string): string {
  const [, released] = new RegExp(`^## \\[${version}\\] - (.+)$`, 'm').exec(read('CHANGELOG.md'))!;
  const text = read(file)
    .replaceAll(/(?<=^ *image: (?:&\w+ )?|^IMAGE=|\$\{IMAGE:-)ghcr\.io\/[^}\s]*/gm, image)
    .replaceAll(/(?<=^ *runbook_url: ).*(?=\/operations\.md#)/gm, documents)
    .replaceAll(/(?<=github\.com\/)[\w.-]+\/[\w.-]+(?=\/releases\/download\/)/g, repository)
    .replaceAll(/(?<=\/releases\/download\/)v[^/]+/g, `v${version}`)
    .replaceAll(/(?<=^Version ).*?(?=:)/gm, `${version}, ${formatDate(released!)}`);
  if (file !== 'deploy/kubernetes/monitoring.yaml') return text;
  const [, groups] = written('deploy/prometheus/rules.yaml').split(/^(?=groups:$)/m);
  return text.slice(0, text.indexOf('  groups:\n')) + groups!.replaceAll(/^(?=.)/gm, '  ');
}

const formatDate = (day: string) =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(day));

it.each([
  'README.md',
  'docs/install.md',
  'compose.yaml',
  'deploy/kubernetes/cronjob.yaml',
  'deploy/kubernetes/schedule.yaml',
  'deploy/kubernetes/workers.yaml',
  'deploy/prometheus/rules.yaml',
  'deploy/kubernetes/monitoring.yaml',
])('%s names the version, its image and its documents, and holds the rules that there are', async (file) => {
  await expect(written(file)).toMatchFileSnapshot(path.join(root, file));
});

it('the manifests name the image that the release workflow publishes', () => {
  const { jobs } = parse(read('.github/workflows/release.yml')) as {
    jobs: Record<string, { steps?: { run?: string }[] }>;
  };
  const naming = Object.values(jobs)
    .flatMap(({ steps = [] }) => steps)
    .find(({ run }) => run?.includes('GITHUB_REPOSITORY'))!;
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'callsheet-release-'));
  const variables = path.join(folder.path, 'environment');
  const { status } = spawnSync('bash', ['-e'], {
    input: naming.run,
    cwd: root,
    env: {
      PATH: process.env.PATH,
      RUNNER_TEMP: folder.path,
      GITHUB_ENV: variables,
      GITHUB_REF_NAME: `v${version}`,
      // On GitHub the name may have capitals.
      GITHUB_REPOSITORY: repository.toUpperCase(),
    },
  });
  expect(status).toBe(0);
  expect(readFileSync(variables, 'utf8').split('\n')).toContain(image);
});
