import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { duration } from '../../src/config/formats.ts';
import { loadConfig } from '../../src/config/load.ts';
import { exitCode, Interrupted } from '../../src/model/exit-code.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { commandNames, help, read, settingNames } from './known.ts';

// biome-ignore lint/suspicious/noExplicitAny: manifests have no types here, and each use is checked
const manifests: any[] = parseAllDocuments(read('deploy/kubernetes/cronjob.yaml')).map((each) => each.toJS());
const [secret, settings, cronJob] = manifests;
const job = cronJob.spec.jobTemplate.spec;
const pod = job.template.spec;

describe('deploy/kubernetes/cronjob.yaml', () => {
  it('is a Secret, the settings and a CronJob that uses both', () => {
    expect(manifests.map(({ kind }) => kind)).toEqual(['Secret', 'ConfigMap', 'CronJob']);
    const from = [
      { configMapRef: { name: settings.metadata.name } },
      { secretRef: { name: secret.metadata.name } },
    ];
    for (const container of [...pod.initContainers, ...pod.containers])
      expect(container.envFrom).toEqual(from);
  });

  it('sets settings that exist, with values that Callsheet accepts', () => {
    const environment = { ...secret.stringData, ...settings.data };
    expect(Object.keys(environment).filter((name) => !settingNames.includes(name))).toEqual([]);
    const loaded = loadConfig(
      { ...environment, SIDTOKEN: 'a-session-token' },
      { service: true },
      createRedactor(),
    );
    expect(loaded.warnings).toEqual([]);
    expect(loaded.config.planning.timeZone).toBe(cronJob.spec.timeZone);
  });

  it('migrates, then runs, by commands that exist, and never twice at once', async () => {
    const commands = await commandNames();
    const args = [pod.initContainers[0].args, pod.containers[0].args];
    expect(args).toEqual([['migrate'], ['run', '--retry-for', '3h']]);
    for (const [command] of args) expect(commands).toContain(command);
    expect(cronJob.spec.concurrencyPolicy).toBe('Forbid');
  });

  it('gives a run more time than it retries for', async () => {
    const [command, flag, retryFor] = pod.containers[0].args;
    expect(await help(command)).toContain(flag);
    expect(job.activeDeadlineSeconds * 1_000).toBeGreaterThan(duration.parse(retryFor));
  });

  it('covers every exit code: it fails on those that another run can’t change, and runs again after the others', () => {
    const [disrupted, givesUp, counts] = job.podFailurePolicy.rules;
    expect(pod.restartPolicy).toBe('Never');
    expect(disrupted).toEqual({ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] });
    expect(givesUp).toEqual({
      action: 'FailJob',
      onExitCodes: {
        operator: 'In',
        values: [exitCode.internal, exitCode.usage, exitCode.tokenRefused, exitCode.configuration],
      },
    });
    const interrupted = (['SIGINT', 'SIGTERM'] as const).map((signal) => new Interrupted(signal).exitCode);
    expect(counts).toEqual({
      action: 'Count',
      onExitCodes: { operator: 'In', values: [exitCode.unavailable, exitCode.runAgain, ...interrupted] },
    });
    const covered = [...givesUp.onExitCodes.values, ...counts.onExitCodes.values, exitCode.done];
    expect(covered).toEqual(expect.arrayContaining(Object.values(exitCode)));
  });

  it('runs without root, without capabilities and on a read-only file system', () => {
    expect(pod.securityContext.runAsNonRoot).toBe(true);
    for (const { securityContext } of [...pod.initContainers, ...pod.containers])
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  });
});
