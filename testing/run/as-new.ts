// Vitest's first setup file: isolates the test files that one process runs. It reloads modules except packages,
// clears the state of the process, and restores the environment.
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
