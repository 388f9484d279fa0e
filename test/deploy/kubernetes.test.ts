import { readdirSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { duration } from '../../src/config/formats.ts';
import { loadConfig } from '../../src/config/load.ts';
import { secretSettings } from '../../src/config/schema.ts';
import { exitCode, Interrupted } from '../../src/model/exit-code.ts';
import { createRedactor } from '../../src/support/redaction.ts';
import { openSite } from '../server/site.ts';
import { commandNames, help, image, read, root, settingNames } from './known.ts';
import { faultsOf } from './schemas.ts';

// biome-ignore lint/suspicious/noExplicitAny: manifests have no types here, and each use is checked
type Manifest = any;

const folder = 'deploy/kubernetes';
const files = readdirSync(path.join(root, folder)).filter((file) => file.endsWith('.yaml'));
const manifestsOf = (yaml: string): Manifest[] => parseAllDocuments(yaml).map((each) => each.toJS());
const manifests = files.flatMap((file) => manifestsOf(read(`${folder}/${file}`)));

const shared = read(`${folder}/settings.yaml`);
const [secret, settings, network] = manifestsOf(shared);
const [cronJob] = manifestsOf(read(`${folder}/cronjob.yaml`));
const [deployment, service, ingress] = manifestsOf(read(`${folder}/schedule.yaml`));
const [worker] = manifestsOf(read(`${folder}/workers.yaml`));
const monitoring = read(`${folder}/monitoring.yaml`);
const [monitor, prometheusRule] = manifestsOf(monitoring);

const job = cronJob.spec.jobTemplate.spec;
const pod = job.template.spec;
const templates = [job.template, deployment.spec.template, worker.spec.template];
const containers = templates.flatMap(({ spec }) => [...(spec.initContainers ?? []), ...spec.containers]);

/** The manifests with the lines that match no longer commented out. */
const uncommented = (yaml: string, lines: RegExp) =>
  manifestsOf(
    yaml.replaceAll(/^( *)# (.*)$/gm, (line, indent, rest) => (lines.test(rest) ? indent + rest : line)),
  );

/** What Callsheet makes of a ConfigMap and the files of a Secret that it names, in a container with these variables. */
function load([{ stringData }, { data }]: Manifest[], env: { name: string; value: string }[] = []) {
  const mounted = Object.keys(data).filter((name) => name.endsWith('_FILE'));
  const contents = mounted.map((name) => [name.replace('_FILE', ''), stringData[path.basename(data[name])]]);
  const environment = {
    ...data,
    ...Object.fromEntries(mounted.map((name) => [name, ''])),
    ...Object.fromEntries(contents),
    ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
    SIDTOKEN: 'a-session-token',
  };
  return loadConfig(environment, { service: true }, createRedactor());
}

describe('deploy/kubernetes', () => {
  it.each(manifests.filter(({ apiVersion }) => !apiVersion.startsWith('monitoring.')))(
    'Kubernetes’ own schema finds nothing wrong and nothing unknown in $kind $metadata.name',
    async (manifest) => {
      expect(await faultsOf(manifest)).toEqual([]);
      const surplus = JSON.parse(JSON.stringify(manifest));
      surplus.metadata.surplus = 'x';
      expect(await faultsOf(surplus)).toEqual(['/metadata/surplus unknown']);
    },
  );

  it('no two manifests are the same object', () => {
    const names = manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(names).toEqual([...new Set(names)]);
  });

  it('every container is of the image that is published, runs a command that exists, and has the memory of all ways', () => {
    expect(containers).toHaveLength(5);
    const memory = [
      /mem_limit: (\d+)m$/m.exec(read('compose.yaml')),
      /^MemoryMax=(\d+)M$/m.exec(read('deploy/systemd/callsheet.service')),
    ].map((match) => match?.[1]);
    for (const container of containers) {
      expect(container.image).toBe(image);
      expect(commandNames()).toContain(container.args[0]);
      expect(memory.map((megabytes) => `${megabytes}Mi`)).toEqual(
        Array(2).fill(container.resources.limits.memory),
      );
    }
  });

  it('no pod gets the variables of Services, root, capabilities, or a file system to write to', () => {
    for (const { spec } of templates)
      expect(spec).toMatchObject({
        enableServiceLinks: false,
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true },
      });
    for (const { securityContext } of containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
  });

  it('every pod has the settings, secrets and confinement of a run', () => {
    const [run] = pod.containers;
    for (const { spec } of templates)
      for (const key of ['volumes', 'securityContext']) expect([key, spec[key]]).toEqual([key, pod[key]]);
    for (const container of containers)
      for (const key of ['envFrom', 'volumeMounts', 'resources'])
        expect([container.name, key, container[key]]).toEqual([container.name, key, run[key]]);
  });
});

describe('deploy/kubernetes/settings.yaml', () => {
  it('mounts its secrets as files that its user alone can read, and names each in a setting', () => {
    const [volume, ca] = pod.volumes;
    expect(volume.secret).toEqual({ secretName: secret.metadata.name, defaultMode: 0o440 });
    expect(pod.securityContext.fsGroup).toBe(pod.securityContext.runAsGroup);
    const [{ envFrom, volumeMounts }] = pod.containers;
    expect(envFrom).toEqual([{ configMapRef: { name: settings.metadata.name } }]);
    expect(volumeMounts).toEqual([
      { name: volume.name, mountPath: '/run/secrets/callsheet', readOnly: true },
      { name: ca.name, mountPath: '/etc/callsheet', readOnly: true },
    ]);
    const paths = Object.keys(secret.stringData).map((name) => `/run/secrets/callsheet/${name}`);
    const named = Object.keys(settings.data).filter((name) => name.endsWith('_FILE'));
    expect(named.map((name) => settings.data[name]).sort()).toEqual(paths.sort());
    expect(Object.keys(settings.data).filter((name) => secretSettings.includes(name as never))).toEqual([]);
  });

  it('lets nobody reach a pod, and a pod reach only what a run needs', () => {
    for (const { metadata } of templates)
      expect(metadata.labels).toMatchObject(network.spec.podSelector.matchLabels);
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
    const lines = /^(accounts\.yaml: | {2}- \{ name: |ACCOUNTS_FILE: |NODE_EXTRA_CA_CERTS: )/;
    const withoutToken = shared.replaceAll(/^ *(sidtoken|SIDTOKEN_FILE): .*\n/gm, '');
    const [changed, { data }] = uncommented(withoutToken, lines);
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
    const own = deployment.spec.template.spec.containers[0].env.map(({ name }: { name: string }) => name);
    const names = [...Object.keys(settings.data), ...own];
    expect(names.filter((name) => !settingNames.includes(name))).toEqual([]);
    expect(load([secret, settings]).warnings).toEqual([]);
  });
});

describe('deploy/kubernetes/cronjob.yaml', () => {
  it('starts at the time by which Callsheet dates its runs', () => {
    const { config } = load([secret, settings]);
    expect([cronJob.spec.schedule, cronJob.spec.timeZone]).toEqual([
      config.schedule,
      config.planning.timeZone,
    ]);
  });

  it('migrates, then runs, and never twice at once', () => {
    const args = [pod.initContainers[0].args, pod.containers[0].args];
    expect(args).toEqual([['migrate'], ['run', '--retry-for', '3h']]);
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
});

describe('deploy/kubernetes/schedule.yaml', () => {
  const { spec } = deployment.spec.template;
  const [schedule] = spec.containers;
  const { config } = load([secret, settings], schedule.env);

  it('migrates, then schedules, and the old version ends before that', () => {
    expect([spec.initContainers[0].args, schedule.args]).toEqual([['migrate'], ['schedule']]);
    expect(deployment.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(10);
  });

  it('serves at the port that Service, probes and policy name, and suggests commands in this pod', () => {
    const { host, port } = config.http;
    const labels = deployment.spec.template.metadata.labels;
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect([host, schedule.ports]).toEqual(['0.0.0.0', [{ name: 'http', containerPort: port }]]);
    expect(service.spec).toMatchObject({
      selector: labels,
      ports: [{ name: 'http', port, targetPort: 'http' }],
    });
    expect(ingress.spec.podSelector.matchLabels).toEqual(labels);
    expect(ingress.spec.policyTypes).toEqual(['Ingress']);
    expect(ingress.spec.ingress.map((rule: Manifest) => rule.ports)).toEqual([[{ port, protocol: 'TCP' }]]);
    for (const { httpGet } of [schedule.livenessProbe, schedule.readinessProbe])
      expect(httpGet).toEqual({ path: expect.stringMatching(/^\//), port: 'http' });
    expect(deployment.spec.template.metadata.annotations).toEqual({
      'kubectl.kubernetes.io/default-container': schedule.name,
    });
    const command = `kubectl exec deployment/${deployment.metadata.name} -- callsheet`;
    expect(schedule.env).toContainEqual({ name: 'CALLSHEET_COMMAND', value: command });
  });

  it('answers the kubelet and Prometheus at the pod’s address, others at the Service’s name, and nobody else', async () => {
    const site = await openSite({ names: config.http.names });
    onTestFinished(() => site.close());
    const statusFor = async (host: string, at: string) => await statusOf(`${site.url}${at}`, host);
    const paths = [schedule.livenessProbe, schedule.readinessProbe].map(({ httpGet }) => httpGet.path);
    for (const at of [...paths, '/metrics'])
      for (const host of ['10.1.2.3:8080', '[fd00::7]:8080', `${service.metadata.name}:8080`])
        expect([host, at, await statusFor(host, at)]).toEqual([host, at, 200]);
    expect(await statusFor('callsheet.evil.example:8080', '/metrics')).toBe(421);
  });

  it('takes a token by the lines that are commented out, which /readyz requires and /healthz doesn’t', async () => {
    const { secrets, warnings } = load(uncommented(shared, /^(http_token|HTTP_TOKEN_FILE): /));
    expect(warnings).toEqual([]);
    const [{ spec: monitored }] = uncommented(monitoring, /^( *)(authorization|credentials|name|key):/);
    const { name, key } = monitored.endpoints[0].authorization.credentials;
    expect([name, `  # ${key}: <32-random-characters>`]).toEqual([
      secret.metadata.name,
      expect.toSatisfy((line) => shared.includes(`\n${line}\n`)),
    ]);
    const site = await openSite({ token: secrets.httpToken() });
    onTestFinished(() => site.close());
    const statuses = ['/readyz', '/healthz'].map(async (at) => (await site.get(at)).status);
    expect(await Promise.all(statuses)).toEqual([401, 200]);
  });

  it('waits for a busy process as long as the image does', () => {
    const { periodSeconds, timeoutSeconds } = schedule.livenessProbe;
    expect(read('Dockerfile')).toContain(
      `HEALTHCHECK --interval=${periodSeconds}s --timeout=${timeoutSeconds}s `,
    );
  });

  it('lets only Prometheus in, and a proxy by the lines that are commented out', () => {
    const monitoringPods = {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } },
    };
    expect(ingress.spec.ingress[0].from).toEqual([monitoringPods]);
    const lines = /^(- namespaceSelector|podSelector| +(matchLabels|(app\.)?kubernetes\.io\/[\w.]+)):/;
    const [, , open] = uncommented(read(`${folder}/schedule.yaml`), lines);
    expect(open.spec.ingress[0].from).toEqual([
      { ...monitoringPods, podSelector: { matchLabels: { 'app.kubernetes.io/name': 'prometheus' } } },
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } },
    ]);
  });
});

/** The status of a request that names that host; `fetch` would name the server's own. */
async function statusOf(url: string, host: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = request(url, { headers: { host } }, (response) => {
    text(response).then(() => resolve(response.statusCode!), reject);
  });
  sent.on('error', reject).end();
  return await promise;
}

describe('deploy/kubernetes/workers.yaml', () => {
  it('is a Deployment of workers, which its own labels select, beside a run that can distribute', () => {
    const { selector, template } = worker.spec;
    expect([worker.kind, template.spec.containers[0].args]).toEqual(['Deployment', ['worker']]);
    expect(template.metadata.labels).toEqual(selector.matchLabels);
    expect(help('run')).toContain('--distribute');
    expect(help('migrate')).toContain('--queue');
  });
});

describe('deploy/kubernetes/monitoring.yaml', () => {
  const labels = z.record(z.string(), z.string());
  const metadata = z.strictObject({ name: z.string(), labels });
  const apiVersion = z.literal('monitoring.coreos.com/v1');
  /** Of the fields of the Operator's kinds, those that are used here. */
  const kinds = [
    z.strictObject({
      apiVersion,
      kind: z.literal('ServiceMonitor'),
      metadata,
      spec: z.strictObject({
        selector: z.strictObject({ matchLabels: labels }),
        endpoints: z.array(
          z.strictObject({
            port: z.string(),
            relabelings: z.array(
              z.strictObject({
                sourceLabels: z.array(z.string()),
                separator: z.string(),
                targetLabel: z.string(),
              }),
            ),
          }),
        ),
      }),
    }),
    z.strictObject({
      apiVersion,
      kind: z.literal('PrometheusRule'),
      metadata,
      spec: z.strictObject({
        groups: z.array(
          z.strictObject({
            name: z.string(),
            rules: z.array(
              z.strictObject({
                alert: z.string(),
                expr: z.string(),
                for: z.string(),
                labels,
                annotations: labels,
              }),
            ),
          }),
        ),
      }),
    }),
  ];

  it('is a ServiceMonitor and a PrometheusRule, and no field is of another kind', () => {
    expect(manifestsOf(monitoring).map((manifest, index) => kinds[index]!.parse(manifest))).toEqual([
      monitor,
      prometheusRule,
    ]);
    const withRelease = uncommented(monitoring, /^release: /);
    for (const { metadata } of withRelease) expect(metadata.labels.release).toBe('kube-prometheus-stack');
  });

  it('scrapes the Service of schedule.yaml by its port, as a job of this installation', () => {
    expect(service.metadata.labels).toMatchObject(monitor.spec.selector.matchLabels);
    const [{ port, relabelings }] = monitor.spec.endpoints;
    expect(service.spec.ports.map(({ name }: { name: string }) => name)).toContain(port);
    expect(relabelings).toEqual([
      { sourceLabels: ['namespace', 'service'], separator: '/', targetLabel: 'job' },
    ]);
  });

  it('alerts by the rules of deploy/prometheus', () => {
    expect(prometheusRule.spec).toEqual(parse(read('deploy/prometheus/rules.yaml')));
  });
});
