import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { duration } from '../../src/config/formats.ts';
import { loadConfig } from '../../src/config/load.ts';
import { secretSettings } from '../../src/config/schema.ts';
import { exitCode, Interrupted } from '../../src/model/exit-code.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { commandNames, help, read, settingNames } from './known.ts';

const deploy = read('deploy/kubernetes/cronjob.yaml');
// biome-ignore lint/suspicious/noExplicitAny: manifests have no types here, and each use is checked
const manifests: any[] = parseAllDocuments(deploy).map((each) => each.toJS());
const [secret, settings, network, cronJob] = manifests;
const job = cronJob.spec.jobTemplate.spec;
const pod = job.template.spec;
const containers = [...pod.initContainers, ...pod.containers];

describe('deploy/kubernetes/cronjob.yaml', () => {
  it('mounts its secrets as files that its user alone can read, and names each in a setting', () => {
    const [volume, ca] = pod.volumes;
    expect(volume.secret).toEqual({ secretName: secret.metadata.name, defaultMode: 0o440 });
    expect(pod.securityContext.fsGroup).toBe(pod.securityContext.runAsGroup);
    const paths = Object.keys(secret.stringData).map((name) => `/run/secrets/callsheet/${name}`);
    for (const { volumeMounts, env } of containers) {
      expect(volumeMounts).toEqual([
        { name: volume.name, mountPath: '/run/secrets/callsheet', readOnly: true },
        { name: ca.name, mountPath: '/etc/callsheet', readOnly: true },
      ]);
      expect(env).toBeUndefined();
    }
    const files = Object.keys(settings.data).filter((name) => name.endsWith('_FILE'));
    expect(files.map((name) => settings.data[name]).sort()).toEqual(paths.sort());
    expect(Object.keys(settings.data).filter((name) => secretSettings.includes(name as never))).toEqual([]);
  });

  it('lets nobody reach the pod, and the pod reach only what a run needs', () => {
    expect(network.spec.podSelector.matchLabels).toEqual(job.template.metadata.labels);
    expect(network.spec.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(network.spec.ingress).toBeUndefined();
    const ports = network.spec.egress.flatMap((rule: { ports: { port: number }[] }) =>
      rule.ports.map(({ port }) => port),
    );
    const addresses = [secret.stringData.database_url, secret.stringData.smtp_url];
    for (const address of addresses) expect(ports).toContain(Number(new URL(address).port));
    expect([...new Set(ports)].sort()).toEqual([443, 53, 5432, 587]);
  });

  it('takes an accounts file and a certificate of an own authority by the lines that are commented out', () => {
    const accounts = deploy
      .replaceAll(/# (?=accounts\.yaml: | {2}- \{ name: |ACCOUNTS_FILE: |NODE_EXTRA_CA_CERTS: )/g, '')
      .replaceAll(/^ *(sidtoken|SIDTOKEN_FILE): .*\n/gm, '');
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const [changed, { data }]: any[] = parseAllDocuments(accounts).map((each) => each.toJS());
    expect(data.NODE_EXTRA_CA_CERTS).toBe('/etc/callsheet/ca.pem');
    expect(pod.volumes[1]).toEqual({ name: 'ca', configMap: { name: 'callsheet-ca', optional: true } });
    expect(data.SIDTOKEN_FILE).toBeUndefined();
    expect(data.ACCOUNTS_FILE).toBe('/run/secrets/callsheet/accounts.yaml');
    expect(parse(changed.stringData['accounts.yaml'])).toEqual([
      { name: 'north', sidtoken: '<SID_TOKEN>' },
      { name: 'south', sidtoken: '<SID_TOKEN>' },
    ]);
  });

  it('sets settings that exist, with values that Callsheet accepts', () => {
    expect(Object.keys(settings.data).filter((name) => !settingNames.includes(name))).toEqual([]);
    const mounted = Object.entries<string>(settings.data).filter(([name]) => name.endsWith('_FILE'));
    const secrets = mounted.map(([name, file]) => [
      name.replace('_FILE', ''),
      secret.stringData[file.split('/').at(-1)!],
    ]);
    const loaded = loadConfig(
      {
        ...settings.data,
        ...Object.fromEntries(mounted.map(([name]) => [name, ''])),
        ...Object.fromEntries(secrets),
        SIDTOKEN: 'a-session-token',
      },
      { service: true },
      createRedactor(),
    );
    expect(loaded.warnings).toEqual([]);
    expect(loaded.config.planning.timeZone).toBe(cronJob.spec.timeZone);
  });

  it('migrates, then runs, by commands that exist, and never twice at once', async () => {
    const commands = commandNames();
    const args = [pod.initContainers[0].args, pod.containers[0].args];
    expect(args).toEqual([['migrate'], ['run', '--retry-for', '3h']]);
    for (const [command] of args) expect(commands).toContain(command);
    expect(cronJob.spec.concurrencyPolicy).toBe('Forbid');
  });

  it('gives a run more time than it retries for', async () => {
    const [command, flag, retryFor] = pod.containers[0].args;
    expect(help(command)).toContain(flag);
    expect(job.activeDeadlineSeconds * 1_000).toBeGreaterThan(duration.parse(retryFor));
  });

  it('covers every exit code: it fails on those that another run can’t change, and runs again after the others', () => {
    const [disrupted, givesUp, counts] = job.podFailurePolicy.rules;
    expect(pod.restartPolicy).toBe('Never');
    expect(disrupted).toEqual({
      action: 'Ignore',
      onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }],
    });
    expect(givesUp).toEqual({
      action: 'FailJob',
      onExitCodes: {
        operator: 'In',
        values: [exitCode.usage, exitCode.tokenRefused, exitCode.configuration],
      },
    });
    const interrupted = (['SIGINT', 'SIGTERM'] as const).map((signal) => new Interrupted(signal).exitCode);
    expect(counts).toEqual({
      action: 'Count',
      onExitCodes: {
        operator: 'In',
        values: [exitCode.internal, exitCode.unavailable, exitCode.runAgain, ...interrupted],
      },
    });
    const covered = [...givesUp.onExitCodes.values, ...counts.onExitCodes.values, exitCode.done];
    expect(covered).toEqual(expect.arrayContaining(Object.values(exitCode)));
  });

  it('runs without root, without capabilities and on a read-only file system', () => {
    expect(pod.securityContext.runAsNonRoot).toBe(true);
    for (const { securityContext } of containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  });
});

describe('deploy/kubernetes/workers.yaml', () => {
  const deployment = parse(read('deploy/kubernetes/workers.yaml'));
  const worker = deployment.spec.template;

  it('is a Deployment of a command that exists, which its own labels select', async () => {
    expect([deployment.kind, worker.spec.containers[0].args]).toEqual(['Deployment', ['worker']]);
    expect(commandNames()).toContain('worker');
    expect(worker.metadata.labels).toEqual(deployment.spec.selector.matchLabels);
    expect(worker.metadata.labels).toMatchObject(network.spec.podSelector.matchLabels);
    expect(help('run')).toContain('--distribute');
    expect(help('migrate')).toContain('--queue');
  });

  it('has the settings, secrets, limits and confinement of a run', () => {
    const [run] = pod.containers;
    const { name, args, ...others } = worker.spec.containers[0];
    expect(others).toEqual(
      Object.fromEntries(Object.entries(run).filter(([key]) => key !== 'name' && key !== 'args')),
    );
    for (const key of ['volumes', 'securityContext', 'automountServiceAccountToken'])
      expect([key, worker.spec[key]]).toEqual([key, pod[key]]);
  });
});
