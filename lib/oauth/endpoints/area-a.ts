// Area A's health and readiness (specification 4.1).
import { type Answer, aliveAnswer, json } from '#lib/http/index.ts';
import { isDraining, VERSION } from '#lib/kit/index.ts';
import { readiness } from '#lib/store/index.ts';

/** Liveness: asks nothing of the database. */
export async function handleHealth(): Promise<Answer> {
  return aliveAnswer();
}

/** Readiness, with each check by name. */
export async function handleReady(): Promise<Answer> {
  const checks = { ...(await readiness()), process: isDraining() ? 'stopping' : 'ok' };
  const ready = Object.values(checks).every((check) => check === 'ok');
  return json(ready ? 200 : 503, { status: ready ? 'ok' : 'unavailable', version: VERSION, checks });
}
