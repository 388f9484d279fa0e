/** Preloaded into a process: at its end, the packages that it loaded are in the file of `LOADED_PACKAGES`. */
import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const loaded = new Set<string>();
registerHooks({
  load(url, context, next) {
    const name = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
    if (name !== undefined) loaded.add(name);
    return next(url, context);
  },
});
process.on('exit', () => writeFileSync(process.env.LOADED_PACKAGES!, [...loaded].sort().join('\n')));
