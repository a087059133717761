// The manifests of delivery/kubernetes: a cluster's API accepts them, and they fit together.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Service } from 'kubernetes-models/v1/Service';
import { expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { parseSettings } from '#lib/settings/settings.ts';

const FOLDER = path.join(import.meta.dirname, 'kubernetes');
const MODELS = { ConfigMap, Deployment, Job, NetworkPolicy, PodDisruptionBudget, Service };

type Labels = Record<string, string>;
type Container = {
  image: string;
  args?: string[];
  ports?: { name: string; containerPort: number }[];
  securityContext: object;
  volumeMounts: { mountPath: string }[];
};
type Resource = {
  apiVersion: string;
  kind: keyof typeof MODELS | 'ServiceMonitor';
  metadata: { name: string; labels?: Labels };
  data?: Record<string, string>;
  spec: {
    selector?: Labels & { matchLabels?: Labels };
    podSelector?: { matchLabels?: Labels };
    ports?: { name: string; targetPort: string }[];
    endpoints?: { port: string }[];
    template?: {
      metadata: { labels: Labels };
      spec: { securityContext: object; containers: Container[] };
    };
  };
};

const read = (file: string) => readFileSync(path.join(FOLDER, file), 'utf8');
const kustomization: { resources: string[]; configMapGenerator: { name: string; literals: string[] }[] } =
  parse(read('base/kustomization.yaml'));
const resources = kustomization.resources.map((file): Resource => parse(read(`base/${file}`)));
const [generated] = kustomization.configMapGenerator;
const settings = Object.fromEntries(generated?.literals.map((line) => line.split(/=(.*)/s, 2)) ?? []);
const monitor: Resource = parse(read('monitor/service-monitor.yaml'));

function validate(resource: Resource): void {
  if (resource.kind === 'ServiceMonitor') return;
  const Model = MODELS[resource.kind];
  new Model(resource as never).validate();
}
const NAME = { 'app.kubernetes.io/name': 'gatehouse' };
/** Returns the labels that kustomize adds to an object of this kind. */
const labelsOf = (kind: Resource['kind']): Labels => ({
  ...NAME,
  ...resources.find((one) => one.kind === kind)?.spec.template?.metadata.labels,
});
const matches = (selector: Labels | undefined, labels: Labels) =>
  Object.entries(selector ?? {}).every(([name, value]) => labels[name] === value);

test('the Kubernetes API accepts each resource', () => {
  expect(new Set(resources.map(({ kind }) => kind))).toEqual(
    new Set(['Deployment', 'Job', 'NetworkPolicy', 'PodDisruptionBudget', 'Service']),
  );
  for (const resource of resources) expect(() => validate(resource), resource.kind).not.toThrow();
});

test('the check of the manifests rejects resources that the Kubernetes API would reject', () => {
  const [deployment] = resources;
  const wrong = { ...deployment, spec: { ...deployment?.spec, replicas: 'two' } } as Resource;
  expect(() => validate(wrong)).toThrow();
});

test('the Service and the PodDisruptionBudget select server pods only, and the NetworkPolicy selects server and job pods', () => {
  const [server, job] = [labelsOf('Deployment'), labelsOf('Job')];
  const meant = (kind: Resource['kind']) => {
    const spec = resources.find((one) => one.kind === kind)?.spec;
    const selector = spec?.podSelector?.matchLabels ?? spec?.selector?.matchLabels ?? spec?.selector;
    return [matches(selector, server), matches(selector, job)];
  };
  expect(meant('Service')).toEqual([true, false]);
  expect(meant('PodDisruptionBudget')).toEqual([true, false]);
  expect(meant('Deployment')).toEqual([true, false]);
  expect(meant('NetworkPolicy')).toEqual([true, true]);
});

test('every container runs as the image user, with a read-only root and a writable /tmp', () => {
  const pods = resources.flatMap(({ spec }) => (spec.template ? [spec.template.spec] : []));
  expect(pods).toHaveLength(2);
  for (const pod of pods) {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 65_532, runAsGroup: 65_532 });
    const [container] = pod.containers;
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container?.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(['/tmp']);
  }
});

test('manifests refer to ports by name, and their settings are valid for the service', () => {
  const ports = resources[0]?.spec.template?.spec.containers[0]?.ports ?? [];
  expect(ports).toEqual([
    { name: 'http', containerPort: 3000 },
    { name: 'metrics', containerPort: Number(settings['METRICS_PORT']) },
  ]);
  const service = resources.find(({ kind }) => kind === 'Service')?.spec.ports ?? [];
  expect(service.map(({ targetPort }) => targetPort)).toEqual(ports.map(({ name }) => name));
  expect(monitor.spec.endpoints?.map(({ port }) => port)).toEqual(['metrics']);
  expect(matches(monitor.spec.selector?.matchLabels, NAME)).toBe(true);
  const secret = Buffer.alloc(32, 7).toString('base64url');
  const given = { DATABASE_URL: 'postgres://db.example/g', GATEHOUSE_SECRET: secret };
  expect(() => parseSettings({ ...given, ...settings })).not.toThrow();
});

const guide = readFileSync('docs/operate/deploy-container.md', 'utf8');
const yamls = [...guide.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
const overlay = yamls.find((text) => text.startsWith('# kustomization.yaml')) ?? '';
const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

test('pods get no environment variables from Services, because a Service named metrics would set METRICS_PORT', () => {
  const pods = resources.flatMap(({ spec }) => spec?.template?.spec ?? []);
  expect(pods).toHaveLength(2);
  for (const pod of pods) expect(pod).toMatchObject({ enableServiceLinks: false });
});

test.skipIf(!hasKubectl)('kubectl renders the guide’s overlay, and the result is valid', () => {
  // kustomize accepts only relative paths
  const folder = mkdtempSync(path.join(import.meta.dirname, 'kubernetes', 'overlay-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const text = overlay.replaceAll('../gatehouse/delivery/kubernetes/', '../');
  expect(text).not.toBe(overlay);
  writeFileSync(path.join(folder, 'kustomization.yaml'), text);
  const yaml = execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  const rendered = parseAllDocuments(yaml).map((document): Resource => document.toJS());
  // the overlay adds two objects: the settings and the monitor
  expect(rendered).toHaveLength(resources.length + 2);
  for (const resource of rendered) {
    expect(() => validate(resource), resource.kind).not.toThrow();
    if (resource.kind !== 'ServiceMonitor')
      expect(resource.metadata.labels, resource.kind).toMatchObject(NAME);
  }
  const images = rendered.flatMap(
    ({ spec }) => spec?.template?.spec.containers.map(({ image }) => image) ?? [],
  );
  expect(images).toEqual(Array(2).fill('registry.example/gatehouse:0.3.0'));
});

test('the guide’s compose file starts the service after the migration, with a read-only root', () => {
  const { services } = parse(yamls.find((text) => text.startsWith('services:')) ?? '');
  expect(services.gatehouse).toMatchObject({ read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] });
  expect(services.gatehouse.depends_on.migrate.condition).toBe('service_completed_successfully');
  expect(services.migrate.command).toEqual(['migrate']);
  expect(services.migrate.image).toBe(services.gatehouse.image);
});
