// After a build, the whole process loads `lib` from the compiled core that Next's pages import: there is one copy of
// its code and state. A delivered package needs no map, because its package.json names the core.
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';

const isCompiled = import.meta.filename.endsWith('.js');
const isBuilt = existsSync(new URL('node_modules/gatehouse-lib', import.meta.url));

const map =
  isBuilt && !isCompiled
    ? registerHooks({
        resolve: (specifier, context, next) => next(specifier.replace(/^#lib\//, 'gatehouse-lib/'), context),
      })
    : null;

/** Ends the map after the core is loaded. A map slows down each later import. */
export const endMap = (): void => map?.deregister();
