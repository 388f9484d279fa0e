export type Manifest = { readonly apiVersion: string; readonly kind: string };

type Check = ((value: unknown) => boolean) & {
  readonly errors: null | readonly { readonly instancePath: string; readonly keyword: string }[];
};

/**
 * What Kubernetes' own schema has against a manifest, as `/spec/schedule type` or `/spec/schedul unknown`, in no order.
 * A schema says what it knows and takes all else; as with `kubectl --validate=strict`, here a field that it doesn't know
 * is wrong, too: one that its validator, which asks for every field it knows, never asked for.
 */
export async function faultsOf(manifest: Manifest): Promise<string[]> {
  const check = await schemaOf(manifest);
  const visited = new Set<string>();
  check(watched(manifest, '', visited));
  const wrong = (check.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);
  const unknown = [...pathsOf(manifest)].filter((path) => !visited.has(path) && visited.has(parentOf(path)));
  return [...wrong, ...unknown.map((path) => `${path} unknown`)];
}

/** The validator of a kind: `batch/v1` and `CronJob` have theirs under `IoK8sApiBatchV1CronJob`. */
async function schemaOf({ apiVersion, kind }: Manifest): Promise<Check> {
  const [version, group = 'core'] = apiVersion.split('/').reverse();
  const name = [group.split('.')[0]!, version!]
    .map((word) => word[0]!.toUpperCase() + word.slice(1))
    .join('');
  return (await import(`kubernetes-models/_schemas/IoK8sApi${name}${kind}`)).validate;
}

/** The value, which records the path of each field that is read. */
function watched<Value>(value: Value, path: string, visited: Set<string>): Value {
  if (typeof value !== 'object' || value === null) return value;
  visited.add(path);
  return new Proxy(value, {
    get(fields, name) {
      const field = Reflect.get(fields, name);
      if (typeof name === 'symbol' || !Object.hasOwn(fields, name)) return field;
      visited.add(below(path, name));
      return watched(field, below(path, name), visited);
    },
  });
}

/** The path of each field and item, from the outermost inwards. */
function* pathsOf(value: unknown, path = ''): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    yield below(path, name);
    yield* pathsOf(field, below(path, name));
  }
}

/** As JSON pointers write it. */
const below = (path: string, name: string) => `${path}/${name.replaceAll('/', '~1')}`;

const parentOf = (path: string) => path.slice(0, path.lastIndexOf('/'));
