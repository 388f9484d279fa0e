import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** For `--import`: when the process ends, it writes the packages that it has loaded to the file NOTE_MODULES. */
const packages = new Set<string>();
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(resolved.url)?.[1];
    if (name !== undefined) packages.add(name);
    return resolved;
  },
});
process.on('exit', () => writeFileSync(process.env.NOTE_MODULES!, [...packages].join('\n')));
