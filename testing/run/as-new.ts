// Vitest's first set-up of each test file: one process runs many files, and none sees what another has left. Modules
// are evaluated again (packages are not), state that is one for the process is forgotten, and the environment is that
// of the start.
import { vi } from 'vitest';

const OURS = 'gatehouse.';
const atStart = Symbol.for('test.environment');

vi.useRealTimers();
vi.unstubAllGlobals();
vi.resetModules();

for (const key of Object.getOwnPropertySymbols(globalThis))
  if (Symbol.keyFor(key)?.startsWith(OURS)) Reflect.deleteProperty(globalThis, key);

if (!Reflect.has(globalThis, atStart)) Reflect.set(globalThis, atStart, { ...process.env });
const environment: NodeJS.ProcessEnv = Reflect.get(globalThis, atStart);
for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
Object.assign(process.env, environment);
