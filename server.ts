// `npm start`. After a build, the whole process loads `lib` from the compiled core that Next's pages import: there is
// one copy of its code and state. A delivered package needs no rule, because its package.json names the core.
import { existsSync } from 'node:fs';
import { registerHooks } from 'node:module';

if (existsSync(new URL('node_modules/gatehouse-lib', import.meta.url)))
  registerHooks({
    resolve: (specifier, context, next) => next(specifier.replace(/^#lib\//, 'gatehouse-lib/'), context),
  });
await import('./start.ts');
